"""options.py OUT - writes the module _options of the Python package: the options of questions as option.c has them, with
their types."""

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
HEADER = (FOLDER / "option.h").read_text()
TYPES = {"FLAG": "bool", "TEXT": "str | None", "COUNT": "int", "SIZE": "int", "MEASURE": "float"}
TEXT = r'"(?:[^"\\]|\\.)*"'
ROW = re.compile(rf'\{{"([\w-]+)", (NULL|{TEXT}), ([^"]+?),\s*TO\((\w+), ([\w.]+)\),\s*((?:{TEXT}\s*)+)(.*?)\}},\n', re.S)
HEAD = '''"""The options of questions, of the table in bindings/options/option.c."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ._arguments import CallOptions, Option

if TYPE_CHECKING:
    from ._roads import RoadFlag
'''


def constants():
    """The numbers that the headers define by name."""
    public = (FOLDER / "../../engine/include/macadam.h").read_text()
    out = {name: int(value) for name, value in re.findall(r"#define (MACADAM_\w+_MAX) +(\d+)", public)}
    for name, value in re.findall(r"\b(MCD_\w+)\s*=\s*([^,}/]+)", HEADER):
        out[name] = eval(value, {}, out)
    return out


def rows():
    """For each option of Python: its name, type, words, kind, part, member, questions, range, example and help."""
    known, out = constants(), {}
    table = (FOLDER / "option.c").read_text().partition("mcd_options[] = {")[2].partition("\n};")[0] + "\n"
    found = ROW.findall(table)
    assert len(found) == table.count('\n    {"'), "a line of the table is not read"
    for name, value, questions, kind, member, help, rest in found:
        about = dict(re.findall(rf"\.(\w+) = ({TEXT}|[^,]+)", rest))
        python = about.get("python", f'"{name.replace("-", "_")}"').strip('"')
        if not python:
            continue
        python, _, given = python.partition(": ")
        part, _, member = member.rpartition(".")
        row = {"kind": kind, "part": part, "member": member, "questions": eval(questions, {}, known), "words": ()}
        row["help"], row["example"] = "".join(re.findall(r'"(.*?)"', help)), value.strip('"')
        row["help"] = re.sub(r"[;.] [^;.]*--[^;.]*", "", row["help"])  # what speaks of the command
        row["most"] = eval(about.get("most", "0"), {}, known)
        if kind == "WORD":
            row["words"] = tuple(value.strip('"').split("|"))
        python, _, key = python.partition(".")
        if key:  # of a mapping, whose keys are members
            row["help"] = f"{key}: {row['help']}"
            row |= {"kind": "KEYS", "words": (key,)}
        if python in out:
            out[python]["help"] += f"; {row['help']}"
            out[python]["words"] += row["words"]
            continue
        row["type"] = given or ("Mapping[str, float] | None" if key else f"Literal{list(row['words'])}" if row["words"] else TYPES[kind])
        row["part"] = part if part in ("query", "conditions") else "conditions" if given else "request"
        out[python] = row
    return out


def write(out):
    table = rows()
    questions = {name.lower(): 1 << int(bit) for name, bit in re.findall(r"MCD_(\w+) = 1 << (\d+)", HEADER.partition("};")[0])}
    questions = {name: bit for name, bit in questions.items() if table["metric"]["questions"] & bit and name != "bench"}
    out.write(HEAD)
    for name, bit in questions.items():
        out.write(f"\n\nclass {name.title().replace('_', '')}Options(CallOptions, total=False):\n")
        out.writelines(f"    {key}: {it['type']}\n" for key, it in table.items() if it["questions"] & bit)
    out.write("\n\nALL = {\n")
    for name, it in table.items():
        members = ("kind", "part", "member", "type", "words", "most", "example", "help")
        out.write(f"    {name!r}: Option({', '.join(repr(it) for it in (name, *(it[member] for member in members)))}),\n")
    out.write("}\nOPTIONS = {\n")
    for name, bit in questions.items():
        out.write(f"    {name!r}: {{it: ALL[it] for it in {[key for key, it in table.items() if it['questions'] & bit]}}},\n")
    out.write("}\n")


with open(sys.argv[1], "w") as file:
    write(file)
