"""README.md shows what is in the repository."""

import os
import re
import unittest

from support import run

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")


def read(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


class Readme(unittest.TestCase):
    def test_holds_the_example_as_it_is_compiled(self):
        self.assertIn("```c\n" + read("examples/route.c") + "```\n", read("README.md"))

    def test_names_commands_and_options_that_there_are(self):
        commands = re.findall(r"^macadam ([\w-]+) .*$", read("README.md"), re.MULTILINE)
        self.assertEqual(len(commands), 17)
        for line in re.findall(r"^macadam [\w-]+ .*$", read("README.md"), re.MULTILINE):
            usage = run(line.split()[1], "--help")[0] + run("--help")[0]
            for option in re.findall(r" (--?[a-z]+)", line):
                with self.subTest(line=line, option=option):
                    self.assertIn(option, usage)


if __name__ == "__main__":
    unittest.main()
