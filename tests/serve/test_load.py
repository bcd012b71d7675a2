"""Many concurrent clients, some of them bad, beside new weights and new maps: every answer is of one version, and nothing piles up.

MACADAM_LOAD_SECONDS says how long (default: 8). New weights come each second; the maps are loaded again each minute, in a short run
more often.
"""

import array
import http.client
import json
import os
import random
import signal
import socket
import threading
import time
import unittest

from server import CommandTest, Server
from support import Map
from test_answers import read_arrow

SECONDS = float(os.environ.get("MACADAM_LOAD_SECONDS", 8))
RELOAD_SECONDS = min(60, SECONDS / 8)
OFTEN = 3  # questions of each client in each half
GROWTH = 16 << 20  # of the idle memory between the first half and the second
NODES = (1, 9, 25, 30, 49)
REPEATED = 820  # so that a table of the nodes is one that is sent while it is computed
RUBBISH = (b"GET /route/v1/driving/7,43;", b"POST /table/v1/driving HTTP/1.1\r\nContent-Length: 999999\r\n\r\n{", b"\x00\xff\r\n\r\n",
           b"GET /table/v1/driving/%ff HTTP/1.1\r\nHost: x\r\n\r\n", b"A" * 90000)


class Load(CommandTest):
    def setUp(self):
        self.ends, self.failed, self.counts = threading.Event(), [], {}
        self.change = [(tail, head, 21 - duration) for tail, head, duration, _ in self.map.arcs if (tail, head) != (1, 2) and tail != head]
        new = {(tail, head): duration for tail, head, duration in self.change}
        other = Map(self.map.node_count, [(t, h, new.get((t, h), d), m) for t, h, d, m in self.map.arcs], self.map.coordinates)
        self.versions = [[[version.tree(s)[t][0] for t in NODES] for s in NODES] for version in (self.map, other)]
        self.streams = [
            b"".join(array.array("I", [round(cost) for cost in row] * REPEATED).tobytes() for row in version) * REPEATED for version in self.versions
        ]
        self.server = Server(self.file, "--token-file", self.write("token", "s3cret\n"), "--max-connections", 60)
        self.reader = threading.Thread(target=self.server.process.stderr.read)
        self.reader.start()
        self.assertNotEqual(*self.versions)
        self.at = ";".join("{:.6f},{:.6f}".format(*self.map.coordinates[node]) for node in NODES)

    # ---- clients ----

    def ask(self, connection, path, method="GET", body=None, headers=None):
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def check_table(self, connection):
        status, body = self.ask(connection, f"/table/v1/driving/{self.at}?snapping=any")
        return status == 200 and json.loads(body)["durations"] in self.versions

    def check_route(self, connection):
        i, k = random.sample(range(len(NODES)), 2)
        at = self.at.split(";")
        status, body = self.ask(connection, f"/route/v1/driving/{at[i]};{at[k]}?snapping=any&overview=full&steps=true")
        return status == 200 and json.loads(body)["routes"][0]["duration"] in {version[i][k] for version in self.versions}

    def check_nearest(self, connection):
        status, body = self.ask(connection, f"/nearest/v1/driving/{self.at.split(';')[0]}?number=3")
        return status == 200 and json.loads(body)["waypoints"][0]["distance"] == 0

    def check_isochrone(self, connection):
        status, body = self.ask(connection, f"/isochrone/v1/driving/{self.at.split(';')[1]}?contours_minutes=1&polygons=false")
        return status == 200 and json.loads(body)["type"] == "FeatureCollection"

    def check_big_table(self, connection):
        points = [[7 + random.random() * 0.06, 43] for _ in range(200)]
        status, body = self.ask(connection, "/table/v1/driving", "POST", json.dumps({"coordinates": points, "format": "bin"}))
        return status == 200 and len(body) == 4 * 200 * 200

    def ask_for_stream(self, form):
        points = [list(self.map.coordinates[node]) for node in NODES] * REPEATED
        return json.dumps({"coordinates": points, "format": form, "snapping": "any", "skip_waypoints": True})

    def check_stream(self, connection):
        form = random.choice(("bin", "npy", "arrow"))
        status, body = self.ask(connection, "/table/v1/driving", "POST", self.ask_for_stream(form))
        if form == "arrow":
            body = read_arrow(body)[1]["durations"]
        return status == 200 and body[-len(self.streams[0]) :] in self.streams

    def leave_stream(self):
        """Reads a part of a stream, and goes."""
        body = self.ask_for_stream("bin")
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=5) as connection:
            connection.sendall(f"POST /table/v1/driving HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            connection.recv(1 << 20)

    def client(self, check):
        """Asks on one connection until the end."""
        connection, last = http.client.HTTPConnection("127.0.0.1", self.server.port), time.monotonic()
        while not self.ends.is_set():
            if time.monotonic() - last > 10:  # the machine is busy, and the server closes what was silent for 30 s
                connection.close()
            last = time.monotonic()
            try:
                right = check(connection)
            except (OSError, ValueError, KeyError, http.client.HTTPException) as fault:
                right = False
                self.failed.append(repr(fault))
            if not right:
                self.failed.append(check.__name__)
            self.counts[check.__name__] += 1
        connection.close()

    def bad_client(self):
        """Sends rubbish, breaks off, or says nothing for a while."""
        while not self.ends.is_set():
            try:
                if random.random() < 0.05:
                    self.leave_stream()
                with socket.create_connection(("127.0.0.1", self.server.port), timeout=5) as connection:
                    connection.sendall(random.choice(RUBBISH))
                    time.sleep(random.choice((0, 0.01, 0.3)))
            except OSError:  # the server has closed first
                pass

    # ---- administrators ----

    def swap(self, number):
        rows = self.change if number % 2 == 0 else [row[:3] for row in self.map.arcs if (row[0], row[1]) != (1, 2) and row[0] != row[1]]
        body = {"tail": [row[0] for row in rows], "head": [row[1] for row in rows], "value": [row[2] for row in rows]}
        status, _, answer = self.server.ask("/traffic/v1/driving", "POST", json.dumps(body), {"Authorization": "Bearer s3cret"})
        self.assertEqual(status, 200, answer)

    def memory(self):
        with open(f"/proc/{self.server.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def administrate(self):
        """Swaps weights and loads the maps again, for half of the time, and until each client has asked often."""
        begin, swaps, reloads = time.monotonic(), 0, 0
        while (passed := time.monotonic() - begin) < SECONDS / 2 or min(self.counts.values()) < OFTEN:
            if passed > swaps:
                self.swap(swaps)
                swaps += 1
            if passed > (reloads + 1) * RELOAD_SECONDS:
                self.server.process.send_signal(signal.SIGHUP)
                reloads += 1
            time.sleep(0.1)

    def run_clients(self, descriptors):
        """Returns the memory that the server holds once all clients have gone."""
        self.ends.clear()
        checks = [self.check_table, self.check_table, self.check_route, self.check_route, self.check_nearest, self.check_isochrone, self.check_big_table, self.check_stream]
        self.counts = {check.__name__: 0 for check in checks}
        threads = [threading.Thread(target=self.client, args=(check,)) for check in checks]
        threads += [threading.Thread(target=self.bad_client) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            self.administrate()
        finally:
            self.ends.set()
            for thread in threads:
                thread.join()
        self.assertEqual(self.failed[:5], [])
        self.server.wait_for_descriptors(descriptors)
        samples = []
        for _ in range(20):
            samples.append(self.memory())
            time.sleep(0.1)
        return min(samples)

    def test_every_answer_is_of_one_version_and_nothing_piles_up(self):
        descriptors = self.server.descriptors()
        first = self.run_clients(descriptors)
        second = self.run_clients(descriptors)
        self.assertLess(second - first, GROWTH)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(), 0)
        self.reader.join()
        self.server.process.stderr.close()


if __name__ == "__main__":
    unittest.main()
