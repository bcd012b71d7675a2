"""Writes the manual page of the command and its completions for bash, zsh and fish, from its own help:
command_pages.py COMMAND FOLDER.

--help explains the options that many commands share; that of a command explains its own, and names the shared ones that
it takes."""

import gzip
import os
import re
import subprocess
import sys
import textwrap
import time

SHARED = "Options that macadam --help explains:"
# Names of the map: the lines of `macadam info` that begin so name the values.
OF_MAPS = {"--profile": "profile|also", "--metric": "metric", "--quantities": "quantity"}
NAMES = "macadam info {} 2> /dev/null | sed -nE \"s/^({}) +([^ ]+).*/\\\\2/p\""


def ask(*arguments):
    wide = {**os.environ, "COLUMNS": "100000"}  # each paragraph is a line
    return subprocess.run(arguments, check=True, capture_output=True, text=True, env=wide).stdout


class Option:
    def __init__(self, name, value, help, of_map):
        self.value, self.help = value, help
        self.of_map = OF_MAPS.get(name) if of_map else None
        listed = re.search(r"(?:[a-z_]+, ){4,}[a-z_]+", help) if value in ("NAME", "FLAG[,FLAG]") else None
        among = listed.group().removesuffix(", or").split(", ") if listed else value.split("|")
        self.words = [word for word in among if re.fullmatch("[a-z][a-z0-9:_]*", word)]
        self.is_file = bool(re.search("FILE|PATH|DIR", value) or re.search("path of a file", help))

    @property
    def meaning(self):
        """Its help in short."""
        return re.split(r" \(|[:;,.]( |$)", self.help)[0]


class Command:
    def __init__(self, path):
        self.help = ask(path, "--help")
        self.version = ask(path, "--version").split("\n")[0]
        self.summary = dict(re.findall(r"^  ([a-z][a-z-]*)  +(\S.*)$", self.help, re.MULTILINE))
        self.usage = {name: ask(path, name, "--help") for name in self.summary}
        self.options = {name: self.options_of(path, name) for name in self.summary}

    def options_of(self, path, name):
        own, _, shared = self.usage[name].partition(SHARED)
        line = r"^  (--?[a-z-]+)(?: (\S+))?\n? {2,}(\S.*)$"
        found = {"--help": ("", "help")}
        found |= {it: about for it, *about in re.findall(line, own, re.MULTILINE)}
        found |= {it: about for it, *about in re.findall(line, self.help, re.MULTILINE) if it in shared.split()}
        if "--method" in found:
            methods = [line.split()[0] for line in ask(path, name, "--method", "help", "--device", "cpu").splitlines()]
            found["--method"] = ("|".join([*methods, "help"]), found["--method"][1])
        return {it: Option(it, *about, name != "import") for it, about in found.items()}


# ---- the manual page ----


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def filled(text):
    """Text in lines, none of which is a request."""
    lines = textwrap.wrap(roff(text), 78, break_long_words=False, break_on_hyphens=False)
    return "".join("\\&" * (line[0] in ".'") + line + "\n" for line in lines)


def body(text):
    """Paragraphs, and entries: indented lines with two columns."""
    out, after = "", ".PP\n"
    for line in re.sub(r"^(  -.*)\n {4,}", r"\1  ", text.strip("\n"), flags=re.MULTILINE).split("\n"):
        entry = re.fullmatch(r"  (\S.*?)  +(\S.*)", line)
        if entry:
            out += f".TP\n.B {roff(entry[1])}\n{filled(entry[2])}"
        elif line:
            out += after + filled(line)
        after = ".br\n" if line and not entry else ".PP\n"
    return out


def manual(command):
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    general, _, statuses = command.help.partition("\nExit status:\n")
    about, options, endings = re.fullmatch(r".*?\n\n.*?\n\n(.*?)\n\n(.*?)\n\n(.*)", general, re.DOTALL).groups()
    pages = ""
    for name, text in command.usage.items():
        usages, _, rest = text.partition("\n\n")
        own, _, shared = rest.partition(SHARED)
        usages = re.findall(r"macadam \S+ (.*)", usages)
        pages += f".SS {roff(name)}\n" + filled(command.summary[name][0].upper() + command.summary[name][1:] + ".")
        pages += "".join(f".PP\n.B macadam {roff(name)}\n{filled(usage)}" for usage in usages)
        pages += body(own) + (f".PP\nOptions that are explained below:\n{filled(shared.strip())}" if shared else "")
    return (
        f'.TH MACADAM 1 "{date}" "{command.version}"\n.SH NAME\nmacadam \\- routes, trees and matrices over road maps\n'
        f".SH SYNOPSIS\n.B macadam\n.I COMMAND\n.RI [ FILE ]\n.RI [ OPTIONS ]\n"
        f".SH DESCRIPTION\n{body(about).removeprefix('.PP' + chr(10))}.SH COMMANDS\n{pages}"
        f".SH OPTIONS\n{body(options)}{body(endings)}"
        f".SH EXIT STATUS\n{body(statuses)}"
        ".SH SEE ALSO\nThe guide, guide.md, is in the folder docs of this package's documentation.\n"
    )


