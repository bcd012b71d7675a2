"""Tries the manual page and the completions: pages.py FOLDER. Shells and man that are not there are passed over."""

import os
import shutil
import subprocess
import sys
import unittest

FOLDER = os.path.abspath(sys.argv.pop(1))
ROUTE = {"--from", "--to", "--via", "--format", "--device", "--quiet"}


def path(name):
    return os.path.join(FOLDER, name)


def ask(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{arguments}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Pages(unittest.TestCase):
    def test_bash_completes_commands_and_their_options(self):
        def complete(*words):
            script = f'. {path("macadam")}; COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _macadam'
            return set(ask("bash", "-uc", script + '; echo "${COMPREPLY[@]}"').split())

        self.assertEqual(complete("macadam", "ro"), {"route", "routes"})
        self.assertLessEqual(ROUTE, complete("macadam", "route", "town.mcd", "--"))
        self.assertFalse({"--weights", "--heights"} & complete("macadam", "route", "town.mcd", "--"))
        self.assertEqual(complete("macadam", "tree", "town.mcd", "--method", "s"), {"sweep"})
        self.assertEqual(complete("macadam", "route", "town.mcd", "--format", "p"), {"polyline5", "polyline6"})
        self.assertEqual(complete("macadam", "route", "town."), set())  # files, by bash itself

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_completes_commands_and_their_options(self):
        def complete(line):
            return {
                word.split("\t")[0]
                for word in ask("fish", "-c", f"source {path('macadam.fish')}; complete -C '{line}'").splitlines()
            }

        self.assertEqual(complete("macadam rout"), {"route", "routes"})
        self.assertLessEqual(ROUTE, complete("macadam route --"))
        self.assertNotIn("--weights", complete("macadam route --"))
        self.assertEqual(complete("macadam tree --method s"), {"sweep"})

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_reads_its_completion(self):
        ask("zsh", "-n", path("_macadam"))

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_the_manual_has_all_commands(self):
        text = ask("groff", "-man", "-Tascii", "-ww", path("macadam.1"))
        for command in ("import", "route", "matrix", "isochrone", "bench"):
            self.assertIn(f"usage: macadam {command}", text)


if __name__ == "__main__":
    unittest.main()
