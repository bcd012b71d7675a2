#!/usr/bin/env python3
"""messages.py - messages in the user's words: fails where an error or a warning of the product names a variable or an
expression of the sources. A name with an underscore or a point in it is the user's if a public header, the requests of
macadam_call, a page of the documentation or an option has it; an expression that a macro makes a string is never his.
"""
import os
import re
import subprocess
import sys

CALL = re.compile(r"\b\w*(?:fail|warn|refuse|complain)\w*\s*\(")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NAME = re.compile(r"\b[a-z]\w*(?:(?:->|\.)[a-z]\w*|_\w+)+(?:->\w+)*")
EXPRESSION = re.compile(r"[,(]\s*#(\w+)")  # the argument of a macro, as a string


def files(*paths):
    names = subprocess.run(["git", "ls-files", "-z", *paths], check=True, capture_output=True, text=True).stdout
    return [name for name in names.split("\0") if name]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def vocabulary():
    """The words that users read elsewhere."""
    pages = [name for name in files("*.md", "proto", "engine/include", "bindings/options") if not name.startswith("tests/")]
    return set(re.findall(r"\w+", " ".join(map(read, pages))))


def faults(path, text, known):
    """Lines with a message that is not in the user's words, and its words."""
    text = re.sub(r"/\*[\s\S]*?\*/", lambda comment: re.sub(r"[^\n]", " ", comment.group()), text)
    for call in CALL.finditer(text):
        statement = text[call.start() : text.find(";", call.end())]
        for literal in LITERAL.finditer(statement):
            for name in NAME.findall(re.sub(r"%[-+ #0-9.*]*[hlzjt]*[a-zA-Z]", " ", literal[1])):
                if "->" in name or not set(re.split(r"\.", name)) <= known:
                    yield text.count("\n", 0, call.start()) + 1, name
    for define in re.finditer(r"#define(?:[^\n]*\\\n)*[^\n]*", text):
        for argument in EXPRESSION.findall(define.group()):
            is_word = re.search(rf"\b{argument}\s*##", define.group())  # what names are made of is not an expression
            if not is_word and re.search(r"\berror\b", define.group()):
                yield text.count("\n", 0, define.start()) + 1, "#" + argument


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    known = vocabulary()
    for bad in ('fail(error, "out of memory for run->cost");', 'mcd_fail("%zu own_scratch");', "#define NEW(p, error) grow(p, #p, error)"):
        assert list(faults("", bad, known)), bad
    assert not list(faults("", 'mcd_fail("source_lon is missing");', known))
    product = [name for name in files("engine", "kernels", "importers", "bindings") if name.endswith((".c", ".cpp", ".h", ".cu"))]
    found = [f"{name}:{line}: {words}" for name in product for line, words in faults(name, read(name), known)]
    print("\n".join(found) or f"{len(product)} files: their messages are in the user's words")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
