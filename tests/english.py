#!/usr/bin/env python3
"""english.py - comments, messages and pages in usual English: fails on habits that have to be read twice.

It reads the comments and strings of the product and the tests, the names of tests and the text of pages; CHANGELOG.md
is history and stays. Each habit below has the words to write instead.
"""
import os
import re
import subprocess
import sys

PERSON = r"(?:drives|goes|comes by|comes|walks|pays|sees|wants|knows|asks|turns|rides|chooses|gets)"
HABITS = [
    (r"(?<![Tt]here )\b(?:is|are|was|were) no(?! (?:longer|more|such)\b)\b", 'write "is not a"'),
    (r"\bat once\b", 'write "together", "concurrently" or "immediately"'),
    (r"\banew\b", 'write "again"'),
    (r"\b(?:asked|asks?) for\b|\b(?:is|are|was|were|if|not|been) asked\b", 'write "requested"'),
    (r"\b(?:is|are|was|were|been|be|not) told\b|\btells?\b", 'write "reports", "returns", "shows" or "distinguishes"'),
    (r"\bso many\b", "name the number"),
    (r"\b(?:nobody|whoever|somebody|everybody)\b(?! EXPOSE)", 'write "no thread", "the caller", "the user"'),
    (rf"\b(?:if|where|when|that|as|than|which|how) one {PERSON}\b", 'write "the driver", "the route", "the user"'),
    (r"(?:^|[.:;] )What (?!(?:is|are|does|do|happens|to)\b[^.]*\?)", "begin with the noun"),
    (r"\b(?:the|its|their|first) begin\b", 'write "the beginning" or "the start"'),
    (r"\b(?:stands|stand|lies|lie) behind\b|\bbehind (?:it|them|that|this|which)\b", 'write "after"'),
]
SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".java")
SCRIPTS = (".py", ".pyi", ".sh", ".txt", ".cmake", ".profile", ".proto")
SKIPPED = ("CHANGELOG.md", "tests/english.py", "engine/guide/language/", "docs/figures/")


def texts(path, text):
    """Where each comment, string, paragraph or name of a test begins, and its words on one line."""
    if path.endswith(SUFFIXES):
        pattern = r'/\*[\s\S]*?\*/|//[^\n]*|(?:"(?:[^"\\\n]|\\.)*"\s*)+'
    elif path.endswith(SCRIPTS):
        pattern = r'(?:[ \t]*(?:#|//)[^\n]*\n)+|"""[\s\S]*?"""|"[^"\n]*"|(?:#|//)[^\n]*'
    else:
        pattern = r"(?:[^\n]+\n)+"
    for found in re.finditer(r"\bTest\(\w+, (\w+)|\bdef (test_\w+)", text):
        yield found.start(), (found[1] or found[2]).replace("_", " ")
    for found in re.finditer(pattern, text):
        if not found.group().startswith("#") or not path.endswith(".md"):  # a heading may ask
            yield found.start(), re.sub(r"\s*\n\s*(?:\*|#|//)?\s*", " ", found.group()).strip("/*# \"")


def faults(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    for start, words in texts(path, text):
        for pattern, advice in HABITS:
            for found in re.finditer(pattern, words):
                line = text.count("\n", 0, start) + 1
                yield f'{path}:{line}: "{words[max(0, found.start() - 40):found.end() + 30]}": {advice}'


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    names = subprocess.run(["git", "ls-files", "-z", *sys.argv[1:]], check=True, capture_output=True, text=True).stdout
    found = [fault for name in names.split("\0")
             if name.endswith(SUFFIXES + SCRIPTS + (".md", ".rst")) and not name.startswith(SKIPPED)
             for fault in faults(name)]
    print("\n".join(found) if found else "the English is usual")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
