"""python -m macadam: the command macadam, which here writes Parquet, too: its CSV, by pyarrow.

    python -m macadam matrix ... -o costs.parquet"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from typing import Any

_NO_TABLES = {"import", "update", "ready", "serve"}  # write maps, or nothing, which may have any name
_TEXTS = {"id", "name", "source", "target"}  # numbers in these columns are names, too: whole ones, or else text


def _output_of(arguments: list[str]) -> int | None:
    """Which argument names a Parquet file as the output; None: none does."""
    if arguments[:1] and arguments[0] in _NO_TABLES or any(it.partition("=")[0] == "--format" for it in arguments):
        return None
    return next((i for i in range(1, len(arguments)) if arguments[i - 1] == "-o" and arguments[i].endswith(".parquet")), None)


def _run(command: str, arguments: list[str], output: int) -> int:
    """Lets the command write CSV beside the output, and converts it. Returns the exit status."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        return _fail(arguments, output, "Parquet needs pyarrow: pip install pyarrow")
    path = arguments[output]
    table, unfinished = (f"{path}.{os.getpid()}.{it}" for it in ("csv", "unfinished"))
    try:
        open(unfinished, "wb").close()  # so that an error has the path that was given
    except OSError as error:
        return _fail(arguments, output, str(error.strerror))
    try:
        arguments = [*arguments[:output], table, *arguments[output + 1 :]]
        status = subprocess.call(["macadam", *arguments], executable=command)
        if os.path.exists(table):
            _convert(table, unfinished)
            os.replace(unfinished, path)
        return status
    finally:
        for it in table, unfinished:
            if os.path.exists(it):
                os.remove(it)


def _fail(arguments: list[str], output: int, why: str) -> int:
    """Reports a wrong argument as the command does. Returns the exit status."""
    message = f"-o {arguments[output]}: {why}"
    report = json.dumps({"error": message, "status": "invalid argument", "exit": 2})
    print(report if "--json-errors" in arguments else f"macadam: {message}", file=sys.stderr)
    return 2


def _convert(table: str, path: str) -> None:
    """Writes a CSV as Parquet. A column has whole numbers, else floating-point numbers, else text, by all of its values."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    types = pyarrow.int64(), pyarrow.float64(), pyarrow.string()
    with open(table, encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))

    def read(columns: dict[str, Any]) -> Any:
        return pyarrow.csv.open_csv(
            table,
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(column_types=columns, null_values=[""], strings_can_be_null=True),
        )

    def fits(column: Any, name: str, kind: int) -> bool:
        if kind == 2:
            return True
        try:
            return bool(column.cast(types[kind]).cast(types[2]).equals(column) if kind == 0 else column.cast(types[1]) and name not in _TEXTS)
        except pyarrow.ArrowInvalid:
            return False

    kinds = dict.fromkeys(names, 0)
    for batch in read(dict.fromkeys(names, types[2])):
        for name, column in zip(names, batch.columns):
            while not fits(column, name, kinds[name]):
                kinds[name] += 1
    reader = read({name: types[kind] for name, kind in kinds.items()})
    with pyarrow.parquet.ParquetWriter(path, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def main() -> None:
    """Becomes the command, which is part of the package."""
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "command", "macadam")
    output = _output_of(sys.argv[1:])
    if output is not None:
        sys.exit(_run(command, sys.argv[1:], output))
    os.execv(command, ["macadam", *sys.argv[1:]])


if __name__ == "__main__":
    main()
