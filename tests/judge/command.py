"""The `macadam` command, asked about one imported map."""

import csv
import io
import subprocess
import tempfile

FAR = 2_000_000_000  # a limit beyond every cost


class MapFile:
    def __init__(self, command, raw_paths, profile, folder):
        """`raw_paths`: one file or several of one map."""
        paths = [raw_paths] if isinstance(raw_paths, str) else raw_paths
        self.command, self.folder, self.file = command, folder, f"{folder}/{profile}.mcd"
        self.run("import", *paths, "--profile", profile, "-o", self.file, "--quiet")

    def run(self, *arguments):
        done = subprocess.run([self.command, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def rows(self, *arguments):
        return csv.DictReader(io.StringIO(self.run(*arguments)))

    def nodes(self, place):
        """Ids of all nodes; `place` (lon, lat) is anywhere."""
        rows = self.rows("tree", self.file, "--from", "%.7f,%.7f" % place, "--snap-radius", "10000000")
        return [int(row["node"]) for row in rows]

    def reached(self, node):
        rows = self.rows("tree", self.file, "--from", f"node:{node}")
        return {int(row["node"]) for row in rows if row["duration"]}

    def routes(self, pairs, options=()):
        """The arcs of each route by number; None where there is none."""
        with tempfile.NamedTemporaryFile("w", suffix=".csv", dir=self.folder) as file:
            print("source,target", *(f"{a},{b}" for a, b in pairs), sep="\n", file=file, flush=True)
            rows = list(self.rows("routes", self.file, "--pairs", file.name, "--paths", "--quiet", *options))
        return [[int(arc) for arc in row["arcs"].split()] if row["duration"] else None for row in rows]

    def arcs_from(self, node):
        """(tail, head, milliseconds) of the arcs that are reached from a node, by number."""
        rows = self.rows(
            "isochrone", self.file, "--from", f"node:{node}", "--limits", str(FAR), "--format", "csv"
        )
        return {int(row["arc"]): (int(row["tail"]), int(row["head"]), int(row["weight"])) for row in rows}
