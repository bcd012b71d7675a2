"""python -m macadam: the command macadam."""

import os
import sys


def main() -> None:
    """Becomes the command, which is part of the package."""
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "command", "macadam")
    os.execv(command, ["macadam", *sys.argv[1:]])


if __name__ == "__main__":
    main()
