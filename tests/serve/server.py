"""A running `macadam serve` over the small map of tests/cli, and ways to ask it."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from support import COMMAND, CommandTest, run, write_heights  # noqa: E402


class Server:
    """The process; `port` is where it listens."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [COMMAND, "serve", *map(str, arguments), *([] if "--listen" in arguments else ["--listen", "127.0.0.1:0"]), "--max-seconds", "86400"],
            stderr=subprocess.PIPE, text=True
        )
        line = self.process.stderr.readline()
        if "listening on http://127.0.0.1:" not in line:
            raise AssertionError(line + self.process.stderr.read())
        self.port = int(line.rstrip("/\n").rsplit(":", 1)[1].rstrip('/"}'))

    def stop(self):
        """Ends it as an administrator does; returns (exit status, the rest of the log)."""
        self.process.send_signal(signal.SIGTERM)
        log = self.process.communicate()[1]
        return self.process.returncode, log

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def ask(self, path, method="GET", body=None, headers=None):
        """(status, headers, body)"""
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def metrics(self, connection):
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()

    def raw(self, data):
        """Sends bytes; what comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            answer = b""
            with contextlib.suppress(OSError):  # the server may answer and close before it has read all
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(OSError):
                while part := connection.recv(65536):
                    answer += part
            return answer

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def wait_for_descriptors(self, count):
        """The server closes connections after its clients have, some time later. Waits for ever if it keeps one."""
        while self.descriptors() > count:
            time.sleep(0.01)


class ServerTest(CommandTest):
    """A server of the small map; the map's durations and distances have no units."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server(cls.file)

    @classmethod
    def tearDownClass(cls):
        status, log = cls.server.stop()
        super().tearDownClass()
        assert status == 0, (status, log)

    def at(self, *nodes):
        """The coordinates of nodes, as paths have them."""
        return ";".join("{:.6f},{:.6f}".format(*self.map.coordinates[node]) for node in nodes)

    def get(self, path, **options):
        """The JSON of an answer that must be Ok. Options of a request, by name."""
        if options:
            path += "?" + urllib.parse.urlencode({name.rstrip("_"): text(value) for name, value in options.items()}, safe=";,")
        status, headers, body = self.server.ask(path)
        self.assertEqual(status, 200, body)
        self.assertEqual(int(headers["Content-Length"]), len(body))
        self.assertTrue(headers["Content-Type"].startswith("application/json"))
        answer = json.loads(body)
        self.assertEqual(answer["code"], "Ok")
        return answer

    def assertFails(self, path, code, message=None, status=400, **request):
        got, _, body = self.server.ask(path, **request)
        answer = json.loads(body)
        self.assertEqual((got, answer["code"]), (status, code), body)
        if message is not None:
            self.assertEqual(answer["message"], message)


BLOCKS = 5
AVENUE = 2  # of the town's rows


def town():
    """OpenStreetMap data of a town: 5 x 5 junctions 0.002 degrees apart, streets with names, one avenue from west to east."""
    lines = ['<osm version="0.6">']
    for row in range(BLOCKS):
        for column in range(BLOCKS):
            lines.append(f'<node id="{1 + row * BLOCKS + column}" lon="{7 + column * 0.002:.4f}" lat="{43 + row * 0.002:.4f}"/>')
    for i in range(BLOCKS):
        for across, step, first in ((False, 1, 1 + i * BLOCKS), (True, BLOCKS, 1 + i)):
            name, kind = (f"Street {i}", "residential") if across else (f"Road {i}", "primary" if i == AVENUE else "residential")
            lines.append(f'<way id="{100 + 2 * i + across}"><tag k="highway" v="{kind}"/><tag k="name" v="{name}"/>')
            if kind == "primary":
                lines.append('<tag k="maxheight" v="3.5"/>')
            lines += [f'<nd ref="{first + step * k}"/>' for k in range(BLOCKS)]
            lines.append("</way>")
    return "\n".join([*lines, "</osm>"])


class TownTest(ServerTest):
    """A server of the town, by car; `heights` is the name of the tile to draw."""

    heights = None
    town = None  # the data, if it is another town

    import_options = ()

    @classmethod
    def setUpClass(cls):
        CommandTest.setUpClass.__func__(cls)
        with open(cls.path("town.osm"), "w") as file:
            file.write(cls.town or town())
        cls.file = cls.path("town.mcd")
        if cls.heights:
            write_heights(cls.folder, cls.heights, 43)
        heights = ["--heights", cls.folder] if cls.heights else []
        run("import", cls.path("town.osm"), *heights, "-o", cls.file, "--quiet", *cls.import_options)
        cls.server = Server(cls.file)


def text(value):
    return str(value).lower() if isinstance(value, bool) else value


def encode(points, precision):
    """An encoded polyline, by the format's description."""
    text, before = "", (0, 0)
    for lon, lat in points:
        at = (round(lat * 10**precision), round(lon * 10**precision))
        for delta in (at[0] - before[0], at[1] - before[1]):
            rest = ~(delta << 1) if delta < 0 else delta << 1
            while rest >= 32:
                text += chr((rest & 31 | 32) + 63)
                rest >>= 5
            text += chr(rest + 63)
        before = at
    return text
