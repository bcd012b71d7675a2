"""Writes the manual page of the command and its completions for bash, zsh and fish, from what the command itself says:
command_pages.py COMMAND FOLDER.

--help names the options and says what they mean. Which of them a command takes, and whether with a value, its own table of
options decides: each one is tried without anything else."""

import os
import re
import subprocess
import sys


def ask(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def meanings(text):
    """What a help text says of each option, in one line."""
    found = re.findall(r"^ +(--[a-z-]+)(?: [^ ]+)?  +(\S.*)$", text, re.MULTILINE)
    return {name: line.rstrip(":,") for name, line in found}


class Command:
    def __init__(self, path):
        self.help = ask(path, "--help")
        self.version = ask(path, "--version").split("\n")[0]
        self.summary = dict(re.findall(r"^  ([a-z][a-z-]*)  +(\S.*)$", self.help, re.MULTILINE))
        self.usage = {name: ask(path, name, "--help") for name in self.summary}
        self.options = {name: self.find_options(path, name) for name in self.summary}

    def find_options(self, path, command):
        """(option, whether it takes a value)."""
        named = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*|-o)\b", self.help + self.usage[command]))
        found = [("--help", False)]
        for option in sorted(named - {"--help", "--version"}):
            said = subprocess.run([path, command, option], stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if f"{command} has no option {option}" not in said.stderr:
                found.append((option, f"{option} needs a value" in said.stderr))
        return found

    def meaning(self, command, option):
        general = meanings(self.help).get(option, option[2:].replace("-", " "))
        return meanings(self.usage[command]).get(option, general)


def manual(command):
    def verbatim(text):
        lines = [line.replace("\\", "\\e").replace("-", "\\-") for line in text.rstrip("\n").split("\n")]
        return ".EX\n" + "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines) + "\n.EE\n"

    pages = "".join(f".SS {name}\n{verbatim(text)}" for name, text in command.usage.items())
    usage, _, rest = command.help.partition("\n\n")
    return (
        f'.TH MACADAM 1 "" "{command.version}"\n.SH NAME\nmacadam \\- routes, trees and matrices over road maps\n'
        f".SH SYNOPSIS\n.B macadam\n.I COMMAND\n.RI [ FILE ]\n.RI [ OPTIONS ]\n"
        f".SH DESCRIPTION\n{verbatim(rest)}.SH COMMANDS\n{pages}"
        ".SH SEE ALSO\nThe guide, guide.md, is in the folder docs of this package's documentation.\n"
    )


def bash(command):
    cases = "".join(
        f'        {name}) words="{" ".join(option for option, _ in options)}" ;;\n'
        for name, options in command.options.items()
    )
    return f"""# bash completion for macadam
_macadam() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{" ".join(command.summary)} --help --version"
    elif [ "${{current#-}}" != "$current" ]; then
        case ${{COMP_WORDS[1]}} in
{cases}        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _macadam macadam
"""


def quoted(text, special=""):
    """For single quotes; with a backslash before each of the special characters."""
    return "".join("\\" + c if c in special else c for c in text.replace("'", ""))


def zsh(command):
    commands = " ".join(f"'{name}:{quoted(line, ':')}'" for name, line in command.summary.items())
    cases = ""
    for name, options in command.options.items():
        specs = " \\\n            ".join(
            f"'{option}[{quoted(command.meaning(name, option), '[]:')}]{':value:_files' if value else ''}'"
            for option, value in options
        )
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
        for option, value in command.options[name]:
            meaning = quoted(command.meaning(name, option))
            what = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            lines.append(
                f"complete -c macadam -n '__fish_seen_subcommand_from {name}' {what}{' -r' if value else ''} -d '{meaning}'"
            )
    return "\n".join(lines) + "\n"


def main():
    command, folder = Command(sys.argv[1]), sys.argv[2]
    for name, make in (("macadam.1", manual), ("macadam", bash), ("_macadam", zsh), ("macadam.fish", fish)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(make(command))


if __name__ == "__main__":
    main()
