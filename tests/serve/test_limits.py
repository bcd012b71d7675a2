"""The settings of the service: limits of requests, radiuses, timeouts, addresses, names of maps; and content codings."""

import gzip
import json
import shutil
import socket
import time
import zlib

from server import Server, TownTest
from support import run

WEST_EAST = "7.0000,43.0000;7.0080,43.0000"  # corners of the town


def places(count):
    return ";".join(f"{7 + 0.0001 * i:.4f},43.0000" for i in range(count))


class Limits(TownTest):
    """A server with limits answers what they allow, and TooBig to the rest."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.stop()
        cls.server = Server(cls.file, "--max-viaroute-size", 4, "--max-table-size", 4, "--max-matching-size", 4, "--max-trip-size", 4,
                            "--max-nearest-size", 4, "--max-alternatives", 1)

    def test_each_service_has_its_limit(self):
        for allowed, more, amount, size in (
            (f"/route/v1/driving/{places(4)}", f"/route/v1/driving/{places(5)}", 5, 4),
            (f"/table/v1/driving/{places(4)}", f"/table/v1/driving/{places(5)}", 25, 16),
            (f"/table/v1/driving/{places(8)}?sources=0;1", f"/table/v1/driving/{places(9)}?sources=0;1", 18, 16),
            (f"/match/v1/driving/{places(4)}", f"/match/v1/driving/{places(5)}", 5, 4),
            (f"/trip/v1/driving/{places(4)}", f"/trip/v1/driving/{places(5)}", 5, 4),
            ("/nearest/v1/driving/7,43?number=4", "/nearest/v1/driving/7,43?number=5", 5, 4),
            (f"/route/v1/driving/{WEST_EAST}?alternatives=1", f"/route/v1/driving/{WEST_EAST}?alternatives=99", 99, 1),
        ):
            with self.subTest(more=more):
                self.assertEqual(self.server.ask(allowed)[0], 200)
                status, _, body = self.server.ask(more)
                answer = json.loads(body)
                self.assertEqual((status, answer["code"]), (400, "TooBig"))
                self.assertTrue(answer["message"].endswith(f" {amount} is higher than current maximum ({size})"), answer)


class Radiuses(TownTest):
    FAR = "7.0000,42.9900;7.0080,42.9900"  # 1.1 km south of the town

    def test_a_place_without_a_radius_takes_the_default(self):
        for settings, query, code in (
            ((), "", "NoSegment"),
            ((), "?radiuses=unlimited;unlimited", "Ok"),
            ((), "?radiuses=-1;2000", "Ok"),
            (("--default-radius", "2km"), "", "Ok"),
            (("--default-radius", "unlimited"), "", "Ok"),
            (("--default-radius", "unlimited"), "?radiuses=;1000", "NoSegment"),
        ):
            with self.subTest(settings=settings, query=query):
                server = Server(self.file, *settings)
                for service in ("route", "table", "trip", "isochrone"):
                    place, more = (self.FAR, "") if service != "isochrone" else (self.FAR, "&contours_minutes=1")
                    answer = server.ask(f"/{service}/v1/driving/{place}{query or '?'}{more}".replace("?&", "?").rstrip("?"))
                    self.assertEqual(json.loads(answer[2]).get("code", "Ok"), code, service)
                server.stop()

    def test_swapped_coordinates_are_named(self):
        advice = ": it is outside the map; longitude comes first, then latitude"
        server = Server(self.file, "--default-radius", "unlimited")
        for service in ("route", "table", "trip", "nearest", "match"):
            for at in (self.server, server):
                with self.subTest(service=service, server=at is server):
                    status, _, body = at.ask(f"/{service}/v1/driving/" + ("43,7" if service == "nearest" else "43,7;43,7.008"))
                    answer = json.loads(body)
                    self.assertEqual((status, answer["code"]), (400, "NoSegment"))
                    self.assertTrue(answer["message"].endswith(advice), answer)
        self.assertNotIn(advice, server.ask("/nearest/v1/driving/7,44")[2].decode())
        server.stop()


class LongHeads(TownTest):
    def ask_for_table(self, connection, count):
        """(status, code, the pages that may read the answer)"""
        connection.request("GET", "/table/v1/driving/" + ";".join(["7.0000,43.0000"] * count) + "?sources=0&destinations=0")
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())["code"], answer.headers["Access-Control-Allow-Origin"]

    def test_a_new_connection_takes_eight_megabytes(self):
        for count, expected in ((20, (200, "Ok", "*")), (200, (200, "Ok", "*")), (10000, (200, "Ok", "*")), (500000, (200, "Ok", "*")),
                                (570000, (414, "TooBig", "*"))):
            with self.subTest(count=count):
                connection = self.server.connect()
                self.assertEqual(self.ask_for_table(connection, count), expected)
                connection.close()

    def test_the_error_names_what_a_head_may_have(self):
        answer = self.server.raw(b"GET /health HTTP/1.1\r\nHost: x\r\n" + b"X: %b\r\n" % (b"a" * 1000) * 100 + b"\r\n")
        self.assertIn(b" 414 ", answer[:13])
        self.assertIn(b"it may have 24 KB, or 8 MB if the first line of the first request of a connection is long", answer)

    def test_a_client_whose_requests_grow(self):
        connection = self.server.connect()
        for count in (20, 300, 10000, 20, 1500, 10000):
            with self.subTest(count=count):
                self.assertEqual(self.ask_for_table(connection, count), (200, "Ok", "*"))
        connection.close()

    def test_a_used_connection_takes_less(self):
        connection = self.server.connect()
        connection.request("GET", "/health")
        connection.getresponse().read()
        self.assertEqual(self.ask_for_table(connection, 5000), (414, "TooBig", "*"))
        connection.close()
        self.assertEqual(self.server.ask("/health")[0], 200)


class Starting(TownTest):
    def test_a_port_alone_is_an_address(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = Server(self.file, "--listen", port)
        self.assertEqual(server.port, port)
        server.stop()

    def test_maps_of_one_name_are_refused(self):
        other = self.path("other.mcd")
        shutil.copy(self.file, other)
        for files, name in (((self.file, other), "car"), ((f"a={self.file}", f"a={other}"), "a")):
            said = run("serve", *files, "--listen", "127.0.0.1:0", status=2)[1]
            self.assertIn(f"two maps have the profile {name}: name them, as in {name}=A.mcd other=B.mcd", said)
        server = Server(self.file, f"other={other}")
        for profile, status in (("driving", 200), ("other", 200), ("third", 400)):
            self.assertEqual(server.ask(f"/nearest/v1/{profile}/7,43")[0], status)
        server.stop()

    def test_a_silent_connection_is_closed(self):
        server = Server(self.file, "--keepalive-timeout", 1)
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            begun, answer = time.monotonic(), b""
            while part := connection.recv(65536):
                answer += part
        self.assertIn(b" 200 ", answer)
        self.assertLess(time.monotonic() - begun, 25)
        server.stop()

    def test_bad_values_are_named(self):
        for option, value in (("--default-radius", "far"), ("--default-radius", "-1"), ("--keepalive-timeout", "0"), ("--max-table-size", "0"),
                              ("--max-trip-size", "x"), ("--listen", "70000")):
            with self.subTest(option=option, value=value):
                self.assertIn(value, run("serve", self.file, option, value, status=2)[1])


class Codings(TownTest):
    def test_the_first_coding_that_the_client_accepts_is_taken(self):
        path = f"/table/v1/driving/{places(40)}"
        plain = self.server.ask(path)[2]
        for accepted, coding in (
            ("gzip", "gzip"), ("GZIP", "gzip"), ("deflate", "deflate"), ("Deflate;q=0.5, br", "deflate"), ("deflate, gzip", "gzip"),
            ("gzip;q=0, deflate", "deflate"), ("gzip ; q=0.0", None), ("br", None), ("xgzip, gzipped", None), ("", None),
        ):
            with self.subTest(accepted=accepted):
                _, headers, body = self.server.ask(path, headers={"Accept-Encoding": accepted})
                self.assertEqual(headers["Content-Encoding"], coding)
                decoded = gzip.decompress(body) if coding == "gzip" else zlib.decompress(body) if coding else body
                self.assertEqual(decoded, plain)

    def test_the_scheme_of_a_token_has_any_case(self):
        with open(self.path("token"), "w") as token:
            token.write("s3cret\n")
        server = Server(self.file, "--token-file", self.path("token"))
        for scheme in ("Bearer", "bearer", "BEARER"):
            self.assertEqual(server.ask("/reload", "POST", "", {"Authorization": f"{scheme} s3cret"})[0], 200)
        for headers in ({}, {"Authorization": "Basic s3cret"}, {"Authorization": "Bearer no"}):
            status, answer_headers, body = server.ask("/reload", "POST", "", headers)
            self.assertEqual((status, answer_headers["WWW-Authenticate"], json.loads(body)["code"]), (401, "Bearer", "Unauthorized"))
        server.stop()
