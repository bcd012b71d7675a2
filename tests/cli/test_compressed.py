"""Outputs and inputs that are compressed: .gz and .zst."""

import gzip
import json
import os
import resource
import shutil
import subprocess
import unittest

from support import COMMAND, CommandTest, run


def read(path, mode="rb"):
    with open(path, mode) as file:
        return file.read()


class Compressed(CommandTest):
    def write_bytes(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def asked(self):
        lines = [f"stop {node},{lon},{lat}\n" for node, (lon, lat) in list(self.map.coordinates.items())[:40]]
        stops = self.write("stops.csv", "id,lon,lat\n" + "".join(lines))
        both = ("--sources", stops, "--targets", stops)
        return [
            (("matrix", self.file, *both), ("csv", "json", "npy", "arrow", "vroom")),
            (("tree", self.file, "--from", "node:1"), ("csv", "json", "npy")),
            (("route", self.file, "--from", "node:1", "--to", "node:9"), ("json", "geojson", "polyline5", "html")),
            (("all-pairs", self.file), ("npy",)),
            (("snap", self.file, "--places", stops), ("csv", "json")),
            (("arcs", self.file), ("csv",)),
        ]

    def test_every_format_is_the_plain_one_when_it_is_unpacked(self):
        for ask, formats in self.asked():
            for format in formats:
                with self.subTest(ask=ask[0], format=format):
                    plain, gz, zst = (self.path(f"out.{format}{end}") for end in ("", ".gz", ".zst"))
                    for path in (plain, gz, zst):
                        run(*ask, "--format", format, "-o", path, "--quiet")
                    self.assertEqual(gzip.decompress(read(gz)), read(plain))
                    self.assertEqual(read(zst)[:4], b"\x28\xb5\x2f\xfd")
                    if shutil.which("zstd"):
                        self.assertEqual(subprocess.run(["zstd", "-qdc", zst], capture_output=True, check=True).stdout, read(plain))

    def test_the_extension_before_names_the_format(self):
        path = self.path("tree.json.gz")
        run("tree", self.file, "--from", "node:1", "-o", path)
        self.assertEqual(json.loads(gzip.decompress(read(path)))[0], {"node": 1, "duration": 0})
        error = run("tree", self.file, "--from", "node:1", "-o", self.path("tree.gz"), status=2)[1]
        self.assertIn("the extension names no format", error)

    def test_large_outputs_and_inputs_are_whole(self):
        """More than the buffers hold."""
        node, (lon, lat) = next(iter(self.map.coordinates.items()))
        many = self.write("many.csv", "lon,lat\n" + "".join(f"{lon + i % 977 / 1e6},{lat}\n" for i in range(60000)))
        run("snap", self.file, "--places", many, "-o", self.path("plain.csv"))
        plain = read(self.path("plain.csv"))
        self.assertGreater(len(plain), 2**21)
        for end in ("gz", "zst"):
            with self.subTest(end=end):
                packed, again = self.path(f"snapped.csv.{end}"), self.path(f"again.csv.{end}.csv")
                run("snap", self.file, "--places", many, "-o", packed)
                run("snap", self.file, "--places", packed, "-o", again)  # it has the columns lon and lat
                run("snap", self.file, "--places", self.path("plain.csv"), "-o", self.path("expected.csv"))
                self.assertEqual(read(again), read(self.path("expected.csv")))
                with open(packed) as file:
                    done = subprocess.run([COMMAND, "snap", self.file, "--places", "-"], stdin=file, capture_output=True, check=True)
                self.assertEqual(done.stdout, read(again))

    def test_members_of_gzip_may_follow_each_other(self):
        parts = b"node\n1\n", b"9\n" * 3
        path = self.write_bytes("parts.csv.gz", b"".join(map(gzip.compress, parts)))
        plain = self.write_bytes("parts.csv", b"".join(parts))
        self.assertEqual(run("snap", self.file, "--places", path)[0], run("snap", self.file, "--places", plain)[0])

    def test_zeros_after_gzip_and_frames_without_data_are_skipped(self):
        stops = self.write("stops.csv", "node\n1\n9\n")
        plain = run("snap", self.file, "--places", stops, "-o", self.path("s.csv.zst")) and run("snap", self.file, "--places", stops)[0]
        padded = self.write_bytes("padded.gz", gzip.compress(read(stops)) + bytes(100))
        self.assertEqual(run("snap", self.file, "--places", padded)[0], plain)
        again = run("snap", self.file, "--places", self.path("s.csv.zst"))[0]
        skipped = self.write_bytes("skipped.zst", b"\x5a\x2a\x4d\x18\3\0\0\0abc" + read(self.path("s.csv.zst")))
        self.assertEqual(run("snap", self.file, "--places", skipped)[0], again)

    def test_damaged_inputs_are_refused(self):
        stops = self.write("stops.csv", "node\n" + "1\n9\n25\n" * 5000)
        run("snap", self.file, "--places", stops, "-o", self.path("s.csv.zst"))
        for name, data in (("s.gz", gzip.compress(read(stops))), ("s.zst", read(self.path("s.csv.zst")))):
            for what, bad in (("cut", data[:-5]), ("cut early", data[:9]), ("flipped", data[:30] + bytes([data[30] ^ 255]) + data[31:]), ("followed", data + b"?"), ("followed by text", data + read(stops)),
                              ("second cut early", data + data[:1]), ("second flipped", data + b"?" + data[1:])):
                with self.subTest(name=name, what=what):
                    path = self.write_bytes(name, bad)
                    self.assertIn(f"{path}: the compressed data are damaged or cut off", run("snap", self.file, "--places", path, status=3)[1])

    def test_what_the_library_writes_is_refused(self):
        error = run("closure", self.file, "-o", self.path("c.npy.gz"), status=2)[1]
        self.assertIn("closure writes no compressed file", error)
        error = run("ready", self.file, "-o", self.path("c.mcd.gz"), status=2)[1]
        self.assertIn("ready writes no compressed file", error)
        self.assertFalse(os.path.exists(self.path("c.npy.gz")))

    def test_a_full_disk_leaves_no_file(self):
        for end in ("gz", "zst"):
            path = self.path(f"big.csv.{end}")
            done = subprocess.run([COMMAND, "all-pairs", self.file, "--format", "csv", "-o", path, "--quiet"], capture_output=True, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))  # fmt: skip
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    unittest.main()
