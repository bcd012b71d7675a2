"""Clients that take connections and do not use them: a new client is served, and those that keep the server waiting are ended.

As a script, it prints how long the new client waits for its connection and its answer.
"""

import contextlib
import http.client
import json
import random
import re
import resource
import select
import socket
import threading
import time
import unittest

from server import CommandTest, Server, run

IDLE, MANY = 1000, 10000
HEAD = b"GET /health HTTP/1.1\r\nHost: x\r\n"
UPLOAD = b"POST /table/v1/driving HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
PATIENCE_S = 10  # of the server, with a head and with a body
SPARE = 12 << 20  # bytes of memory
KEPT = 4 << 20  # bytes that an idle server may keep of updates, which need six times as many
HALF = 20  # seconds: less than until an idle connection is closed
QUIET = 8  # seconds: more than until memory goes back
SIDE = 200  # of a large map
CHANGED = 50000  # of its arcs: an update of more than 16,384 replaces the weights, fewer change where they are


class Attack(CommandTest):
    arguments = ()

    def setUp(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, MANY + 1000)), hard))
        self.many = min(MANY, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)
        self.server = Server(self.file, "--threads", 2, *self.arguments)
        self.sockets = []
        self.times = []

    def tearDown(self):
        for it in self.sockets:
            it.close()
        status, self.log = self.server.stop()
        self.assertEqual(status, 0, self.log)

    def open(self, data=b""):
        it = socket.create_connection(("127.0.0.1", self.server.port))
        self.sockets.append(it)
        it.sendall(data)
        return it

    def serve_new_client(self):
        """It gets its answer long before an idle connection would have been closed, and stays."""
        begin = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=HALF)
        connection.request("GET", "/route/v1/driving/7.0,43.0;7.01,43.0")
        self.assertEqual(connection.getresponse().status, 200)
        self.times.append(time.monotonic() - begin)
        self.sockets.append(connection)

    def ended(self, reason):
        return int(re.search(rf'macadam_connections_ended_total{{reason="{reason}"}} (\d+)', self.server.ask("/metrics")[2].decode())[1])

    def are_closed(self, sockets):
        """Which of them the server has ended."""
        watch = select.poll()
        for it in sockets:
            watch.register(it, select.POLLIN)
        closed = {number for number, _ in watch.poll(0)}
        return [it.fileno() in closed for it in sockets]


class Idle(Attack):
    def test_a_new_client_is_served_beside_idle_ones_and_the_longest_idle_is_ended(self):
        sockets = [self.open() for _ in range(IDLE)]
        for _ in range(10):
            self.serve_new_client()
        self.assertGreaterEqual(self.ended("full"), 10)
        while sum(self.are_closed(sockets)) < 11:  # one for the metrics
            time.sleep(0.01)
        self.assertEqual(self.are_closed(sockets), [True] * 11 + [False] * (IDLE - 11))

    def test_a_new_client_is_served_while_many_are_opened(self):
        for number in range(self.many):
            self.open()
            if number % 500 == 499:
                self.serve_new_client()
        self.assertGreaterEqual(self.ended("full"), self.many - IDLE)

    def test_a_head_is_slow_too_if_it_began_together_with_the_request_before(self):
        it = self.open(HEAD + b"\r\n" + HEAD)
        it.settimeout(HALF)
        while it.recv(1 << 16):
            pass
        self.assertEqual(self.ended("slow_head"), 1)

    def test_a_new_client_is_served_beside_trickled_heads(self):
        sockets = [self.open(HEAD) for _ in range(IDLE)]
        for _ in range(10):
            for it in sockets:
                with contextlib.suppress(OSError):
                    it.sendall(b"X")
            self.serve_new_client()
        self.assertGreaterEqual(self.ended("full"), 1)


