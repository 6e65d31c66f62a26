"""The command line in a checkout: `python run_batt.py COMMAND` is `megabatt COMMAND`."""

from megabatt.command_line.main import main

if __name__ == "__main__":  # a worker process imports it too
    main()
