"""An hour of mixed load on a real map: all services, by GET and POST, compressed and not; clients that break off; reloads and new weights.

    python3 mixed_load.py COMMAND MAP SECONDS

Each answer must be right in form. Prints counts, the slowest of each kind and the memory: fresh, each minute, and when idle again.
"""

import collections
import gzip
import http.client
import json
import math
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

CLIENTS, BAD, TOKEN = 12, 2, "s3cret"


class Load:
    def __init__(self, command, map_, seconds):
        self.end = time.monotonic() + seconds
        self.counts, self.slowest, self.errors = collections.Counter(), collections.Counter(), collections.Counter()
        with tempfile.NamedTemporaryFile("w", suffix=".token") as token:
            token.write(TOKEN + "\n")
            token.flush()
            self.process = subprocess.Popen([command, "serve", map_, "--listen", "127.0.0.1:0", "--token-file", token.name], stderr=subprocess.PIPE, text=True)
            self.port = int(self.process.stderr.readline().rstrip("/\n").rsplit(":", 1)[1])
        self.log = []
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()
        self.west, self.south, self.east, self.north = json.loads(self.ask(self.connect(), "/info")[1])["maps"][0]["bbox"]

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def ask(self, connection, path, body=None, headers=None):
        connection.request("GET" if body is None else "POST", path, body, headers or {})
        answer = connection.getresponse()
        data = answer.read()
        return answer.status, gzip.decompress(data) if answer.headers["Content-Encoding"] == "gzip" else data

    def memory(self):
        """(all, of which not of files) in MB"""
        with open(f"/proc/{self.process.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return tuple(int(fields[name].split()[0]) // 1024 for name in ("VmRSS", "RssAnon"))

    def points(self, count):
        middle = (random.uniform(0.3, 0.7) for _ in range(2 * count))
        return [[round(self.west + (self.east - self.west) * a, 6), round(self.south + (self.north - self.south) * b, 6)] for a, b in zip(middle, middle)]

    def trace(self, count):
        (lon, lat), heading = self.points(1)[0], random.random() * 6.3
        return [[round(lon + i * 3e-4 * math.cos(heading), 6), round(lat + i * 2e-4 * math.sin(heading), 6)] for i in range(count)]

    def request(self):
        """(kind, path, body, headers)"""
        kind, points, options = random.choice([
            ("route", lambda: self.points(2), {}), ("route", lambda: self.points(2), {"steps": "true", "alternatives": "true"}),
            ("route", lambda: self.points(random.randint(3, 30)), {"annotations": "true", "overview": "full", "geometries": "geojson"}),
            ("route", lambda: self.points(190), {"steps": "true"}), ("nearest", lambda: self.points(1), {"number": "5"}),
            ("table", lambda: self.points(random.randint(2, 120)), {"annotations": "duration,distance"}), ("table", lambda: self.points(800), {"format": "bin"}),
            ("match", lambda: self.trace(random.randint(3, 100)), {}), ("match", lambda: self.trace(30), {"steps": "true"}),
            ("trip", lambda: self.points(random.randint(3, 40)), {"steps": "true"}), ("isochrone", lambda: self.points(1), {"contours_minutes": random.choice(("3", "5,10", "20"))}),
            ("reach", lambda: self.points(3), {"contours_minutes": "10"}), ("tile", lambda: self.points(1), {})])
        points, headers = points(), random.choice(({}, {"Accept-Encoding": "gzip"}))
        if kind == "tile":
            zoom, (lon, lat) = random.randint(12, 17), points[0]
            down = (1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2
            return kind, f"/tile/v1/driving/tile({int((lon + 180) / 360 * 2**zoom)},{int(down * 2**zoom)},{zoom}).mvt", None, headers
        if options.get("format") or random.random() < 0.3:
            return kind, f"/{kind}/v1/driving", json.dumps({"coordinates": points, **options}), headers
        text = ";".join(f"{lon},{lat}" for lon, lat in points)
        return kind, f"/{kind}/v1/driving/{text}" + "?" * bool(options) + "&".join(f"{name}={value}" for name, value in options.items()), None, headers

    def is_right(self, kind, status, body):
        if kind == "tile" or body[:1] != b"{":
            return status in (200, 204)
        code = json.loads(body).get("code", "Ok")
        return (status, code) in ((200, "Ok"), (400, "NoMatch"), (400, "NoSegment"), (400, "NoTrips"), (400, "NoRoute"))

    def client(self):
        connection = self.connect()
        while time.monotonic() < self.end:
            kind, path, body, headers = self.request()
            begin = time.monotonic()
            try:
                status, answer = self.ask(connection, path, body, headers)
                if not self.is_right(kind, status, answer):
                    self.errors[kind, status, answer[:100]] += 1
            except (OSError, ValueError, http.client.HTTPException) as error:
                self.errors[kind, repr(error)] += 1
                connection.close()
            self.counts[kind] += 1
            self.slowest[kind] = max(self.slowest[kind], time.monotonic() - begin)
        connection.close()

    def bad_client(self):
        while time.monotonic() < self.end:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                    _, path, body, _ = self.request()
                    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body or '')}\r\n\r\n{body or ''}".encode()
                    connection.sendall(head[: random.randrange(len(head))])
                    time.sleep(random.choice((0, 0.01, 0.3)))
                    self.counts["broken off"] += 1
            except OSError:
                pass

    def run(self):
        print("memory (all, not of files), MB: fresh", self.memory(), flush=True)
        threads = [threading.Thread(target=self.client) for _ in range(CLIENTS)] + [threading.Thread(target=self.bad_client) for _ in range(BAD)]
        for thread in threads:
            thread.start()
        minute, begin = 0, time.monotonic()
        while time.monotonic() < self.end:
            time.sleep(min(5, max(0, self.end - time.monotonic())))
            change = json.dumps({"quantity": "duration", "arc": [random.randrange(1, 1000)], "value": [random.choice(("imported", 60000))]})
            status, answer = self.ask(self.connect(), "/traffic/v1/driving", change, {"Authorization": f"Bearer {TOKEN}"})
            self.counts["traffic"] += 1
            if status != 200:
                self.errors["traffic", status, answer] += 1
            if time.monotonic() - begin > 60 * (minute + 1):
                minute += 1
                print(f"after {minute} minutes", sum(self.counts.values()), "requests; memory", self.memory(), flush=True)
                self.process.send_signal(signal.SIGHUP)
                self.counts["reload"] += 1
        for thread in threads:
            thread.join()
        busy = self.memory()
        time.sleep(20)
        print("memory: at the end", busy, "idle for 20 s", self.memory())
        with open(f"/proc/{self.process.pid}/stat") as file:
            ticks = file.read().rsplit(")", 1)[1].split()
        print("processor seconds", sum(int(it) for it in ticks[11:13]) / os.sysconf("SC_CLK_TCK"))
        print("requests", sum(self.counts.values()), dict(self.counts))
        print("slowest, s", {kind: round(value, 2) for kind, value in self.slowest.items()})
        self.process.terminate()
        print("errors", dict(self.errors), "exit", self.process.wait(), "log", self.log[-5:])


if __name__ == "__main__":
    random.seed(7)
    Load(sys.argv[1], sys.argv[2], float(sys.argv[3])).run()