class Limit(Attack):
    arguments = ("--max-connections", 10)

    def test_a_client_with_a_request_does_not_give_way_to_a_new_one(self):
        uploads = [self.open(UPLOAD.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")) for _ in range(9)]
        for it in uploads:  # the server has read its head
            self.assertEqual(it.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
        idle = self.open()
        self.ended("full")  # a new client
        while not self.are_closed([idle])[0]:
            time.sleep(0.01)
        self.assertEqual(self.are_closed(uploads), [False] * 9)

    def test_a_new_client_is_served_when_many_more_descriptors_are_allowed(self):
        for _ in range(IDLE):
            self.open()
        self.serve_new_client()


class Slow(Attack):
    arguments = ("--keepalive-timeout", 3)

    def trickle(self, sockets, piece, pause_s):
        """Sends a piece to each until the server has ended all; returns the least seconds that one had."""
        begin, least, open_ = time.monotonic(), None, list(sockets)
        while open_:
            for it in open_:
                with contextlib.suppress(OSError):
                    it.sendall(piece)
            time.sleep(pause_s)
            closed = self.are_closed(open_)
            if any(closed) and least is None:
                least = time.monotonic() - begin
            open_ = [it for it, is_closed in zip(open_, closed) if not is_closed]
        return least

    def test_slow_heads_and_bodies_are_ended_and_counted(self):
        connection = self.server.connect()
        connection.request("GET", "/health")
        connection.getresponse().read()
        second = connection.sock  # its next head comes slowly
        second.sendall(HEAD)
        slow = [self.open(HEAD) for _ in range(5)] + [self.open(UPLOAD) for _ in range(5)]
        self.assertGreaterEqual(self.trickle([second, *slow], b"x", 0.2), PATIENCE_S - 1)
        self.assertEqual((self.ended("slow_head"), self.ended("slow_body")), (6, 5))
        connection.close()
        self.server.process.terminate()
        self.assertIn("ended 11 connections: 6 slow heads, 5 slow bodies", self.server.process.stderr.read())

    def test_slow_readers_are_ended_and_counted(self):
        table = json.dumps({"coordinates": [[7, 43]] * 5000, "format": "bin"}).encode()
        it = self.open(b"POST /table/v1/driving HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(table) + table)
        while self.ended("slow_reader") == 0:
            it.recv(10)  # less than silence would have it
            time.sleep(0.3)

    def test_a_connection_on_which_nothing_comes_is_closed(self):
        self.assertEqual(self.open().recv(1), b"")

    def test_a_body_that_comes_with_pauses_is_read(self):
        coordinates = [[7 + i * 1e-7, 43] for i in range(3000)]
        body = json.dumps({"coordinates": coordinates, "sources": [0]}).encode()
        piece = len(body) // 4 + 1
        it = self.open(b"POST /table/v1/driving HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body))
        for at in range(0, len(body), piece):
            it.sendall(body[at : at + piece])
            time.sleep(2)
        self.assertIn(b" 200 ", it.recv(13))


class Memory(Attack):
    def memory(self):
        with open(f"/proc/{self.server.process.pid}/status") as file:
            return 1024 * int(dict(line.split(":", 1) for line in file)["RssAnon"].split()[0])

    def test_memory_goes_back_when_there_are_no_requests(self):
        self.serve_new_client()
        before = self.memory()
        body = json.dumps({"coordinates": [[7 + i * 1e-5, 43] for i in range(1500)], "annotations": ["duration", "distance"]})
        most = [0]

        def ask():
            status, _, answer = self.server.ask("/table/v1/driving", "POST", body)
            self.assertEqual(status, 200)
            most[0] = max(most[0], len(answer))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):  # memory may go back as soon as an answer is read
            most[0] = max(most[0], self.memory())
            time.sleep(0.001)
        self.assertGreater(most[0], before + 2 * SPARE)
        while self.memory() > before + SPARE:
            time.sleep(0.1)


class Updates(Attack):
    memory = Memory.memory

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        draw = random.Random(1)
        with contextlib.ExitStack() as stack:
            *weight, places = [stack.enter_context(open(cls.path(name), "w")) for name in ("large.gr", "long.gr", "large.co")]
            places.write(f"p aux sp co {SIDE * SIDE}\n")
            for file in weight:
                file.write(f"p sp {SIDE * SIDE} {4 * SIDE * (SIDE - 1)}\n")
            for node in range(SIDE * SIDE):
                places.write(f"v {node + 1} {7000000 + node % SIDE * 1000} {43000000 + node // SIDE * 1000}\n")
                for to in [node + 1] * (node % SIDE < SIDE - 1) + [node + SIDE] * (node < SIDE * (SIDE - 1)):
                    for file in weight:
                        cost = draw.randint(50, 150)
                        file.write(f"a {node + 1} {to + 1} {cost}\na {to + 1} {node + 1} {cost}\n")
        cls.file = cls.path("large.mcd")
        run("import", "--weight", "duration=" + cls.path("large.gr"), "--weight", "distance=" + cls.path("long.gr"), "--coords",
            cls.path("large.co"), "--ready", "-o", cls.file, "--quiet")
        with open(cls.path("token"), "w") as token:
            token.write("s3cret\n")
        cls.arguments = ("--token-file", cls.path("token"))

    def ask_all(self):
        for service in ("table", "route"):
            status, _, answer = self.server.ask(f"/{service}/v1/driving/7.0,43.0;7.1,43.1?annotations=distance")
            self.assertEqual(status, 200, answer)

    def update(self, value):
        change = json.dumps({"quantity": "duration", "arc": [*range(1, CHANGED + 1)], "value": [value] * CHANGED})
        status, _, answer = self.server.ask("/traffic/v1/driving", "POST", change, {"Authorization": "Bearer s3cret"})
        self.assertEqual(status, 200, answer)
        self.ask_all()

    def test_memory_goes_back_after_updates(self):
        """An idle server keeps neither what only updates need nor the weights that they replaced."""
        self.update(50)  # from now on the weights are not the file's
        time.sleep(QUIET)
        before = self.memory()
        most = before
        for value in (70, 90):
            self.update(value)
            most = max(most, self.memory())
        self.assertGreater(most, before + 3 * KEPT)
        while self.memory() > before + KEPT:
            time.sleep(0.1)


def main():
    for kind, name in ((Idle, name) for name in dir(Idle) if name.startswith("test")):
        test = kind(name)
        result = unittest.TestResult()
        test.run(result)
        times = sorted(test.times)
        print(f"{name}: {'passed' if result.wasSuccessful() else result.errors or result.failures}; a new client is answered after "
              f"{1000 * times[len(times) // 2]:.1f} ms (median), {1000 * times[-1]:.1f} ms (most)")


if __name__ == "__main__":
    CommandTest.setUpClass()
    main()
    CommandTest.tearDownClass()
