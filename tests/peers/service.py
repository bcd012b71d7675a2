#!/usr/bin/env python3
"""Beside osrm-routed: the processor time of both services for 13 kinds of requests, and of tiles by zoom, on one map.

    service.py MACADAM MAP.mcd OSRM_ROUTED MAP.osrm [--seconds 2] [--rounds 3] [--tiles] [--kinds REGEX]

Both get the same requests, of eight clients at the same time, in turns. The processor time is that of all threads of the
server (/proc/PID/task/*/schedstat), so that other load on the machine hardly counts. Prints medians of the rounds as a table.
MAP.osrm is as `prepare` makes it; MAP.mcd is best imported with --ready.
"""

import argparse
import contextlib
import glob
import json
import math
import random
import re
import signal
import socket
import statistics
import subprocess
import time

WEST, SOUTH, EAST, NORTH = 9.10, 45.42, 9.30, 45.52  # Milan
CENTRE, NOWHERE = (9.19, 45.46), (9.19, 47.9)
CLIENTS, REQUESTS = 8, 2000
LIMITS = {"table": 10000, "viaroute": 500, "matching": 500, "trip": 500, "nearest": 500}


class Client:
    """A connection that costs little, so that the client's work does not spoil the server's caches."""

    def __init__(self, port):
        self.port, self.socket, self.asked = port, None, b""

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def send(self, request):
        self.asked = request
        if not self.socket:
            self.socket = socket.create_connection(("127.0.0.1", self.port))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):  # read() asks again
            self.socket.sendall(request)

    def read(self):
        """(status, body)"""
        for _ in range(3):
            with contextlib.suppress(ConnectionError):
                answer, end, size = b"", -1, 0
                while end < 0 or len(answer) < size:
                    if not (part := self.socket.recv(1 << 20)):
                        break  # osrm-routed closes a connection after 512 requests
                    answer += part
                    if end < 0 and (end := answer.find(b"\r\n\r\n")) > 0:
                        size = end + 4 + int(re.search(rb"(?i)\ncontent-length: (\d+)", answer[: end + 2])[1])
                else:
                    return int(answer[9:12]), answer[end + 4 :]
            self.close()
            self.send(self.asked)
        raise SystemExit(f"no answer to {self.asked}")


def request_of(path):
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


class Server:
    def __init__(self, *command, port):
        self.process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.clients = [Client(port) for _ in range(CLIENTS)]
        for _ in range(600):
            with contextlib.suppress(OSError):
                self.get(request_of("/nearest/v1/driving/9.19,45.46"))
                self.settle()
                return
            self.clients[0].close()
            time.sleep(0.1)
        raise SystemExit(f"{command[0]} does not answer")

    def settle(self):
        """Waits until the server has made what it prepares after its first request."""
        before = -math.inf
        while (now := self.processor_ms()) > before + 1:
            before = now
            time.sleep(2)

    def get(self, *requests):
        """(status, body) of requests, at most as many as there are clients: each of another client, all at the same time."""
        for client, request in zip(self.clients, requests):
            client.send(request)
        return [client.read() for client, _ in zip(self.clients, requests)]

    def processor_ms(self):
        tasks = glob.glob(f"/proc/{self.process.pid}/task/*/schedstat")
        return sum(int(open(it).read().split()[0]) for it in tasks) / 1e6

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def places(count):
    return [(random.uniform(WEST, EAST), random.uniform(SOUTH, NORTH)) for _ in range(count)]


def joined(points):
    return ";".join(f"{lon:.6f},{lat:.6f}" for lon, lat in points)


def trace(osrm, count):
    """Points along a route, 30 m apart, with an error of 5 m."""
    while True:
        answer, = osrm.get(request_of(f"/route/v1/driving/{joined(places(2))}?overview=full&geometries=geojson"))
        route = json.loads(answer[1])["routes"][0]
        line, points, rest = route["geometry"]["coordinates"], [], 0.0
        for (x, y), (to_x, to_y) in zip(line, line[1:]):
            east, north = (to_x - x) * 78000, (to_y - y) * 111200
            size = math.hypot(east, north)
            while rest < size and len(points) < count:
                share = rest / size
                points.append((x + share * (to_x - x) + random.gauss(0, 5) / 78000, y + share * (to_y - y) + random.gauss(0, 5) / 111200))
                rest += 30
            rest -= size
        if len(points) == count:
            return points


