"""python -m macadam: the command macadam, which here writes Parquet, too."""

import os
import sys

from ._parquet import output_of, run


def main() -> None:
    """Becomes the command, which is part of the package."""
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "command", "macadam")
    output = output_of(sys.argv[1:])
    if output is not None:
        sys.exit(run(command, sys.argv[1:], output))
    os.execv(command, ["macadam", *sys.argv[1:]])


if __name__ == "__main__":
    main()
