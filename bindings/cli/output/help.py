"""help.py HELP OUT - writes the texts of help.md as macros of C: HELP_route is the name, summary, usage and help of a row of
cli_commands, and PAGE_places the text of a part that is not a command's."""

import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    parts = re.split(r"^## (.*)\n\n", file.read(), flags=re.M)[1:]
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for head, text in zip(parts[::2], parts[1::2]):
        name, _, summary = head.partition(": ")
        usages, text = re.fullmatch(r"((?:    [^\n]*\n)*)\n?(.*?)\n*", text + "\n", re.S).groups()
        fields = {"name": name, "summary": summary, "usage": re.sub("^    ", "", usages, flags=re.M).strip(), "help": text and text + "\n"}
        literals = {field: json.dumps(value, ensure_ascii=False) for field, value in fields.items()}
        row = ", ".join(f".{field} = {value}" for field, value in literals.items())
        out.write(f"#define HELP_{name.replace('-', '_')} {row}\n" if summary else f"#define PAGE_{name} {literals['help']}\n")
