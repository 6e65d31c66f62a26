"""The package as a user has it: `make package`."""
