"""Commands that get a signal to stop, or are killed: they end, and leave nothing."""

import os
import random
import signal
import subprocess
import time
import unittest

from support import COMMAND, CommandTest


class Signals(CommandTest):
    def begin(self, *arguments):
        return subprocess.Popen([COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_a_command_that_opens_a_fifo_ends_at_a_signal(self):
        os.mkfifo(self.path("never.gr"))
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.begin("import", "--weight", "t=" + self.path("never.gr"), "-o", self.path("out.mcd"))
            time.sleep(0.5)
            self.assertIsNone(process.poll())
            process.send_signal(number)
            self.assertEqual(process.wait(), -number)  # waits for ever if the command does

    def test_killed_imports_and_updates_leave_nothing(self):
        output = self.path("out.mcd")
        weights = self.write("weights.csv", "arc,duration\n1,7\n2,9\n")
        before = set(os.listdir(self.folder))
        commands = (
            ("import", "--weight", "duration=" + self.path("duration.gr"), "-o", output),
            ("update", self.file, "--weights", weights, "-o", output),
        )
        begin = time.monotonic()
        self.begin(*commands[0]).wait()
        longest = time.monotonic() - begin
        os.remove(output)
        for trial in range(40):
            process = self.begin(*commands[trial % len(commands)])
            time.sleep(random.uniform(0, longest))
            process.kill()
            process.wait()
        # A writer killed between naming its file and putting it in place leaves a name: the next one removes it.
        self.begin(*commands[0]).wait()
        self.assertEqual(set(os.listdir(self.folder)) - before, {"out.mcd"})


if __name__ == "__main__":
    unittest.main()
