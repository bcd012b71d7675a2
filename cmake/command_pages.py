"""Writes the manual page of the command and its completions for bash, zsh and fish, from its own help:
command_pages.py COMMAND FOLDER.

--help explains the options that many commands share; that of a command explains its own, and names the shared ones that
it takes."""

import os
import re
import subprocess
import sys


def ask(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def options_of(text):
    """Name -> (the value, or ""; what help says in its first line)."""
    found = re.findall(r"^  (--?[a-z-]+)(?: (\S+))?\n? {2,}(\S.*)$", text, re.MULTILINE)
    return {name: (value, line.rstrip(":,")) for name, value, line in found}


def words(value):
    """The completion of a value: its words, or None if it is anything else."""
    return value.split("|") if "|" in value else None


class Command:
    def __init__(self, path):
        self.help = ask(path, "--help")
        self.version = ask(path, "--version").split("\n")[0]
        self.summary = dict(re.findall(r"^  ([a-z][a-z-]*)  +(\S.*)$", self.help, re.MULTILINE))
        self.usage = {name: ask(path, name, "--help") for name in self.summary}
        shared = options_of(self.help)
        self.options = {}
        for name, text in self.usage.items():
            own, _, others = text.partition("macadam --help explains:")
            self.options[name] = {"--help": ("", "help"), **options_of(own), **{it: shared[it] for it in others.split()}}
            if "--method" in self.options[name]:
                methods = [line.split()[0] for line in ask(path, name, "--method", "help", "--device", "cpu").splitlines()]
                self.options[name]["--method"] = ("|".join([*methods, "help"]), self.options[name]["--method"][1])


def manual(command):
    def verbatim(text):
        lines = [line.replace("\\", "\\e").replace("-", "\\-") for line in text.rstrip("\n").split("\n")]
        return ".EX\n" + "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines) + "\n.EE\n"

    pages = "".join(f".SS {name}\n{verbatim(text)}" for name, text in command.usage.items())
    usage, _, rest = command.help.partition("\n\n")
    rest, _, statuses = rest.partition("\nExit status:\n")
    return (
        f'.TH MACADAM 1 "" "{command.version}"\n.SH NAME\nmacadam \\- routes, trees and matrices over road maps\n'
        f".SH SYNOPSIS\n.B macadam\n.I COMMAND\n.RI [ FILE ]\n.RI [ OPTIONS ]\n"
        f".SH DESCRIPTION\n{verbatim(rest)}.SH COMMANDS\n{pages}"
        f".SH EXIT STATUS\n{verbatim(statuses)}"
        ".SH SEE ALSO\nThe guide, guide.md, is in the folder docs of this package's documentation.\n"
    )


def bash(command):
    cases = "".join(
        f'        {name}) words="{" ".join(options)}" ;;\n' for name, options in command.options.items()
    )
    values = "".join(
        f'        {name}\\ {option}) words="{" ".join(words(value))}" ;;\n'
        for name, options in command.options.items()
        for option, (value, _) in options.items()
        if words(value)
    )
    return f"""# bash completion for macadam
_macadam() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{" ".join(command.summary)} --help --version"
    elif [ "${{current#-}}" != "$current" ]; then
        case ${{COMP_WORDS[1]}} in
{cases}        esac
    else
        case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{values}        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _macadam macadam
"""


def quoted(text, special=""):
    """For single quotes; with a backslash before each of the special characters."""
    return "".join("\\" + c if c in special else c for c in text.replace("'", ""))


def zsh(command):
    def spec(option, value, meaning):
        among = f":value:({' '.join(words(value))})" if words(value) else ":value:_files" if value else ""
        return f"'{option}[{quoted(meaning, '[]:')}]{among}'"

    commands = " ".join(f"'{name}:{quoted(line, ':')}'" for name, line in command.summary.items())
    cases = ""
    for name, options in command.options.items():
        specs = " \\\n            ".join(spec(option, *about) for option, about in options.items())
        cases += f"        {name})\n            _arguments '*:file:_files' \\\n            {specs} ;;\n"
    return f"""#compdef macadam
_macadam() {{
    local -a commands=({commands})
    local state line
    _arguments -C '1: :->command' '*:: :->rest'
    case $state in
    command) _describe command commands ;;
    rest)
        case $line[1] in
{cases}        esac ;;
    esac
}}
_macadam "$@"
"""


def fish(command):
    lines = ["# fish completion for macadam"]
    for name, line in command.summary.items():
        lines.append(f"complete -c macadam -n __fish_use_subcommand -f -a {name} -d '{quoted(line)}'")
        for option, (value, meaning) in command.options[name].items():
            what = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            among = f" -x -a '{' '.join(words(value))}'" if words(value) else " -r" if value else ""
            lines.append(
                f"complete -c macadam -n '__fish_seen_subcommand_from {name}' {what}{among} -d '{quoted(meaning)}'"
            )
    return "\n".join(lines) + "\n"


def main():
    command, folder = Command(sys.argv[1]), sys.argv[2]
    for name, make in (("macadam.1", manual), ("macadam", bash), ("_macadam", zsh), ("macadam.fish", fish)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(make(command))


if __name__ == "__main__":
    main()
