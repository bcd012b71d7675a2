"""The framing of requests (RFC 9112): a request that two servers could read differently is refused and ends its connection."""

import contextlib
import socket

from server import ServerTest

GET, POST = b"GET /health HTTP/1.1\r\n", b"POST /health HTTP/1.1\r\n"
HOST, CHUNKED, FOUR = b"Host: x\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 4\r\n"
CHUNKS = b"4\r\nabcd\r\n0\r\n\r\n"
RIGHT = [
    GET + HOST + b"\r\n",
    b"\r\n" + GET + HOST + b"\r\n",
    b"GET /health HTTP/1.0\r\n\r\n",
    b"GET /health HTTP/1.1\r\nhost:x:80\r\nX:\r\nAccept: \t a\tb \r\nAccept: \xe4\r\n\r\n",
    b"GET http://x/health HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET HTTPS://y:80/health HTTP/1.1\r\n" + HOST + b"\r\n",
    POST + HOST + FOUR + b"\r\nabcd",
    POST + HOST + CHUNKED + b"\r\n" + CHUNKS,
    POST + HOST + CHUNKED.upper() + b"\r\n4;a=b\r\nabcd\r\n0\r\nX: y\r\n\r\n",
]
WRONG = {
    "no host": GET + b"\r\n",
    "two hosts": GET + HOST + HOST + b"\r\n",
    "an empty host": GET + b"Host: \r\n\r\n",
    "a host with an empty label": GET + b"Host: a..b\r\n\r\n",
    "a zero in the target": b"GET /health\x00 HTTP/1.1\r\n" + HOST + b"\r\n",
    "two spaces before the target": b"GET  /health HTTP/1.1\r\n" + HOST + b"\r\n",
    "no name of a host": GET + b"Host: a/b\r\n\r\n",
    "two lengths": POST + HOST + FOUR + b"Content-Length: 5\r\n\r\nabcde",
    "the same length twice": POST + HOST + FOUR + FOUR + b"\r\nabcd",
    "a list of lengths": POST + HOST + b"Content-Length: 4, 4\r\n\r\nabcd",
    "a length and chunks": POST + HOST + FOUR + CHUNKED + b"\r\n" + CHUNKS,
    "chunks and a length": POST + HOST + CHUNKED + FOUR + b"\r\n" + CHUNKS,
    "chunks twice": POST + HOST + CHUNKED + CHUNKED + b"\r\n" + CHUNKS,
    "chunks of HTTP/1.0": b"POST /health HTTP/1.0\r\n" + HOST + CHUNKED + b"\r\n" + CHUNKS,
    **{f"coding {it}": POST + HOST + b"Transfer-Encoding: %b\r\n\r\n" % it + CHUNKS
       for it in (b"", b"gzip", b"identity", b"gzip, chunked", b"chunked, gzip", b"xchunked", b"chunked;a", b"\x0bchunked")},
    **{f"length {it}": POST + HOST + b"Content-Length: %b\r\n\r\nabcd" % it
       for it in (b"", b"-4", b"+4", b"0x4", b"4x", b"4 4", b"a", b"99999999999999999999", b"18446744073709551620", b"1" * 400, b"\x0b4", b"4\x00")},
    **{f"chunk {it}": POST + HOST + CHUNKED + b"\r\n%b\r\nabcd\r\n0\r\n\r\n" % it for it in (b"-4", b"+4", b"0x4", b" 4", b"4 4", b"g", b"", b"3", b";a")},
    "lines end by LF": b"GET /health HTTP/1.1\nHost: x\n\n",
    "one line ends by LF": GET + b"X: a\n" + HOST + b"\r\n",
    "the last line ends by LF": GET + HOST + b"\n",
    "the first line ends by LF": b"GET /health HTTP/1.1\nHost: x\r\n\r\n",
    "CR in a line": GET + HOST + b"X: a\rY: b\r\n\r\n",
    "CR before CRLF": GET + HOST + b"X: a\r\r\n\r\n",
    "a zero in a line": GET + HOST + b"X: a\x00b\r\n\r\n",
    "zeros for an end of line": GET + HOST + b"X: a\x00\x00Y: b\r\n\r\n",
    "a line that goes on": GET + HOST + b"X: a\r\n b\r\n\r\n",
    "a host that goes on": GET + b"Host:\r\n\tx\r\n\r\n",
    "a first field with a space": GET + b" X: a\r\n" + HOST + b"\r\n",
    "a space before the colon": GET + b"Host : x\r\n\r\n",
    "a tab before the colon": POST + HOST + FOUR + b"Transfer-Encoding\t: chunked\r\n\r\nabcd",
    "a field without a name": GET + HOST + b": a\r\n\r\n",
    "a field without a colon": GET + HOST + b"X\r\n\r\n",
    "a control character in a name": GET + HOST + b"X\x01: a\r\n\r\n",
    "a space in the target": b"GET /health /health HTTP/1.1\r\n" + HOST + b"\r\n",
    "a control character in the target": b"GET /health\x01 HTTP/1.1\r\n" + HOST + b"\r\n",
    **{f"{it} after {parts[0]}": it.join(parts) + b"\r\n" + HOST + b"\r\n" for it in (b"\t", b"\x00", b"\x01", b"\x7f")
       for parts in ((b"GE", b"T /health HTTP/1.1"), (b"GET", b" /health HTTP/1.1"), (b"GET ", b"/health HTTP/1.1"), (b"GET /health?a", b"b HTTP/1.1"),
                     (b"GET /health ", b"HTTP/1.1"), (b"GET /health HTTP/1.1", b""))},
    "a zero in a name": GET + HOST + b"X\x00Y: a\r\n\r\n",
    "a zero after a value": GET + HOST + b"X: a\x00\r\n\r\n",
    "no target": b"GET  HTTP/1.1\r\n" + HOST + b"\r\n",
    "a method with a comma": b"GET,POST /health HTTP/1.1\r\n" + HOST + b"\r\n",
    "no version": b"GET /health\r\n" + HOST + b"\r\n",
    "a space after the version": b"GET /health HTTP/1.1 \r\n" + HOST + b"\r\n",
    "a version in lower case": b"GET /health http/1.1\r\n" + HOST + b"\r\n",
}


