"""Follows README.md and docs/guide.md word by word: guide.py COMMAND [--write].

COMMAND is the path of `macadam` in a build. Every block marked sh is run in one folder: for the guide, it holds town.osm; for
README, it is like a clone that was built in build/demo. The output must be the block marked text that follows; if none
follows, it prints nothing. --write puts what is printed there instead."""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGES = {"README.md": 2, "docs/guide.md": 20}  # and how many blocks marked sh there are at least
BLOCK = re.compile(r"```sh\n(.*?)```\n(?:```text\n(.*?)```\n)?", re.DOTALL)


def follow(name, text, folder, environment):
    """The page as it should be; stops at the first block that fails."""

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
            sys.exit(f"{name}: exit status {done.returncode} of\n{block.group(1)}{done.stdout}")
        shown = f"```text\n{done.stdout}```\n" if done.stdout else ""
        return f"```sh\n{block.group(1)}```\n{shown}"

    return BLOCK.sub(run, text)


def check(name, least, command, writes):
    with open(os.path.join(ROOT, name)) as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(ROOT, "examples", "town.osm"), folder)
        os.makedirs(os.path.join(folder, "build"))
        for path, target in (
            ("build/demo", os.path.normpath(os.path.join(command, "../../.."))),
            ("engine", os.path.join(ROOT, "engine")),
            ("examples", os.path.join(ROOT, "examples")),
            ("macadam", command),
        ):
            os.symlink(os.path.abspath(target), os.path.join(folder, path))
        followed = follow(name, text, folder, dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"]))
    if writes:
        with open(os.path.join(ROOT, name), "w") as file:
            file.write(followed)
    elif followed != text:
        changes = difflib.unified_diff(text.splitlines(), followed.splitlines(), name, "what is printed", lineterm="")
        sys.exit("\n".join([*changes, "If the new answers are right: tests/guide.py COMMAND --write"]))
    if len(BLOCK.findall(text)) < least:
        sys.exit(f"{name}: too few blocks marked sh")


def main():
    for name, least in PAGES.items():
        check(name, least, os.path.abspath(sys.argv[1]), "--write" in sys.argv)


if __name__ == "__main__":
    main()
