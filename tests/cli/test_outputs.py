"""The option -o: no output destroys an input, and each failure has one exit status over all commands."""

import os
import re
import resource
import subprocess
import unittest

from support import COMMAND, CommandTest, run

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
USAGE, RESOURCE = 2, 4


class OutputTest(CommandTest):
    """Every command with what it needs: `asked[command]` is (arguments, an extension that it writes)."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in (
            ("places.csv", "node:1\nnode:9\n"),
            ("points.csv", "lon,lat\n10.0021,49.9999\n10.0019,50.0027\n"),
            ("pairs.csv", "source,target\n1,9\n"),
            ("weights.csv", "tail,head,duration\n1,2,7\n"),
            ("values.csv", "node,value\n1,5\n"),
            ("area.geojson", '{"type": "Polygon", "coordinates": [[[1, 2], [3, 4], [5, 1], [1, 2]]]}'),
        ):
            with open(cls.path(name), "w") as file:
                file.write(text)
        run("import", os.path.join(ROOT, "examples", "town.osm"), "-o", cls.path("town.mcd"), "--quiet")
        places, points, on_file = cls.path("places.csv"), cls.path("points.csv"), [cls.file]
        weights = [f"--weight=duration={cls.path('duration.gr')}", f"--coords={cls.path('map.co')}"]
        cls.asked = {
            "import": (weights, "mcd"),
            "info": (on_file, "json"),
            "tree": (on_file + ["--from", "node:1"], "csv"),
            "route": (on_file + ["--from", "node:1", "--to", "node:9"], "csv"),
            "routes": (on_file + ["--pairs", cls.path("pairs.csv")], "csv"),
            "matrix": (on_file + ["--sources", places, "--targets", places], "csv"),
            "reach": (on_file + ["--sources", places, "--limits", "5", "--values", cls.path("values.csv")], "csv"),
            "isochrone": (on_file + ["--from", "node:1", "--limits", "5"], "csv"),
            "hops": (on_file + ["--from", "node:1"], "csv"),
            "connect": (on_file + ["--from", "node:1", "--to", "node:9"], "csv"),
            "all-pairs": (on_file, "npy"),
            "closure": (on_file, "npy"),
            "snap": (on_file + ["--places", points], "csv"),
            "match": ([cls.path("town.mcd")] + ["--traces", points], "csv"),
            "trip": (on_file + ["--places", places], "csv"),
            "update": (on_file + ["--weights", cls.path("weights.csv")], "mcd"),
            "ready": (on_file, "mcd"),
            "bench": (on_file, "json"),
            "arcs": (on_file, "csv"),
        }

    def ask(self, command, output, *more, limit=None, stdout=subprocess.PIPE):
        """Runs the command with -o; `limit`: the most bytes that its files may have."""
        arguments, _ = self.asked[command]
        output = ["-o", output] if output else []
        return subprocess.run(
            [COMMAND, command, *arguments, *more, *output, "--quiet"],
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )

    def assertFails(self, done, status, says):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(says, done.stderr)


class Inputs(OutputTest):
    def assertKept(self, path, command, *more, output=None):
        with open(path, "rb") as file:
            before = file.read()
        self.assertFails(self.ask(command, output or path, *more), USAGE, "the same file as the input")
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_an_output_is_none_of_the_inputs(self):
        for command, (arguments, extension) in self.asked.items():
            format = [] if extension in ("mcd", "json") else ["--format", extension]
            inputs = re.findall(rf"{self.folder}/[\w.]+", " ".join(arguments))
            for path in dict.fromkeys(inputs):
                with self.subTest(command=command, path=path):
                    link = self.path(f"link.{extension}")
                    os.symlink(path, link)
                    self.assertKept(path, command, output=link)
                    os.remove(link)
                    if extension != "json":  # of info and bench, which have no --format
                        self.assertKept(path, command, *format)

    def test_links_and_other_spellings_are_seen_through(self):
        places = self.path("places.csv")
        soft, hard, folder = self.path("soft.csv"), self.path("hard.csv"), self.path("folder")
        os.symlink("places.csv", soft)
        os.link(places, hard)
        os.symlink(self.folder, folder)
        for output in (soft, hard, f"{folder}/places.csv", f"{self.folder}/../{os.path.basename(self.folder)}/places.csv"):
            with self.subTest(output=output):
                self.assertKept(places, "matrix", output=output)
                self.assertTrue(os.path.exists(output))
        with open(places) as file:
            done = subprocess.run(
                [COMMAND, "snap", self.file, "--places", "-", "-o", places], stdin=file, stderr=subprocess.PIPE, text=True
            )
        self.assertFails(done, USAGE, "the same file as the input")

    def test_standard_output_is_not_appended_to_an_input(self):
        for command, (arguments, _) in self.asked.items():
            inputs = [it for it in arguments if it.startswith(self.folder)]
            if command in ("import", "closure", "update", "ready"):
                continue  # they need -o
            for path in dict.fromkeys(inputs):
                with self.subTest(command=command, path=path), open(path, "ab") as end:
                    size = os.path.getsize(path)
                    self.assertFails(self.ask(command, None, stdout=end), USAGE, "the same file as the input")
                    self.assertFails(self.ask(command, "-", stdout=end), USAGE, "the same file as the input")
                    self.assertEqual(os.path.getsize(path), size)
        places = self.path("points.csv")
        with open(places) as file, open(places, "ab") as end:
            arguments = [COMMAND, "snap", self.file, "--places", "-"]
            done = subprocess.run(arguments, stdin=file, stdout=end, stderr=subprocess.PIPE, text=True)
        self.assertFails(done, USAGE, "the same file as the input")

    def test_an_output_has_a_name(self):
        for command in self.asked:
            self.assertFails(self.ask(command, None, "-o", ""), USAGE, "-o: the name of the file is empty")

    def test_files_of_conditions_are_inputs(self):
        area = self.path("area.geojson")
        self.assertKept(area, "tree", "--avoid-area", area, "--format", "csv")

    def test_imports_keep_what_they_read(self):
        town = self.path("town.osm")
        with open(os.path.join(ROOT, "examples", "town.osm")) as file:
            self.write("town.osm", file.read())
        order = self.write("order.txt", "".join(f"{node}\n" for node in range(1, 52)))
        profile = self.write("own.profile", "name own\nbase car\n")
        second = self.write("second.osm", '<osm version="0.6"></osm>')
        for arguments, path in (
            ([town], town),
            ([town, second], second),
            ([town, "--profile", profile], profile),
            ([*self.asked["import"][0], "--order", order], order),
        ):
            with self.subTest(path=path), open(path, "rb") as file:
                before = file.read()
                error = run("import", *arguments, "-o", path, "--quiet", status=USAGE)[1]
                self.assertIn("the same file as the input", error)
                with open(path, "rb") as again:
                    self.assertEqual(again.read(), before)

    def test_an_output_that_is_another_file_is_replaced(self):
        output = self.write("old.csv", "old\n")
        self.assertEqual(self.ask("arcs", output).returncode, 0)
        with open(output) as file:
            self.assertTrue(file.read().startswith("arc,tail,head"))

    def test_the_example_of_the_readme_writes_over_no_map(self):
        with open(self.file, "rb") as file:
            before = file.read()
        subprocess.run([os.environ["MACADAM_EXAMPLE"], self.file], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        with open(self.file, "rb") as file:
            self.assertEqual(file.read(), before)


class ExitStatuses(OutputTest):
    def test_every_command_is_covered(self):
        named = re.search(r"there are (.*)", run("teleport", status=USAGE)[1]).group(1)
        self.assertEqual(set(named.split(", ")) - {"serve"}, set(self.asked))  # serve writes nothing

    def failures(self):
        """(output without its extension, status, reason)"""
        os.makedirs(self.path("a_folder.csv"), exist_ok=True)
        locked = self.path("locked")
        os.makedirs(locked, exist_ok=True)
        os.chmod(locked, 0o500)
        yield self.path("missing/out"), USAGE, "No such file or directory"
        yield self.path("places.csv/out"), USAGE, "Not a directory"
        if os.geteuid() != 0:
            yield f"{locked}/out", USAGE, "Permission denied"

    def test_an_output_that_cannot_be_opened_is_exit_2(self):
        for output, status, reason in self.failures():
            for command, (_, extension) in self.asked.items():
                with self.subTest(command=command, output=output):
                    self.assertFails(self.ask(command, f"{output}.{extension}"), status, reason)

    def test_a_folder_as_output_is_exit_2(self):
        for command, (_, extension) in self.asked.items():
            with self.subTest(command=command):
                folder = self.path(f"folder.{extension}")
                os.makedirs(folder, exist_ok=True)
                self.assertFails(self.ask(command, folder), USAGE, "Is a directory")

    def test_a_full_disk_is_exit_4_and_leaves_no_file(self):
        for command, (_, extension) in self.asked.items():
            for limit in (0, 1):  # found before the work begins; when the answer is written
                with self.subTest(command=command, limit=limit):
                    done = self.ask(command, self.path(f"full.{extension}"), limit=limit)
                    self.assertFails(done, RESOURCE, "File too large")
                    self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("full")], [])

    def test_a_full_device_is_exit_4(self):
        for command, (_, extension) in self.asked.items():
            if extension in ("mcd", "npy"):
                continue  # these are renamed into place: no device takes them
            with self.subTest(command=command):
                link = self.path(f"device.{extension}")
                if not os.path.islink(link):
                    os.symlink("/dev/full", link)
                self.assertFails(self.ask(command, link), RESOURCE, "No space left on device")
                with open("/dev/full", "w") as full:
                    self.assertFails(self.ask(command, None, stdout=full), RESOURCE, "standard output")

    def test_a_large_answer_to_a_full_device_has_its_status(self):
        places = self.write("many.csv", "node:1\nnode:9\n" * 100)
        asked = ["matrix", self.file, "--sources", places, "--targets", places, "--format", "npy", "--json-errors"]
        with open("/dev/full", "w") as full:
            done = subprocess.run([COMMAND, *asked], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertFails(done, RESOURCE, '"status":"disk full"')

    def test_a_name_is_not_a_reason(self):
        for reason in ("No space left on device", "File too large"):
            self.assertIn("No such file", run("info", self.path(f"{reason}.mcd"), status=3)[1])

    def test_help_to_a_full_device_is_exit_4(self):
        for arguments in (["--help"], ["--version"], ["tree", "--help"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertFails(done, RESOURCE, "standard output")

    def test_an_output_is_checked_before_the_work_begins(self):
        for command, (arguments, extension) in self.asked.items():
            with self.subTest(command=command):
                missing = [it.replace(self.folder, self.path("missing")) for it in arguments]
                output = ["-o", self.path(f"missing/out.{extension}"), "--quiet"]
                self.assertIn("-o ", run(command, *missing, *output, status=USAGE)[1])

    def test_a_folder_of_heights_is_looked_for_first(self):
        error = run("import", "x.osm", "--heights", self.path("missing"), "-o", self.path("x.mcd"), status=3)[1]
        self.assertIn("cannot open", error)
        self.assertIn("missing", error)

    def test_a_tile_of_heights_is_not_written_over(self):
        folder = self.path("tiles")
        os.makedirs(folder, exist_ok=True)
        tile = self.write("tiles/N50E010.hgt", "heights")
        link = self.path("link.mcd")
        os.symlink(tile, link)
        for output in (tile, link):
            error = run("import", os.path.join(ROOT, "examples", "town.osm"), "--heights", folder, "-o", output, status=USAGE)[1]
            self.assertIn("is the same file as the input", error)
        with open(tile) as file:
            self.assertEqual(file.read(), "heights")

    def test_messages_do_not_go_into_an_answer_when_streams_are_closed(self):
        places = self.write("far.csv", "lon,lat\n10,50\n99,9\n")  # one message, and one answer
        asked = [COMMAND, "matrix", self.file, "--sources", places, "--targets", places, "-o"]
        answer, opened = self.path("answer"), {}
        for closed in ((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
            for extension in (".csv", ".csv.gz", ".npy"):
                with self.subTest(closed=closed, extension=extension):
                    done = subprocess.run(
                        [*asked, answer + extension],
                        stderr=subprocess.PIPE,
                        preexec_fn=lambda: [os.close(it) for it in closed],
                    )
                    self.assertEqual(done.returncode, 0)
                    self.assertEqual(b"no road" in done.stderr, 2 not in closed)
                    with open(answer + extension, "rb") as file:
                        written = file.read()
                    self.assertEqual(written, opened.setdefault(extension, written))

    def test_a_link_stays_when_the_answer_fails(self):
        target, link = self.path("answer.csv"), self.path("answer-link.csv")
        os.symlink(target, link)
        self.assertFails(self.ask("tree", link, limit=8), RESOURCE, "File too large")
        self.assertTrue(os.path.islink(link))

    def test_checking_leaves_everything_as_it_is(self):
        old = self.write("old.csv", "old\n")
        before = sorted(os.listdir(self.folder))
        for output in (old, self.path("new.csv")):
            run("tree", self.path("missing.mcd"), "--from", "node:1", "-o", output, status=3)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        with open(old) as file:
            self.assertEqual(file.read(), "old\n")

    def test_help_lists_the_statuses(self):
        text = run("--help")[0]
        for number in range(5):
            self.assertRegex(text, rf"(?m)^  {number}  ")


if __name__ == "__main__":
    unittest.main()
