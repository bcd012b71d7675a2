"""Tries the manual page and the completions: pages.py FOLDER COMMAND. Shells and man that are not there are passed over."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND, FOLDER = os.path.abspath(sys.argv.pop()), os.path.abspath(sys.argv.pop())
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUTE = {"--from", "--to", "--via", "--format", "--device", "--quiet"}
FROM, TIME = ("--from", "node:11"), ("--depart", "Mo08:15")
# Questions as few as show that each of their options works: one that another one excludes, or needs, takes a second.
ASKED = {
    "info": [()],
    "tree": [FROM, (*FROM, "--reverse"), (*FROM, *TIME)],
    "route": [(*FROM, "--to", "node:12", "--format", "json"), (*FROM, "--to", "node:12", *TIME)],
    "routes": [("--pairs", "pairs.csv"), ("--pairs", "pairs.csv", *TIME)],
    "matrix": [("--sources", "one.csv", "--targets", "one.csv", *more) for more in ((), TIME, ("--format", "vroom"), ("--fallback-speed", "9"))],
    "reach": [
        ("--sources", "one.csv", *more)
        for more in (("--limits", "9s"), ("--limits", "9s", "--reverse"), ("--limits", "9s", *TIME), ("--targets", "p.csv", "--nearest", "2"), ("--opportunities", "jobs.csv"))
    ],
    "isochrone": [(*FROM, "--limits", "9s", "--format", "geojson", *more) for more in ((), ("--reverse",), TIME)],
    "hops": [FROM],
    "connect": [(*FROM, "--to", "node:12")],
    "all-pairs": [(), ("plain.mcd",)],
    "closure": [("-o", "out.npy")],
    "snap": [("--places", "p.csv"), ("--places", "p.csv", *TIME)],
    "match": [("--traces", "t.csv", "--format", "json"), ("--traces", "t.csv", "--format", "json", *TIME)],
    "trip": [("--places", "p.csv"), ("--places", "p.csv", *TIME)],
    "update": [(f"--{name}s", f"{name}s.csv", "-o", "new.mcd") for name in ("weight", "turn", "speed")],
    "ready": [("-o", "ready.mcd")],
    "arcs": [()],
}
VALUES = {
    "--profile": "car", "--threads": "1", "--memory": "1G", "--heading": "10", "--metric": "duration",
    "--quantities": "distance", "--snap-radius": "500", "--avoid": "toll", "--avoid-area": "area.json", "--factor": "track=2",
    "--vehicle-height": "3", "--vehicle-width": "2", "--vehicle-length": "9", "--vehicle-weight": "9", "--axle-load": "3",
    "--slot": "Mo08:15", "--depart": "Mo08:15", "--arrive-by": "Mo08:15", "--utc-offset": "+01:00", "--values": "v.csv",
    "--fallback-speed": "40km/h", "--scale-factor": "1.2", "--alternatives": "1", "--width": "10", "--limit": "100", "--decay": "step:9s", "--percentiles": "50", "--via": "node:35",
}  # fmt: skip
FILES = {
    "p.csv": "node\n11\n12\n35\n", "one.csv": "node\n11\n", "pairs.csv": "source,target\n11,12\n", "v.csv": "node,value\n11,3\n",
    "jobs.csv": "node,jobs\n12,3\n",
    "t.csv": "lon,lat,time\n10.0,50.0,0\n10.001,50.0,9\n", "weights.csv": "arc,duration\n1,5\n",
    "speeds.csv": "way,direction,from,to,km/h\n10,1,Mo-Fr 07:00,09:30,36\n", "turns.csv": "from,via,to,duration\n11,12,13,5\n",
    "area.json": '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}',
    "plain.gr": "p sp 2 2\na 1 2 3\na 2 1 3\n",
}  # fmt: skip


def path(name):
    return os.path.join(FOLDER, name)


def ask(*arguments, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{arguments}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        for name, text in FILES.items():
            with open(os.path.join(cls.folder, name), "w") as file:
                file.write(text)
        os.environ["PATH"] = os.path.dirname(COMMAND) + os.pathsep + os.environ["PATH"]
        cls.run_here("import", os.path.join(ROOT, "examples/town.osm"), "-o", "town.mcd", "--quiet", check=True)
        cls.run_here("import", "--weight", "duration=plain.gr", "-o", "plain.mcd", "--quiet", check=True)
        general = cls.run_here("--help").stdout
        cls.commands = re.findall(r"^  ([a-z][a-z-]*)  +", general, re.MULTILINE)
        cls.help = {name: cls.run_here(name, "--help").stdout + general for name in cls.commands}
        cls.offered = dict(zip(cls.commands, cls.complete(*((name, "town.mcd", "-") for name in cls.commands))))
        asked = [(name, option) for name, options in cls.offered.items() for option in options]
        cls.values = dict(zip(asked, cls.complete(*((name, "town.mcd", option, "") for name, option in asked))))

    @classmethod
    def run_here(cls, *arguments, check=False):
        return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=check, cwd=cls.folder)

    @classmethod
    def complete(cls, *lines):
        """The completions by bash of the last word of each line."""
        script = ""
        for line in lines:
            words = " ".join(word or '""' for word in line)
            script += f'COMP_WORDS=(macadam {words}); COMP_CWORD={len(line)}; _macadam; echo "${{COMPREPLY[@]}}"\n'
        return [line.split() for line in ask("bash", "-uc", f". {path('macadam')}\n{script}", cwd=cls.folder).splitlines()]

    def test_bash_completes_commands_and_their_options(self):
        def complete(*words):
            return set(self.complete(words)[0])

        self.assertEqual(complete("ro"), {"route", "routes"})
        self.assertLessEqual(ROUTE, complete("route", "town.mcd", "--"))
        self.assertFalse({"--weights", "--heights"} & complete("route", "town.mcd", "--"))
        self.assertEqual(complete("tree", "town.mcd", "--method", "s"), {"sweep"})
        self.assertEqual(complete("route", "town.mcd", "--format", "p"), {"polyline5", "polyline6"})
        self.assertEqual(complete("route", "town.mcd", "--format", "=", "p"), {"polyline5", "polyline6"})
        self.assertEqual(complete("route", "town.mcd", "--quantities", "duration,di"), {"duration,distance"})
        self.assertEqual(complete("route", "town.mcd", "--avoid-area", "ar"), set())  # files, by bash itself
        self.assertEqual(complete("route", "town."), set())
        os.symlink("town.mcd", os.path.join(self.folder, "our town.mcd"))
        metrics = complete("route", "town.mcd", "--metric", "")
        self.assertTrue(metrics)
        for typed in r"'our\ town.mcd'", "'\"our town.mcd\"'":
            self.assertEqual(complete("route", typed, "--metric", ""), metrics)

    def test_commands_take_the_options_that_are_offered_and_no_others(self):
        pages = "bindings/cli/options.md", "bindings/options/options.md"
        text = "".join(Path(ROOT, page).read_text() for page in pages)
        names = re.findall(r"^## (\S+)", text, re.MULTILINE)
        known = {"-" * (1 + (len(name) > 1)) + name for name in names} | {"--help"}
        earlier = {f"--{name}" for name in re.findall(r"^- old: (\S+)", text, re.MULTILINE)}
        self.assertLessEqual({it for options in self.offered.values() for it in options}, known)
        for index, command in enumerate(self.commands):
            others = sorted(known - earlier - set(self.offered[command]))
            for option in others[index % 9 :: 9]:
                self.assertIn(f"has no option {option};", self.run_here(command, option, "1").stderr)

    def test_commands_take_all_values_that_are_offered(self):
        for command, options in self.offered.items():
            most = max(len(self.values[command, option]) for option in options)
            for index in range(most):
                line = [command]
                for option in options[1:]:
                    words = self.values[command, option] or [VALUES.get(option, "1")]
                    has_value = re.search(rf"^  {option} \S", self.help[command], re.MULTILINE)
                    line += [option, words[index % len(words)]] if has_value else [option]
                self.assertIn("usage: ", self.run_here(*line, "--help").stdout, line)

    def test_each_offered_option_of_a_question_works(self):
        def works(command, option):
            formats = self.values.get((command, "--format"), ["json"])
            value = f"out.{formats[0]}" if option == "-o" else (self.values[command, option] or [VALUES.get(option)])[0]
            for asked in ASKED[command]:
                if option in asked or option == "--help":
                    return True
                file = () if "plain.mcd" in asked else ("town.mcd",)
                done = self.run_here(command, *file, *asked, option, *([value] if value else []))
                if done.returncode == 0:
                    return True
            return done.stderr

        for command in ASKED:
            for option in self.offered[command]:
                self.assertIs(works(command, option), True, (command, option))

    def test_names_that_are_offered_are_those_of_the_map_or_those_that_an_error_lists(self):
        for command, asked in ("tree", ("--from", "node:1")), ("hops", ("--from", "node:1")), ("all-pairs", ()):
            for word in self.values[command, "--method"]:
                self.run_here(command, "plain.mcd", *asked, "--method", word, check=True)
        both = ["duration", "distance"]
        for option, taken in ("--profile", ["car"]), ("--metric", both), ("--quantities", both):
            for command in ASKED:
                self.assertEqual(self.values.get((command, option), taken), taken)
        error = self.run_here("tree", "town.mcd", *FROM, "--avoid", "bumps").stderr
        self.assertEqual(set(self.values["tree", "--avoid"]), set(error.partition(" is none of ")[2].strip().split(", ")))
        error = self.run_here("import", "x.osm", "--profile", "submarine", "-o", "x.mcd").stderr
        known = error.partition(" there are ")[2].partition(", and it")[0]
        self.assertEqual(set(self.values["import", "--profile"]), set(known.split(", ")))

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_completes_commands_and_their_options(self):
        def complete(line):
            said = ask("fish", "-c", f"source {path('macadam.fish')}; complete -C '{line}'", cwd=self.folder)
            return {word.split("\t")[0] for word in said.splitlines()}

        self.assertEqual(complete("macadam rout"), {"route", "routes"})
        self.assertLessEqual(ROUTE, complete("macadam route --"))
        self.assertNotIn("--weights", complete("macadam route --"))
        self.assertEqual(complete("macadam tree --method s"), {"sweep"})
        self.assertEqual(complete("macadam tree town.mcd --metric d"), {"duration", "distance"})
        self.assertEqual(complete("macadam tree town.mcd --avoid-area ar"), {"area.json"})
        self.assertEqual(complete("macadam tree town.mcd --from "), set())

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_describes_the_options_of_a_command(self):
        ask("zsh", "-n", path("_macadam"))
        stub = '_arguments() { state=rest; line=(tree); print -l -- "$@"; }'
        said = ask("zsh", "-fc", f"{stub}; source {path('_macadam')}")
        self.assertEqual(set(re.findall(r"^\*?(--?[a-z-]+)\[", said, re.MULTILINE)), set(self.offered["tree"]))

    def test_help_fits_80_columns(self):
        for text in self.help.values():
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
        wide = subprocess.run([COMMAND, "route", "--help"], capture_output=True, text=True, env={"COLUMNS": "120"}).stdout
        self.assertGreater(max(map(len, wide.splitlines())), 80)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_mandoc_finds_nothing_to_mend(self):
        self.assertEqual(ask("mandoc", "-T", "lint", "-W", "style", path("macadam.1")), "")

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_the_manual_has_all_commands_and_options_in_80_columns(self):
        text = ask("groff", "-man", "-Tascii", "-ww", "-P-cbou", "-rLL=80n", "-rHY=0", path("macadam.1"))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        text = re.sub(r"(?<=\S) +", " ", text)
        parts = re.split(r"^   (\S+)$", text.partition("\nOPTIONS\n")[0], flags=re.MULTILINE)[1:]
        self.assertEqual(parts[::2], self.commands)
        explained = set(re.findall(r"^       (--?[a-z-]+)\b", text.partition("\nOPTIONS\n")[2], re.MULTILINE))
        for command, part in zip(parts[::2], parts[1::2]):
            own = set(re.findall(r"^       (--?[a-z-]+)\b", part, re.MULTILINE))
            named = set(re.findall(r"--?[a-z-]+", part.partition("Options that are explained below:")[2]))
            self.assertLessEqual(named, explained)
            self.assertEqual(own | named | {"--help"}, set(self.offered[command]) | {"--help"}, command)


if __name__ == "__main__":
    unittest.main()
