"""Follows docs/guide.md word by word: guide.py COMMAND [--write].

COMMAND is the path of `macadam`. Every block marked sh is run in one folder that holds town.osm. Its output must be
the block marked text that follows; if none follows, it prints nothing. --write puts what is printed there instead."""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
GUIDE = os.path.join(ROOT, "docs", "guide.md")
BLOCK = re.compile(r"```sh\n(.*?)```\n(?:```text\n(.*?)```\n)?", re.DOTALL)


def follow(text, folder, environment):
    """The guide as it should be; stops at the first block that fails."""

    def run(block):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.group(1)],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode != 0:
            sys.exit(f"guide.md: exit status {done.returncode} of\n{block.group(1)}{done.stdout}")
        shown = f"```text\n{done.stdout}```\n" if done.stdout else ""
        return f"```sh\n{block.group(1)}```\n{shown}"

    return BLOCK.sub(run, text)


def main():
    command = os.path.abspath(sys.argv[1])
    with open(GUIDE) as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(ROOT, "examples", "town.osm"), folder)
        path = os.path.join(folder, "bin")
        os.mkdir(path)
        os.symlink(command, os.path.join(path, "macadam"))
        followed = follow(text, folder, dict(os.environ, PATH=path + os.pathsep + os.environ["PATH"]))
    if "--write" in sys.argv:
        with open(GUIDE, "w") as file:
            file.write(followed)
    elif followed != text:
        changes = difflib.unified_diff(text.splitlines(), followed.splitlines(), "guide.md", "what is printed", lineterm="")
        sys.exit("\n".join([*changes, "If the new answers are right: tests/guide.py COMMAND --write"]))
    if len(BLOCK.findall(text)) < 20:
        sys.exit("guide.md: too few blocks marked sh")


if __name__ == "__main__":
    main()
