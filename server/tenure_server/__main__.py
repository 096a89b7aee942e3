"""`python -m tenure_server …` is the command `tenure …`."""

import sys

from tenure_server.cli import main

if __name__ == "__main__":
    sys.exit(main())
