"""Keeps docs/glossary.md complete: glossary.py [--write].

Every file of the product and every structure that a header defines has a line there. --write writes these lines from the
comments at their heads; without it, a line that is missing or superfluous is an error."""

import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = os.path.join(ROOT, "docs", "glossary.md")
FOLDERS = ("engine", "kernels", "importers", "bindings")
BEGIN = "<!-- files and structures: written by tests/glossary.py, from the comments at their heads -->\n"
END = "<!-- end of files and structures -->\n"
STRUCTURE = re.compile(
    r"(?:/\*\*? ((?:(?!\*/).)*?)\s*\*/\n)?(?:typedef )?struct (?:alignas\(\d+\) )?(\w+)\n?\s*\{", re.DOTALL
)


def sentence(comment):
    """The first sentence of a comment, on one line."""
    comment = re.split(r"\n\s*\*\s*\n", comment)[0]
    text = re.sub(r"\s*\n\s*\*?\s*", " ", comment).strip()
    text = re.sub(r"^.*? - |^@file \S+ ", "", text, count=1) if " - " in text[:60] or text.startswith("@file") else text
    match = re.match(r"(.*?[^.][.:])(?= [A-Z(]|$)", text)
    return (match.group(1) if match else text).rstrip(".:").replace("|", "\\|").replace("*", "\\*")


def sources():
    for folder in FOLDERS:
        for path, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                if name.endswith((".h", ".c", ".cpp", ".cu")):
                    with open(os.path.join(path, name)) as file:
                        yield os.path.relpath(os.path.join(path, name), ROOT), file.read()


def collect():
    files, structures = {}, []
    for path, text in sources():
        opening = re.match(r"/\*\*? (.*?)\*/", text, re.DOTALL)
        if not opening:
            sys.exit(f"{path} does not open with a comment")
        line, stem = sentence(opening.group(1)), os.path.splitext(path)[0]
        if stem not in files or path.endswith(".h") or files[stem].startswith("see "):
            files[stem] = line
        if path.endswith(".h"):
            for comment, name in STRUCTURE.findall(text):
                structures.append((name, path, sentence(comment) if comment else line))
    return files, structures


def write_lines():
    files, structures = collect()
    lines, folder = [], None
    for stem, line in sorted(files.items(), key=lambda item: (os.path.dirname(item[0]), item[0])):
        if os.path.dirname(stem) != folder:
            folder = os.path.dirname(stem)
            lines.append(f"\n## Files in {folder}/\n\n| file | what it is |\n|---|---|")
        lines.append(f"| {os.path.basename(stem)} | {line} |")
    lines.append("\n## Structures\n\n| structure | where | what it is |\n|---|---|---|")
    lines += [f"| `{name}` | {path} | {line} |" for name, path, line in sorted(structures)]
    return "\n".join(lines) + "\n\n"


def names(page):
    """Folder and name of each file, header and name of each structure."""
    found, folder = set(), ""
    for line in page.partition(BEGIN)[2].splitlines():
        folder = line if line.startswith("## ") else folder
        cells = line.split(" | ")
        if line.startswith("| ") and len(cells) > 1:
            found.add((folder, *cells[: len(cells) - 1]))
    return found


def main():
    with open(PAGE) as file:
        page = file.read()
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    complete = head + BEGIN + write_lines() + END + tail
    if "--write" in sys.argv:
        with open(PAGE, "w") as file:
            file.write(complete)
    elif names(complete) != names(page):
        for line in sorted(names(complete) - names(page)):
            print("docs/glossary.md lacks", *line)
        for line in sorted(names(page) - names(complete)):
            print("docs/glossary.md should not have", *line)
        sys.exit("run tests/glossary.py --write")


if __name__ == "__main__":
    main()
