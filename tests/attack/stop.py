"""Commands that are killed, that write to the same output, or that have few descriptors, little memory or a small
stack: whole files or none, and an error that says why.

Runs for ATTACK_SECONDS, with numbers drawn from ATTACK_SEED.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))

from support import COMMAND, CommandTest  # noqa: E402

SECONDS = float(os.environ.get("ATTACK_SECONDS", 3))
SEED = int(os.environ.get("ATTACK_SEED", 1))


class Stop(CommandTest):
    def setUp(self):
        self.output = self.path("out.mcd")
        self.weights = self.write("weights.csv", "arc,duration\n1,7\n2,9\n")
        self.write("places.csv", "node:1\nnode:5\nnode:17\n")
        self.writers = [
            ["import", "--weight", "duration=" + self.path("duration.gr"), "-o", self.output, "--quiet"],
            ["import", "--weight", "t=" + self.path("duration.gr"), "-o", self.output, "--quiet", "--no-hierarchy"],
            ["update", self.file, "--weights", self.weights, "-o", self.output],
        ]
        self.before = set(os.listdir(self.folder))

    def begin(self, arguments, **limits):
        def limit():
            for name, value in limits.items():
                resource.setrlimit(getattr(resource, name), (value, value))

        return subprocess.Popen([COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                preexec_fn=limit if limits else None)

    def finish(self, process):
        error = process.communicate()[1]
        return process.returncode, error

    def expect_whole(self):
        """The output is a whole file, and nothing else is there."""
        status, error = self.finish(self.begin(["info", self.output, "--verify"]))
        self.assertEqual(status, 0, error)
        self.assertEqual(set(os.listdir(self.folder)) - self.before, {"out.mcd"})
        os.remove(self.output)

    def test_killed_writers_leave_a_whole_file_or_none(self):
        rng = random.Random(SEED)
        begin = time.monotonic()
        self.finish(self.begin(self.writers[0]))
        longest = time.monotonic() - begin
        trials, end = 0, time.monotonic() + SECONDS / 2
        while trials < 20 or time.monotonic() < end:
            process = self.begin(rng.choice(self.writers))
            time.sleep(rng.uniform(0, longest))
            process.kill()
            self.finish(process)
            if os.path.exists(self.output):
                status, error = self.finish(self.begin(["info", self.output, "--verify"]))
                self.assertEqual(status, 0, error)
            trials += 1
        self.finish(self.begin(self.writers[0]))  # removes a name that was given just before a kill
        self.expect_whole()

    def test_two_writers_of_one_output_leave_the_file_of_one(self):
        for _ in range(max(3, int(SECONDS))):
            both = [self.begin(writer) for writer in random.sample(self.writers, 2)]
            for process in both:
                status, error = self.finish(process)
                self.assertEqual(status, 0, error)
            self.expect_whole()

    def expect_ends(self, arguments, where, **limits):
        """Done, or one line that says why not; never a signal, and no half file. Returns the exit status."""
        status, error = self.finish(self.begin(arguments, **limits))
        self.assertIn(status, (0, 2, 3, 4), f"{where}: {status}\n{error}")
        if status:
            self.assertEqual(error.count("\n"), 1, f"{where}: {error}")
        if os.path.exists(self.output):
            self.expect_whole()
        return status

    def test_few_descriptors(self):
        for count in range(4, 14):
            for arguments in (*self.writers, ["info", self.file, "--verify"]):
                self.expect_ends(arguments, f"{count} descriptors, {arguments[0]}", RLIMIT_NOFILE=count)

    def test_small_stack(self):
        questions = [["matrix", self.file, "--sources", self.path("places.csv"), "--targets", self.path("places.csv")],
                     ["all-pairs", self.file], ["tree", self.file, "--from", "node:1"]]
        for kilobytes in (128, 256, 1024):
            for arguments in (*self.writers, *questions):
                self.assertEqual(self.expect_ends(arguments, f"a stack of {kilobytes} KB, {arguments[0]}",
                                                  RLIMIT_STACK=kilobytes << 10), 0)

    def test_little_address_space(self):
        """Where the loader itself fails, the library has no say: it exits with 127."""
        statuses, megabytes = set(), 8
        while 0 not in statuses and megabytes < 4096:
            process = self.begin(self.writers[0], RLIMIT_AS=megabytes << 20)
            status, error = self.finish(process)
            if status not in (127, -signal.SIGKILL):
                self.assertIn(status, (0, 4), f"{megabytes} MB: {error}")
            statuses.add(status)
            megabytes = megabytes * 9 // 8 + 1
        self.expect_whole()


if __name__ == "__main__":
    unittest.main()
