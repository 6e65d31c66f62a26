"""`python -m megabatt`: the command line."""

from megabatt.command_line.main import main

if __name__ == "__main__":  # worker processes import this module too
    main()
