"""The pages of the repository say what is so. tests/guide.py follows the guide."""

import glob
import os
import re
import struct
import subprocess
import sys
import unittest

from support import CommandTest, run, write_heights

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGES = [
    os.path.relpath(path, ROOT)
    for pattern in ("*.md", "docs/*.md", "docs/*/*.md")
    for path in sorted(glob.glob(os.path.join(ROOT, pattern)))
]


def read(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


def anchors(text):
    """The anchors of a page's headings, as GitHub names them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def sections_of(page):
    """Name -> element size, from the tables of docs/edge-file.md."""
    sizes = {"u8": 1, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "bytes": 1}
    found, last = {}, ""
    for names, elements in re.findall(r"^\| (`.*?`) \| (\w+)", page, re.MULTILINE):
        for name in re.findall(r"`([^`]+)`", names):
            full = last.rsplit(".", 1)[0] + name if name.startswith(".") else name
            found[full] = sizes[elements]
            last = full
    return found


class Pages(CommandTest):
    def test_readme_holds_the_example_as_it_is_compiled(self):
        self.assertIn("```c\n" + read("examples/matrix.c") + "```\n", read("README.md"))

    def test_commands_have_the_options_that_pages_name(self):
        general, found = run("--help")[0], 0
        for page in PAGES:
            for line in re.findall(r"^macadam [a-z][\w-]* .*$", read(page), re.MULTILINE):
                usage = run(line.split()[1], "--help")[0] + general
                for option in re.findall(r" (--[a-z-]+|-o)\b", line.split(" #")[0].split("|")[0]):
                    found += 1
                    with self.subTest(page=page, line=line, option=option):
                        self.assertIn(option, usage)
        self.assertGreater(found, 40)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            text = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                with self.subTest(page=page, target=target):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)))
                    if anchor:
                        self.assertIn(anchor, anchors(read(path)))

    def test_names_of_the_interface_are_those_of_the_headers(self):
        headers = read("engine/include/macadam.h") + read("bindings/formats/macadam_formats.h")
        known = set(re.findall(r"macadam_\w+", headers)) | {"macadam_noun_verb", "macadam_baseline_"}
        for page in PAGES:
            if page != "CHANGELOG.md":  # history
                with self.subTest(page=page):
                    self.assertEqual(set(re.findall(r"\bmacadam_\w+", read(page))) - known, set())

    def test_every_question_has_a_row_that_says_where_it_is_answered(self):
        calls = re.findall(r"^MACADAM_API [^;]*?\b(macadam_\w+)\(([^;]*)\);", read("engine/include/macadam.h"), re.MULTILINE)
        apart = re.compile("macadam_(memory|call|engine_(open|close|of_profile|trim|info|ids|node_ids))")
        asked = {name for name, given in calls if "macadam_engine *engine" in given and not apart.match(name)}
        rows = re.findall(r"^\|.*\|$", read("docs/reference/devices.md"), re.MULTILINE)
        self.assertGreater(len(asked), 25)
        self.assertEqual(asked - set(re.findall(r"`(macadam_\w+)`", " ".join(rows))), set())

    def test_files_that_pages_name_are_there(self):
        for name in PAGES:
            if name == "CHANGELOG.md":  # history
                continue
            for path in re.findall(r"`((?:bindings|engine|importers|kernels|tests)/[\w/]+\.\w+)`", read(name)):
                with self.subTest(page=name, path=path):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)))

    def test_every_section_of_a_file_is_described(self):
        path = self.path("sections.mcd")
        town = read("examples/town.osm").replace("</way>", '<tag k="maxheight" v="3"/>TIMED</way>', 1)
        town = town.replace("TIMED", '<tag k="maxspeed:conditional" v="20 @ (Mo; PH off); 10 @ (weight>3.5)"/>'
                            '<tag k="oneway" v="yes"/><tag k="oneway:conditional" v="no @ (Tu)"/>'
                            '<tag k="name:pronunciation" v="west"/>')
        members = ((1, "way", "from"), (1, "node", "via"), (2, "way", "to"))
        maneuver = "".join(f'<member ref="{ref}" type="{kind}" role="{role}"/>' for ref, kind, role in members)
        tags = '<tag k="type" v="maneuver"/><tag k="maneuver" v="turn"/>'
        town = town.replace("</osm>", f'<relation id="9">{maneuver}{tags}</relation></osm>')
        write_heights(self.folder, "N50E010", 1)
        file = self.write("limited.osm", town)
        vehicle = self.write("my.vehicle", "mass 1000")
        described, found = sections_of(read("docs/edge-file.md")), set()
        updated, weights = self.path("updated.mcd"), self.write("weights.csv", "arc,duration\n1,5000\n")
        speeds = self.write("speeds.csv", "1,1,Mo-Fr 07:00,09:30,5")
        given = ["import", file, "--speeds", speeds, "--heights", self.folder, "--vehicle", vehicle, "--node-ids", "-o", path]
        update = ["update", path, "--weights", weights, "-o", updated]
        for made, command in (path, [*given, "--ready"]), (path, given), (updated, update):
            run(*command)
            with open(made, "rb") as opened:
                data = opened.read()
            directory, count = struct.unpack_from("<QI", data, 24)
            for i in range(count):
                name, _, _, _, element = struct.unpack_from("<64sQQQI", data, directory + 104 * i)
                name = name.rstrip(b"\0").decode()
                name = re.sub(r"^(weight|compact_weight|weight_counts|changed_arc|potential)\..*", r"\1.Q", name)
                name = re.sub(r"^(kept)\.\w+\.(?:forward|backward)", r"\1.M.D", name)
                name = re.sub(r"^(basic)\.\w+", r"\1.M", name)
                found.add(name)
                with self.subTest(section=name):
                    self.assertEqual(described.get(name), element)
        self.assertEqual(set(described) - found, set())

    def test_pages_of_options_are_read_line_by_line(self):
        page, table = self.path("page.md"), self.path("table.inc")
        script = os.path.join(ROOT, "bindings", "options", "options.py")
        for line in ("- least: 1", "- is-right: foo", "-least: 1", "- least:1", "- sets: FLAG b"):
            is_right = line == "- least: 1"
            with self.subTest(line=line):
                with open(page, "w", encoding="utf-8") as file:
                    file.write(f"# Options\n\n## avoid\n\n- questions: ALL\n- sets: FLAG a\n{line}\n\nno \U0001f6a7\n")
                done = subprocess.run([sys.executable, script, page, table], capture_output=True, text=True)
                self.assertEqual(done.returncode == 0, is_right, done.stderr)
                if not is_right:
                    self.assertIn("page.md: ", done.stderr)
                with open(table, encoding="utf-8") as file:
                    self.assertEqual("\U0001f6a7" in file.read(), is_right)

    def test_every_structure_has_its_way_to_grow(self):
        header = re.sub(r"/\*.*?\*/", "", read("engine/include/macadam.h"), flags=re.DOTALL)
        kinds = {}
        for name, body in re.findall(r"typedef struct (macadam_\w+) \{(.*?)\n\} \1;", header, re.DOTALL):
            kinds.setdefault("size" if body.lstrip().startswith("size_t size;") else "reserved" if "reserved" in body else "", set()).add(name)
        self.assertGreater(len(kinds["size"]), 20)
        rows = [set(re.findall(r"`(macadam_\w+)`", line.split("(")[0])) for line in read("docs/abi.md").splitlines() if line.startswith("| ")]
        sized, filled, given, pointers, pinned = [row for row in rows if row]
        self.assertEqual(sized - kinds["size"], set())
        self.assertEqual(filled | given, kinds["reserved"])
        self.assertEqual(pointers | pinned, kinds[""])

    def test_every_word_of_a_profile_is_explained(self):
        source, page = read("importers/osm/rules/profile_file.c"), read("docs/profiles.md")
        settings = re.findall(r'^    \{"(\w+)", (?:OWN|NUMBER|CHOICE)\(', source, re.MULTILINE)
        choices = re.findall(r'CHOICE\(\w+, (.*?)\)\}', source)
        sections = re.findall(r'\[MCD_PROFILE_\w+\] = \{"(\w+)"', source)
        flags = re.findall(r'"(\w+)"', re.search(r"flag\w*\[\w*\] = \{(.*?)\}", source, re.DOTALL).group(1))
        for words in (settings, choices, sections, flags):
            self.assertGreater(len(words), 3)
        for word in settings + flags + [value for line in choices for value in re.findall(r"\w+", line)]:
            with self.subTest(word=word):
                self.assertTrue(re.search(rf"`[^`]*\b{word}\b[^`]*`", page))
        for section in sections:
            with self.subTest(section=section):
                self.assertIn(f"`[{section}", page)

    def test_the_example_of_a_profile_is_one(self):
        (profile,) = re.findall(r"```profile\n(.*?)```", read("docs/profiles.md"), re.DOTALL)
        path, map_path = self.path("cargo.profile"), self.path("town.mcd")
        with open(path, "w") as file:
            file.write(profile)
        town = os.path.join(ROOT, "examples", "town.osm")
        run("import", town, "--profile", path, "-o", map_path)
        self.assertIn("profile       cargo\n", run("info", map_path)[0])
        # Market Street at 16 km/h, not at the 50 of its sign: 142.945 m, and 10 s at the signals of 23.
        route = run("route", map_path, "--from", "node:22", "--to", "node:23")[0]
        self.assertIn("\n22,23,11,42262\n", route)


if __name__ == "__main__":
    unittest.main()
