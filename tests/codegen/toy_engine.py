"""The least that generated code needs of `megabatt.runtime.engine`."""


class Sequential:
    def __init__(self, language, key, log_path, max_elements):
        self.failed = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def start(self, number):
        self.number = number

    def fail(self, error, default):
        self.failed.append(self.number)
        return default

    def finish(self, outputs):
        return outputs, self.failed


class Vectorized:
    """Records calls instead of computing: a value is the text of the expression behind it."""

    def __init__(self, language, inputs, operations, max_elements):
        self.numbers = []
        self.operations = operations

    def input(self, name):
        return name

    def call(self, number, function, *arguments):
        self.numbers.append(number)
        return (function, *arguments)

    def finish(self, outputs):
        assert self.numbers == list(range(1, self.operations + 1))
        return outputs