# ---- completions ----


def bash(command):
    cases = "".join(
        f'        {name}) words="{" ".join(options)}" ;;\n' for name, options in command.options.items()
    )
    values = {}
    for name, options in command.options.items():
        for option, it in options.items():
            action = f'words="{" ".join(it.words)}"' if it.words else ""
            if it.of_map:
                action = "words=$(" + NAMES.format('"$file"', it.of_map) + ")"
            elif it.value and not it.is_file:
                action = f"{action + '; ' if action else ''}compopt +o default 2> /dev/null"
            if action:
                values.setdefault(action, []).append(f"{name}\\ {option}")
    values = "".join(f"        {'|'.join(patterns)}) {action} ;;\n" for action, patterns in values.items())
    return f"""# bash completion for macadam
_macadam() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} words= word file=
    if [ "$current" = = ]; then current=; fi
    if [ "$option" = = ]; then option=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
    for word in "${{COMP_WORDS[@]}}"; do # as they are typed: quoted
        word=${{word//[\\\\\\"\\']/}}
        if [ "${{word%.mcd}}" != "$word" ]; then file=${{word/#\\~\\//$HOME/}}; break; fi
    done
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{" ".join(command.summary)} --help --version"
    elif [ "${{current#-}}" != "$current" ]; then
        case ${{COMP_WORDS[1]}} in
{cases}        esac
    else
        case "${{COMP_WORDS[1]}} $option" in
{values}        esac
    fi
    COMPREPLY=($(compgen -P "${{current%"${{current##*,}}"}}" -W "$words" -- "${{current##*,}}"))
}}
complete -o default -F _macadam macadam
"""


def quoted(text, special=""):
    """For single quotes; with a backslash before each of the special characters."""
    return "".join("\\" + c if c in special else c for c in text.replace("'", ""))


def zsh(command):
    def spec(option, it):
        words = " ".join(word.replace(":", "\\:") for word in it.words)
        values = f'{{_macadam_names "{it.of_map}"}}' if it.of_map else f"({words})"
        if it.words and it.is_file:
            values = f'{{_alternative "values\\:value\\:({words})" "files\\:file\\:_files"}}'
        elif it.is_file:
            values = "_files"
        among = f":value:{values if it.words or it.of_map or it.is_file else ' '}" if it.value else ""
        repeated = "*" if "may be repeated" in it.help or "several" in it.help else ""
        return f"'{repeated}{option}[{quoted(it.meaning, '[]:')}]{among}'"

    commands = " ".join(f"'{name}:{quoted(line, ':')}'" for name, line in command.summary.items())
    cases = ""
    for name, options in command.options.items():
        specs = " \\\n            ".join(spec(option, it) for option, it in options.items())
        cases += f"        {name})\n            _arguments '*:file:_files' \\\n            {specs} ;;\n"
    return f"""#compdef macadam
_macadam_names() {{
    local -a found=(${{(f)"$({NAMES.format('"${(Q)words[(r)*.mcd]}"', '$1')})"}})
    compset -P '*,'
    compadd -a found
}}
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
    names = NAMES.format("(commandline -opc)[3]", "$argv")
    lines = ["# fish completion for macadam", f"function __macadam_names\n    {names}\nend"]
    for name, line in command.summary.items():
        lines.append(f"complete -c macadam -n __fish_use_subcommand -f -a {name} -d '{quoted(line)}'")
        for option, it in command.options[name].items():
            dashed = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            among = f"(__macadam_names \"{it.of_map}\")" if it.of_map else " ".join(it.words)
            values = (" -rF" if it.is_file and not it.of_map else " -x") + (f" -a '{among}'" if among else "")
            lines.append(
                f"complete -c macadam -n '__fish_seen_subcommand_from {name}' {dashed}{values if it.value else ''}"
                f" -d '{quoted(it.meaning)}'"
            )
    return "\n".join(lines) + "\n"


def main():
    command, folder = Command(sys.argv[1]), sys.argv[2]
    for name, make in (("macadam.1", manual), ("macadam", bash), ("_macadam", zsh), ("macadam.fish", fish)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(make(command))
    with open(os.path.join(folder, "macadam.1"), "rb") as plain, open(os.path.join(folder, "macadam.1.gz"), "wb") as packed:
        packed.write(gzip.compress(plain.read(), 9, mtime=0))


if __name__ == "__main__":
    main()