class Framing(ServerTest):
    def answers(self, *pieces):
        """Each piece is sent as a segment of its own; returns all bytes until the server closes."""
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            answer = b""
            with contextlib.suppress(OSError):  # the server may close before it has read all
                for piece in pieces:
                    connection.sendall(piece)
            with contextlib.suppress(OSError):
                while part := connection.recv(65536):
                    answer += part
            return answer

    def test_a_wrong_request_is_refused_once_and_ends_the_connection(self):
        for name, data in WRONG.items():
            with self.subTest(name):
                answer = self.answers(data + GET + HOST + b"\r\n")
                self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
                self.assertIn(b" 400 ", answer[:13])
                self.assertIn(b"\r\nConnection: close\r\n", answer)

    def test_what_is_not_a_request_gets_no_answer(self):
        for data in (b" /health HTTP/1.1\r\n" + HOST + b"\r\n", b"\x16\x03\x01\x00\r\n\r\n", b"GET\r\n\r\n"):
            with self.subTest(data):
                self.assertEqual(self.answers(data + GET + HOST + b"\r\n"), b"")

    def test_it_is_refused_however_it_arrives(self):
        for name, data in WRONG.items():
            with self.subTest(name):
                half = data.index(b"\r\n") + 4 if b"\r\n" in data else 22
                answer = self.answers(data[:half], data[half:-3], data[-3:], GET + HOST + b"\r\n")
                self.assertEqual(answer.count(b"HTTP/1.1 400 "), 1, answer)

    def test_a_right_request_is_answered_once(self):
        for data in RIGHT:
            with self.subTest(data):
                answer = self.answers(data + b"GET /health HTTP/1.0\r\n\r\n")
                self.assertEqual(answer.count(b'{"code":"Ok"}'), 2 - (b"chunked" in data.lower() or b"1.0" in data), answer)
                self.assertEqual(answer.count(b"HTTP/1.1 200 "), answer.count(b"HTTP/1.1 "), answer)

    def test_an_absolute_target_is_read_as_its_path(self):
        for target, path in (("http://x", "/"), ("http://x?a=b", "/?a=b"), ("http://x:1/nearest/v1/driving/7,43", "/nearest/v1/driving/7,43"),
                             ("http://x/info", "/info"), ("http://x/a//b?http://y/", "/a//b?http://y/"), ("http://x/reload", "/reload")):
            with self.subTest(target=target):
                (status, _, body), (expected, _, same) = self.server.ask(target), self.server.ask(path)
                self.assertEqual((status, body), (expected, same))
        self.assertEqual(self.server.ask("http:///info")[0], 400)

    def test_a_method_that_a_path_does_not_take_is_named_with_those_that_it_takes(self):
        for method, path, allowed in (("DELETE", "/health", "GET, HEAD, POST, OPTIONS"), ("GET", "/reload", "POST, OPTIONS"),
                                      ("PUT", "/route/v1/driving/7,43;7,44", "GET, HEAD, POST, OPTIONS"), ("HEAD", "/traffic/v1/driving", "POST, OPTIONS"),
                                      ("ET", "/health", "GET, HEAD, POST, OPTIONS"), ("get", "/health", "GET, HEAD, POST, OPTIONS")):
            with self.subTest(method=method, path=path):
                status, headers, _ = self.server.ask(path, method)
                self.assertEqual((status, headers["Allow"]), (405, allowed))
        for path, allowed in (("/reload", "POST, OPTIONS"), ("/health", "GET, HEAD, POST, OPTIONS")):
            self.assertEqual(self.server.ask(path, "OPTIONS")[1]["Access-Control-Allow-Methods"], allowed)
