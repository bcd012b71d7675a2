"""The framing of requests beside nginx: what nginx refuses, `macadam serve` refuses; each answers a request once. Not a test of CI.

    MACADAM_COMMAND=... python3 beside_nginx.py [SEED [REQUESTS]]

nginx (on the PATH) passes requests on to itself, so that it reads their bodies. Requests are mutations of good ones; each goes to both
servers on a connection of its own, and those that only nginx refuses are printed. One kind is known: of what libmicrohttpd has read,
a zero before LF looks like CR.
"""

import collections
import contextlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

from server import CommandTest, Server

CONFIGURATION = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 500; }}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; client_header_timeout 2s; client_body_timeout 2s; keepalive_timeout 2s;
    server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{upstream}; }} }}
    server {{ listen 127.0.0.1:{upstream}; location / {{ return 200 "ok"; }} }}
}}"""
METHODS = [b"GET", b"POST", b"HEAD", b"get", b"G T", b"", b"PO\x00ST", b"GET,", b"CONNECT", b"TRACE", b"DELETE"]
TARGETS = [b"/health", b"/health?a=b", b"/he alth", b"/he\talth", b"/he\x01alth", b"/%00", b"/%zz", b"health", b"*", b"/he\x7falth", b"/../health", b"",
           b"/health#x", b"/h\xc3\xa4lth", b"/health\x00"]
VERSIONS = [b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1", b"HTTP/11", b"HTTP/1.1 ", b"HTTP/1.1x", b"", b"HTTP/1.\x001"]
FIELDS = [b"Host: x", b"Host: y", b"Host:", b"Host: a b", b"Host: a/b", b"Host: a@b", b"Host: [::1]:80", b"Host: x:", b"Host: ..", b"host: x", b"Host : x", b" Host: x", b"Host\t: x",
          b"Content-Length: 4", b"Content-Length: 5", b"Content-Length: 4, 4", b"Content-Length: +4", b"Content-Length: -4", b"Content-Length: 0x4",
          b"Content-Length: 4 4", b"Content-Length:", b"Content-Length: 99999999999999999999", b"Content-Length: 18446744073709551620", b"Content-Length: 04",
          b"Content-Length: 4;", b"Content-Length : 4", b"content-length:4", b"Content-Length: 4\x00", b"Content-Length: \x0b4", b"Content_Length: 4",
          b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: identity", b"Transfer-Encoding: chunked, identity",
          b"Transfer-Encoding: xchunked", b"Transfer-Encoding:\tchunked", b"Transfer-Encoding : chunked", b"transfer-encoding: CHUNKED", b"Transfer-Encoding: \"chunked\"",
          b"Transfer-Encoding: chunked;q=1", b"Transfer-Encoding:", b"Transfer\x0bEncoding: chunked", b"Transfer-Encoding: chunked\x00",
          b"X: a\rb", b"X: a\x00b", b"X: a\x01b", b"X: a\nY: b", b"X: a\r\n b", b"X: a\r\n\tb", b"X", b"X y: z", b": x", b"X\x01: y", b"\x80: y", b"X: \x80", b"X(: y",
          b"Connection: close", b"Connection: keep-alive", b"Expect: 100-continue", b"Expect: x", b"TE: trailers", b"Upgrade: h2c", b"Range: bytes=0-0", b"Authorization: a", b"If-None-Match: a",
          b"If-Modified-Since: a", b"Content-Type: a", b"User-Agent: a", b"Referer: a", b"Accept: a", b"Cookie: a=b", b"Cookie: a=b; c=d", b"Origin: x", b"Keep-Alive: 1", b"Via: x",
          b"Accept-Encoding: x", b"Accept-Language: x", b"If-Range: x", b"Date: x", b"Depth: 1", b"Destination: /x", b"Overwrite: T", b"X-Forwarded-For: a"]
ENDS = [b"\r\n"] * 60 + [b"\n", b"\r", b"\r\r\n", b"\n\r", b" \r\n", b"\r\n\r\n"]
BODIES = [b"", b"abcd", b"abcde", b"4\r\nabcd\r\n0\r\n\r\n", b"4\r\nabcd\r\n00\r\n\r\n", b"4;a=b\r\nabcd\r\n0\r\n\r\n", b"4\nabcd\n0\n\n", b"-4\r\nabcd\r\n0\r\n\r\n", b"+4\r\nabcd\r\n0\r\n\r\n",
          b"0x4\r\nabcd\r\n0\r\n\r\n", b"4 \r\nabcd\r\n0\r\n\r\n", b" 4\r\nabcd\r\n0\r\n\r\n", b"5\r\nabcd\r\n0\r\n\r\n", b"3\r\nabcd\r\n0\r\n\r\n", b"g\r\nabcd\r\n0\r\n\r\n",
          b"fffffffffffffffff\r\nabcd\r\n0\r\n\r\n", b"8000000000000000\r\nabcd\r\n0\r\n\r\n", b"\r\nabcd\r\n0\r\n\r\n", b"4\r\nabcdX\r\n0\r\n\r\n", b"4\r\nabcd\r\n0\r\nX: y\r\n\r\n",
          b"4\r\nabcd\r\n0\r\nX y\r\n\r\n", b"4;\x00\r\nabcd\r\n0\r\n\r\n", b"4\rabcd\r\n0\r\n\r\n", b"4\r\nabcd0\r\n\r\n"]


def some(choices, often):
    """Mostly the first one."""
    return choices[0] if random.random() < often else random.choice(choices)


def request():
    fields = [some(FIELDS, 0.9)] if random.random() < 0.95 else []
    body = b""
    if random.random() < 0.5:
        body = random.choice(BODIES)
        fields.append(some([b"Transfer-Encoding: chunked" if b"\n" in body else b"Content-Length: %d" % len(body), b"X: y"], 0.9))
    fields += [random.choice(FIELDS) for _ in range(random.choice((0, 0, 1, 1, 2)))]
    random.shuffle(fields)
    lines = [b" ".join((b"POST" if body else some(METHODS, 0.95), some(TARGETS, 0.95), some(VERSIONS, 0.95))), *fields, b""]
    data = b"".join(line + random.choice(ENDS) for line in lines) + body
    if random.random() < 0.1:  # one byte
        at = random.randrange(len(data))
        data = data[:at] + random.choice((b"", bytes([random.randrange(256)]), b"\r\n", b" ")) + data[at + random.choice((0, 1)) :]
    return data


def ask(port, data):
    """(the first status, 0 if there is none; the number of answers)"""
    answer = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.15) as connection:
        connection.sendall(data)
        while part := connection.recv(65536):
            answer += part
    statuses = re.findall(rb"(?:^|\r\n\r\n[^\r\n]*?)HTTP/1\.1 ([2-9]\d\d)", answer)
    return int(statuses[0]) if statuses else 0, len(statuses)


class Beside(CommandTest):
    def runTest(self):
        seed, count = [int(it) for it in (*sys.argv[1:], 1, 2000)[:2]] if len(sys.argv) != 2 else (int(sys.argv[1]), 2000)
        random.seed(seed)
        ports = [socket.socket() for _ in range(2)]
        for it in ports:
            it.bind(("127.0.0.1", 0))
        port, upstream = [it.getsockname()[1] for it in ports]
        for it in ports:
            it.close()
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/conf", "w") as file:
                file.write(CONFIGURATION.format(folder=folder, port=port, upstream=upstream))
            nginx = subprocess.Popen(["nginx", "-c", f"{folder}/conf", "-e", f"{folder}/error"])
            server = Server(self.file)
            time.sleep(0.5)
            pairs = collections.Counter()
            worse = 0
            for _ in range(count):
                data = request()
                theirs, ours = ask(port, data), ask(server.port, data)
                pairs[theirs[0], ours[0]] += 1
                if ((theirs[0] == 0 or theirs[0] >= 400) and ours[0] == 200) or ours[1] > max(1, theirs[1]):
                    worse += 1
                    print(theirs, ours, data)
            print(f"{count} requests of seed {seed}; (nginx, macadam): {dict(pairs)}; {worse} only nginx refuses or answers once")
            nginx.terminate()
            nginx.wait()
            server.stop()
            self.assertEqual(worse, 0)


if __name__ == "__main__":
    test = Beside()
    Beside.setUpClass()
    test.runTest()
    Beside.tearDownClass()
