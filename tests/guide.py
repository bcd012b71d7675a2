"""Follows the pages word by word: guide.py BUILD [--python] [--write], or in a new clone guide.py --fresh.

Types the blocks marked sh of a page into one shell. The output of each must be the block marked text that
follows; if none follows, it prints nothing. --write puts what is printed there instead. README.md is followed in
a folder that is like a clone which was built in build/demo; the other pages are followed in a copy of the
examples, with what BUILD installs. --python also runs the blocks marked python, with the Python that runs this
script; it has the package macadam. --fresh follows the pages in this clone itself, with the blocks marked
"sh install". They change the machine: tests/fresh.sh makes one for this. Their output is not compared."""

import difflib
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PAGES = ["README.md", "docs/guide.md", "docs/service.md", "docs/speeds.md", "bindings/python/README.md", "bindings/java/README.md",
         *sorted(glob.glob("docs/reference/*.md", root_dir=ROOT))]
LEAST = 50  # blocks that are followed
BLOCK = re.compile(r"^```(sh|sh install|python)\n(.*?)^```\n(?:```text\n.*?^```\n)?", re.DOTALL | re.MULTILINE)
FRESH, PYTHON, WRITES = (option in sys.argv for option in ("--fresh", "--python", "--write"))
KINDS = {"sh"} | ({"python"} if PYTHON else set()) | ({"python", "sh install"} if FRESH else set())


def free_address():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return "127.0.0.1:" + str(taken.getsockname()[1])


def typed(kind, code):
    """The lines that a user types for a block; a NUL ends its output."""
    if kind == "python":
        code = f"python3 - <<'END_OF_BLOCK'\n{code}END_OF_BLOCK\n"
    return code + "printf '\\0'\n"


def follow(name, text, folder, environment):
    """The page as it should be, and the number of blocks that were followed."""
    blocks = [block for block in BLOCK.finditer(text) if block[1] in KINDS]
    lines = "".join(typed(block[1], block[2]) for block in blocks).replace("127.0.0.1:5000", free_address())
    with tempfile.TemporaryFile("w+") as output:
        shell = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", lines],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True)
        status = shell.wait()
        try:
            os.killpg(shell.pid, signal.SIGKILL)  # a server that a failed page left
        except ProcessLookupError:
            pass
        output.seek(0)
        printed = output.read().split("\0")
    if status != 0:
        sys.exit(f"{name}: exit status {status} of\n{blocks[len(printed) - 1][2]}{printed[-1]}")
    for block, shown in reversed(list(zip(blocks, printed))):
        if block[1] != "sh install":
            shown = "```text\n" + shown.removesuffix("\n") + "\n```\n" if shown else ""
            whole = f"```{block[1]}\n{block[2]}```\n{shown}"
            text = text[:block.start()] + whole + text[block.end():]
    return text, len(blocks)


def places(folder, build):
    """Makes a clone, a copy of the examples and an installation; returns both folders and the environment."""
    clone, examples, installed = (f"{folder}/{name}" for name in ("clone", "examples", "installed"))
    os.makedirs(os.path.join(clone, "build"))
    for path, target in ("build/demo", build), ("engine", f"{ROOT}/engine"), ("examples", f"{ROOT}/examples"):
        os.symlink(os.path.abspath(target), os.path.join(clone, path))
    shutil.copytree(f"{ROOT}/examples", examples)
    subprocess.run(["cmake", "--install", build, "--prefix", installed], check=True, stdout=subprocess.DEVNULL)
    (packages,) = glob.glob(f"{installed}/lib*/**/pkgconfig", recursive=True)
    path = os.pathsep.join([os.path.dirname(sys.executable), f"{installed}/bin", os.environ["PATH"]])
    environment = {"PATH": path, "PKG_CONFIG_PATH": packages, "LD_LIBRARY_PATH": os.path.dirname(packages)}
    return clone, examples, os.environ | environment


def main():
    followed = 0
    with tempfile.TemporaryDirectory() as folder:
        if FRESH:
            clone, examples, environment = ROOT, f"{ROOT}/build/guide", os.environ
        else:
            clone, examples, environment = places(folder, sys.argv[1])
        for name in PAGES:
            with open(os.path.join(ROOT, name)) as file:
                text = file.read()
            in_clone = name.endswith("README.md") or FRESH and "```sh install" in text
            wanted, blocks = follow(name, text, clone if in_clone else examples, environment)
            followed += blocks
            if FRESH:
                print(f"{name}: {blocks} blocks", flush=True)
            if WRITES:
                with open(os.path.join(ROOT, name), "w") as file:
                    file.write(wanted)
            elif wanted != text:
                changes = difflib.unified_diff(text.splitlines(1), wanted.splitlines(1), name, "what is printed")
                sys.exit("".join([*changes, "If the new answers are right: tests/guide.py BUILD --write"]))
    if followed < LEAST:
        sys.exit(f"only {followed} blocks marked sh")


if __name__ == "__main__":
    main()