def tile(place, zoom):
    (lon, lat), side = place, 2**zoom
    x, y = int((lon + 180) / 360 * side), int((1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * side)
    return f"/tile/v1/driving/tile({x},{y},{zoom}).mvt"


def kinds(osrm):
    """(name, a function that makes a request's path)"""
    yield "route", lambda: f"/route/v1/driving/{joined(places(2))}?overview=false"
    yield "route, steps, full geometry", lambda: f"/route/v1/driving/{joined(places(2))}?overview=full&steps=true"
    yield "route, alternatives", lambda: f"/route/v1/driving/{joined(places(2))}?overview=false&alternatives=3"
    yield "route, annotations", lambda: f"/route/v1/driving/{joined(places(2))}?overview=false&annotations=true"
    yield "route, 10 stops", lambda: f"/route/v1/driving/{joined(places(10))}?overview=false"
    yield "nearest", lambda: f"/nearest/v1/driving/{joined(places(1))}"
    yield "nearest, number=10", lambda: f"/nearest/v1/driving/{joined(places(1))}?number=10"
    yield "table, 10 x 10", lambda: f"/table/v1/driving/{joined(places(10))}"
    yield "table, 100 x 100", lambda: f"/table/v1/driving/{joined(places(100))}"
    traces = [joined(trace(osrm, 50)) for _ in range(20)]
    yield "match, 50 points", lambda: f"/match/v1/driving/{random.choice(traces)}?overview=false"
    yield "trip, 10 stops", lambda: f"/trip/v1/driving/{joined(places(10))}?overview=false"
    yield "tile, full (zoom 15)", lambda: tile(CENTRE, 15)
    yield "tile, empty (zoom 15)", lambda: tile(NOWHERE, 15)


def tiles():
    for zoom in range(12, 20):
        yield f"full, zoom {zoom}", lambda: tile(CENTRE, zoom)
        yield f"empty, zoom {zoom}", lambda: tile(NOWHERE, zoom)


def measure(servers, requests, seconds):
    """Milliseconds of processor a request of each server, over the same requests, which the first one answers for some seconds."""
    spent, failed, most = [], 0, math.inf
    for server in servers:
        end, count, before = time.time() + seconds, 0, server.processor_ms()
        while count < most and (most < math.inf or time.time() < end or count < 3):
            at = count % len(requests)
            failed += sum(status != 200 for status, _ in server.get(*requests[at : at + CLIENTS]))
            count += CLIENTS
        spent.append((server.processor_ms() - before) / count)
        most = count
    return spent, failed


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("macadam", "map", "osrm_routed", "osrm"):
        parser.add_argument(name)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tiles", action="store_true")
    parser.add_argument("--kinds", default="")
    options = parser.parse_args()
    random.seed(7)
    port, other = free_port(), free_port()
    limits = [it for name, size in LIMITS.items() for it in (f"--max-{name}-size", size)]
    osrm = Server(options.osrm_routed, "--algorithm", "mld", "-t", 2, "-p", port, *limits, "--max-alternatives", 3, options.osrm, port=port)
    macadam = Server(options.macadam, "serve", options.map, "--threads", 2, "--quiet", "--default-radius", "unlimited", "--listen", f"127.0.0.1:{other}", port=other)
    print("| request | Macadam, ms of processor | OSRM, ms | Macadam, a second and processor | OSRM | ratio |\n|---|---|---|---|---|---|")
    try:
        for name, make in tiles() if options.tiles else kinds(osrm):
            if not re.search(options.kinds, name):
                continue
            requests = [request_of(make()) for _ in range(REQUESTS)]
            rounds = [measure((osrm, macadam), requests, options.seconds) for _ in range(options.rounds)]
            theirs, ours = (statistics.median(spent[i] for spent, _ in rounds) for i in (0, 1))
            ratio = statistics.median(spent[0] / spent[1] for spent, _ in rounds)
            failed = sum(it for _, it in rounds)
            note = f" ({failed} failed)" if failed else ""
            print(f"| {name}{note} | {ours:.3g} | {theirs:.3g} | {1000 / ours:,.0f} | {1000 / theirs:,.0f} | {ratio:.1f} |", flush=True)
    finally:
        osrm.stop()
        macadam.stop()


if __name__ == "__main__":
    main()
