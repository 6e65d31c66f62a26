"""The definition of languages, independent of machine, columns and executor."""
