"""options.py OUT.py       - writes the module _options of the Python package: the options of questions with their types.
options.py PAGE.md OUT.inc - writes the options of a page as rows of a table of mcd_option. options.md says how pages are read."""

import json
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
HEADER = (FOLDER / "option.h").read_text()
TYPES = {"FLAG": "bool", "TEXT": "str | None", "COUNT": "int", "SIZE": "int", "MEASURE": "float"}
REFUSED = {}  # earlier names, with the advice of the error
NUMBERS = ("commands", "needed", "outputs", "least", "most", "is_right")  # the others are texts
HEAD = '''"""The options of questions, of bindings/options/options.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ._arguments import CallOptions, Option

if TYPE_CHECKING:
    from .tables import RoadFlag
'''


def constants():
    """The numbers that the headers define by name."""
    public = (FOLDER / "../../engine/include/macadam.h").read_text()
    out = {name: int(value) for name, value in re.findall(r"#define (MACADAM_\w+_MAX) +(\d+)", public)}
    for name, value in re.findall(r"\b(MCD_\w+)\s*=\s*([^,}/]+)", HEADER):
        out[name] = eval(value, {}, out)
    return out


def options(page):
    """The options of a page: name, value, help, questions, kind, member, and the lines that not every option has."""
    for text in page.read_text(encoding="utf-8").split("\n## ")[1:]:
        head, lines, help = text.strip().split("\n\n")
        rows = [re.fullmatch(r"- (\w+): (.*)", line) for line in lines.split("\n")]
        assert all(rows), f"{page.name}: a line of {head} is not '- NAME: VALUE'"
        about = dict(row.groups() for row in rows)
        assert len(about) == len(rows), f"{page.name}: {head} has a name twice"
        name, _, value = head.partition(" ")
        kind, member = about.pop("sets").split()
        yield name, value, help, about.pop("questions"), kind, member, {it: "" if given == "none" else given for it, given in about.items()}


def text(given):
    return json.dumps(given, ensure_ascii=False)  # C has no surrogates


def table(page, out):
    for name, value, help, questions, kind, member, about in options(page):
        more = "".join(f", .{it} = {given if it in NUMBERS else text(given)}" for it, given in about.items())
        texts = [text(it) if it else "NULL" for it in (name, value, help)]
        out.write(f"{{{texts[0]}, {texts[1]}, {questions}, TO({kind}, {member}), {texts[2]}{more}}},\n")


def rows():
    """For each option of Python: its name, type, words, kind, part, member, questions, range, example and help."""
    known, out = constants(), {}
    for name, value, help, questions, kind, member, about in options(FOLDER / "options.md"):
        if "refused" in about:
            REFUSED[about["refused"]] = f"{name} ({help.partition(':')[0]})"
        python = about.get("python", name.replace("-", "_"))
        if not python:
            continue
        python, _, given = python.partition(": ")
        part, _, member = member.rpartition(".")
        row = {"kind": kind, "part": part, "member": member, "questions": eval(questions, {}, known), "words": ()}
        row["help"], row["example"] = help, value or "NULL"
        row["help"] = re.sub(r"[;.] [^;.]*--[^;.]*", "", row["help"])  # what speaks of the command
        row["help"] = re.sub(r", such as [^:]*", f" ({about['unit']})", row["help"]) if "unit" in about else row["help"]
        row["most"] = eval(about.get("most", "0"), {}, known)
        if kind == "WORD":
            row["words"] = tuple(value.split("|"))
        python, _, key = python.partition(".")
        if key:  # of a mapping, whose keys are members
            row["help"] = f"{key}: {row['help']}"
            row |= {"kind": "KEYS", "words": (key,)}
        if python in out:
            out[python]["help"] += f"; {row['help']}"
            out[python]["words"] += row["words"]
            continue
        row["type"] = given or ("Mapping[str, float] | None" if key else f"Literal{list(row['words'])}" if row["words"] else TYPES[kind])
        row["part"] = part if part in ("query", "conditions", "times") else "conditions" if given else "request"
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
    out.write(f"}}\nREFUSED = {REFUSED!r}\nOPTIONS = {{\n")
    for name, bit in questions.items():
        out.write(f"    {name!r}: {{it: ALL[it] for it in {[key for key, it in table.items() if it['questions'] & bit]}}},\n")
    out.write("}\n")


with open(sys.argv[-1], "w", encoding="utf-8") as file:
    write(file) if len(sys.argv) == 2 else table(Path(sys.argv[1]), file)
