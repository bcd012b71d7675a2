"""Devices: which there are, which is used, and that answers are the processor's."""

import json
import os
import tempfile
import unittest
import unittest.mock

from support import CommandTest, run

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MODULE = os.environ.get("MACADAM_EMULATED_MODULE")
PLACE = ("--from", "node:1")


@unittest.skipUnless(MODULE, "no emulated devices are built")
class Devices(CommandTest):
    def setUp(self):
        super().setUp()
        os.environ["MACADAM_CUDA_MODULE"] = MODULE
        self.addCleanup(os.environ.pop, "MACADAM_CUDA_MODULE")

    def test_version_lists_them(self):
        lines = run("--version")[0].splitlines()
        listed = lines[lines.index("devices:") + 1 :]
        self.assertTrue(listed[0].startswith("  cpu: "))
        self.assertEqual(listed[1:], [f"  cuda:{n}: Emulated CUDA device {n}" for n in (0, 1)])

    def test_answers_are_the_processors(self):
        right = run("tree", self.file, *PLACE, "--device", "cpu")[0]
        for device in ("auto", "cuda", "cuda:1", "cuda:all"):
            self.assertEqual(run("tree", self.file, *PLACE, "--device", device)[0], right)

    def test_every_method_of_the_list_gives_the_same_answer_and_has_a_row_among_the_papers(self):
        with open(os.path.join(ROOT, "docs", "papers.md"), encoding="utf-8") as file:
            papers = file.read()
        for command, place in (("tree", PLACE), ("hops", PLACE), ("all-pairs", ("--quiet",))):
            right = run(command, self.file, *place, "--device", "cpu")[0]
            for device in ("cpu", "cuda"):
                listed = run(command, "--method", "help", "--device", device)[0].splitlines()
                names = [line.split()[0] for line in listed]
                self.assertEqual(names[0], "auto")
                for name in names:
                    found = run(command, self.file, *place, "--device", device, "--method", name)[0]
                    self.assertEqual(found, right, (command, device, name))
                    self.assertIn(f"`{name}`", papers)

    def test_a_method_that_the_device_lacks_is_refused_with_those_that_it_has(self):
        for device, method, others in (("cpu", "hybrid", "top-down"), ("cuda", "top-down", "hybrid")):
            command = ("hops", self.file, *PLACE, "--device", device, "--method", method)
            self.assertUsage(*command, says=f'"{method}" for hops on {device}')
            self.assertUsage(*command, says=others)

    def test_rates_are_measured_beside_a_device(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rates.csv")
            run("bench", self.file, "--calibrate", "--quiet", "-o", path)
            with open(path) as file:
                rows = file.read().splitlines()
        self.assertEqual(rows[0], "question,host_fixed,host_step,host_answer,device_fixed,device_step,device_answer")
        self.assertEqual(rows[1].split(",")[0], "trees")
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as rates:
            rates.write("\n".join(rows) + "\n")
            rates.flush()
            os.environ["MACADAM_RATES"] = rates.name
            self.addCleanup(os.environ.pop, "MACADAM_RATES")
            run("tree", self.file, *PLACE, "--device", "auto")
        self.assertUsage("bench", self.file, "--calibrate", "--device", "cpu", says="compares the CPU with a GPU")
        self.assertUsage("bench", self.file, "--calibrate", "-o", "rates.json", says="only csv")
        self.assertUsage("bench", self.file, "-o", "rates.csv", says="only json")

    def test_a_report_names_what_answered_and_why(self):
        for device, said in (("cuda", "answered by cuda:0"), ("cpu", "answered by cpu"), ("auto", "gained by a GPU")):
            report = run("tree", self.file, *PLACE, "--device", device, "--verbose")[1]
            self.assertIn(said, report)

    def test_a_report_says_that_a_gpu_is_full(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as rates:
            rates.write("trees,9000000000000,0,0,0,0,0\nopen,0,0,0,0,0,0\nplace,0,0,0,0,0,0\ncustomize,0,0,0,0,0,0\n")
            rates.flush()
            lacking = {"MACADAM_RATES": rates.name, "MCD_EMULATED_MEMORY": "1000"}
            with unittest.mock.patch.dict(os.environ, lacking):
                report = run("tree", self.file, *PLACE, "--verbose")[1]
        self.assertRegex(report, "answered by cpu.*; cuda:0 is full: 1000 of its 1000 bytes are free")

    def test_one_that_is_not_there_is_a_device_failure(self):
        said = run("tree", self.file, *PLACE, "--device", "cuda:2", "--json-errors", status=4)[1]
        self.assertIn('"cuda:2"', json.loads(said)["error"])


class NoDevices(CommandTest):
    def test_requested_one_is_a_device_failure(self):
        os.environ["MACADAM_CUDA_MODULE"] = "/nowhere"
        self.addCleanup(os.environ.pop, "MACADAM_CUDA_MODULE")
        self.assertIn("cpu", run("--version")[0])
        self.assertIn("macadam_cuda", run("tree", self.file, *PLACE, "--device", "cuda", status=4)[1])
        run("tree", self.file, *PLACE, "--device", "auto")
