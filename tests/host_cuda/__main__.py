"""`python -m tests.host_cuda FOLDER`."""

import sys
from pathlib import Path

from tests.host_cuda.build import build

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.host_cuda FOLDER")
    print(f"PYTHONPATH={build(Path(sys.argv[1]).absolute())}")
