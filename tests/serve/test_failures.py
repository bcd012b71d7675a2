"""Requests that the server refuses, in the words of OSRM; hostile and careless clients do not harm it."""

import contextlib
import json
import os
import pathlib
import random
import select
import shutil
import signal
import socket
import subprocess
import threading
import time

from server import Server, ServerTest
from support import COMMAND, EXIT, CommandTest, run

PAIR = "7.0,43.0;7.01,43.0"  # 17 characters


class Refusals(ServerTest):
    def test_each_fault_has_its_code_and_its_text(self):
        malformed = "Query string malformed close to position {}".format
        for path, code, message in (
            ("/foo", "InvalidUrl", 'URL string malformed close to position 4: "foo"'),
            ("/route/v1", "InvalidUrl", 'URL string malformed close to position 9: "/v1"'),
            ("/route/v1/driving/", "InvalidUrl", 'URL string malformed close to position 18: "ng/"'),
            (f"/route/v1//{PAIR}", "InvalidUrl", 'URL string malformed close to position 10: "v1//7."'),
            (f"/route/v1/driving/{PAIR}%", "InvalidUrl", None),
            (f"/route/v1/driving/{PAIR}%00", "InvalidUrl", None),
            (f"/foo/v1/driving/{PAIR}", "InvalidService", "Service foo not found!"),
            (f"/route/v2/driving/{PAIR}", "InvalidVersion", "Service route not found!"),
            ("/route/v1/driving/7,x", "InvalidQuery", malformed(20)),
            (f"/route/v1/driving/{PAIR}?", "InvalidQuery", malformed(37)),
            (f"/route/v1/driving/{PAIR}?foo=bar", "InvalidOptions", "The service route takes no option foo."),
            (f"/table/v1/driving/{PAIR}?departure=Mo08:15", "InvalidOptions", "The service table takes no option departure: "
             "use slot (roads as they are in this quarter of an hour, for the whole way; with depart, the clock moves)."),
            (f"/route/v1/driving/{PAIR}?steps=maybe", "InvalidQuery", malformed(43)),
            (f"/route/v1/driving/{PAIR}?steps=true&steps", "InvalidQuery", malformed(47)),
            (f"/route/v1/driving/{PAIR}?steps=true&number=2", "InvalidOptions", "The service route takes no option number."),
            (f"/route/v1/driving/{PAIR}?vehicle_height=0", "InvalidOptions", "vehicle_height must be > 0"),
            (f"/route/v1/driving/{PAIR}?%FF%22=1", "InvalidOptions", None),
            (f"/route/v1/driving/{PAIR}?approaches=curb;foo", "InvalidQuery", malformed(53)),
            (f"/route/v1/driving/{PAIR}?annotations=foo", "InvalidQuery", malformed(49)),
            (f"/table/v1/driving/{PAIR}?sources=x", "InvalidQuery", malformed(45)),
            ("/route/v1/driving/polyline(_)", "InvalidQuery", None),
            ("/route/v1/driving/nan,inf;0x1,1", "InvalidQuery", malformed(18)),
            ("/route/v1/driving/7,43", "InvalidOptions", "Number of coordinates needs to be at least two."),
            ("/table/v1/driving/7,43", "InvalidOptions", "Number of coordinates needs to be at least two."),
            (f"/route/v1/driving/{PAIR}?bearings=1,2", "InvalidOptions",
             "Number of elements in bearings size 1 does not match coordinate size 2"),
            (f"/route/v1/driving/{PAIR}?radiuses=1", "InvalidOptions",
             "Number of elements in radiuses size 1 does not match coordinate size 2"),
            (f"/route/v1/driving/{PAIR}?bearings=361,20;", "InvalidOptions", None),
            (f"/route/v1/driving/{PAIR}?bearings=1,181;", "InvalidOptions", None),
            (f"/table/v1/driving/{PAIR}?sources=2", "InvalidOptions", None),
            (f"/table/v1/driving/{PAIR}?scale_factor=-1", "InvalidOptions", "scale_factor must be > 0"),
            (f"/table/v1/driving/{PAIR}?fallback_speed=0", "InvalidOptions", "fallback_speed must be > 0"),
            ("/nearest/v1/driving/7,43?number=0", "InvalidOptions", None),
            ("/route/v1/driving/190,43;7,43", "InvalidValue", "Invalid coordinate value."),
            (f"/route/v1/driving/{PAIR}?waypoints=0", "InvalidValue",
             "First and last coordinates must be specified as waypoints."),
            (f"/route/v1/driving/{PAIR}?exclude=foo", "InvalidValue", "Exclude flag combination is not supported."),
            (f"/route/v1/driving/{PAIR}?exclude_polygons=7,43,7,44", "InvalidOptions", "A polygon has at least three corners."),
            (f"/route/v1/driving/{PAIR}?exclude_polygons=7,43,7,44,7", "InvalidQuery", None),
            (f"/route/v1/driving/{PAIR}?exclude_polygons=7,43,7,44,7,99", "InvalidValue", None),
            (f"/route/v1/driving/{PAIR}?annotations=nodes", "NotImplemented", None),
            *((f"/route/v1/driving/{PAIR}?slot={it}", "InvalidQuery", malformed(42))
              for it in ("", "Mo24:00", "Mo08:60", "Mi08:15", "Mo8:15", "Mo08-15", "Mo08:151")),
            *((f"/route/v1/driving/{PAIR}?depart={it}", "InvalidQuery", malformed(44))
              for it in ("", "Mo24:00", "Mo08:15,", "2026-02-29T08:15", "2026-11-30T08:15Z,")),
            (f"/route/v1/driving/{PAIR}?depart=Mo08:15,Mo08:30", "InvalidOptions", "2 instants of a clock; a route has one"),
            (f"/route/v1/driving/{PAIR}?depart=2026-11-30T08:15Z", "NotImplemented",
             'the time "2026-11-30T08:15Z" has a zone: give the map\'s utc_offset (--utc-offset), or the local time'),
            *((f"/route/v1/driving/{PAIR}?depart=Mo08:15&utc_offset={it}", "InvalidQuery", malformed(63)) for it in ("", "1", "%2B1")),
            (f"/route/v1/driving/{PAIR}?utc_offset=Z", "InvalidOptions", "a clock without a departure or an arrival"),
            (f"/table/v1/driving/{PAIR}?depart=Mo08:15&arrive_by=Mo08:30", "InvalidOptions", None),
            (f"/table/v1/driving/{PAIR}?time_each=true", "InvalidOptions", "a clock without a departure or an arrival"),
            (f"/trip/v1/driving/{PAIR}?depart=Mo08:15,Mo09:00", "InvalidOptions", "2 instants of a clock; a trip has one"),
            (f"/isochrone/v1/driving/7,43?contours_minutes=5&arrive_by=Mo08:15", "NotImplemented",
             "an area from its source, with arrivals: it has departures"),
            (f"/route/v1/driving/{PAIR};7,43?arrive_by=Mo08:15&continue_straight=true", "NotImplemented",
             "a route that arrives by an instant cannot go straight on at its waypoints: it needs via_turn any "
             "(--via-turn any; in the service continue_straight=false)"),
            (f"/route/v1/driving/{PAIR}?vehicle_height=1001", "InvalidOptions", "the vehicle's height is 1001, not 0 to 1000"),
            (f"/isochrone/v1/driving/7,43?contours_minutes=5&width=1e9", "InvalidOptions", "a width of 1e+09 m: not from 0 to 1,000,000"),
            (f"/table/v1/driving/{PAIR}?approximate=true", "NotImplemented", "an approximate matrix without departures: only departures are approximated"),
            ("/route/v1/driving/7.005,43.005;7,43?radiuses=5;5", "NoSegment",
             "Could not find a matching segment for coordinate 0"),
            ("/table/v1/driving/7,43;7.005,43.005?radiuses=;0", "NoSegment",
             "Could not find a matching segment for coordinate 1"),
        ):
            with self.subTest(path=path):
                self.assertFails(path, code, message)

    def test_places_that_no_road_connects_have_no_route(self):
        path = f"/route/v1/driving/{self.at(EXIT, 1)}?snapping=any"
        self.assertFails(f"{path}&radiuses=1000;1000", "NoRoute", "Impossible route between points")
        status, _, answer = self.server.ask(f"{path}&radiuses=unlimited;unlimited")
        self.assertEqual(status, 200, "without a bound, the place is taken to a road that leads on")

    def test_a_trip_leaves_out_stops_that_cannot_be_reached(self):
        near = "snapping=any&generate_hints=false&radiuses="
        answer = json.loads(self.server.ask(f"/trip/v1/driving/{self.at(1, EXIT, 30)}?{near}1;1;1")[2])
        rest = json.loads(self.server.ask(f"/trip/v1/driving/{self.at(1, 30)}?{near}1;1")[2])
        left_out = answer["waypoints"].pop(1)
        self.assertEqual(answer, rest)
        self.assertEqual([left_out[name] for name in ("waypoint_index", "trips_index", "status")], [None, None, "unreached"])
        self.assertEqual(list(left_out)[:5], list(rest["waypoints"][0])[:5])
        path = f"/trip/v1/driving/{self.at(EXIT, 30, 1)}?{near}1;1;1"
        self.assertFails(f"{path}&source=first", "NoTrips", "No trip possible: no way leads to coordinate 0 and back")
        self.assertFails(f"/trip/v1/driving/{self.at(EXIT, 1)}?{near}1;1", "NoTrips", "No trip visiting all destinations possible.")

    def test_a_bad_body_is_refused(self):
        for body in ("", "{", "[]", "{}", '{"coordinates": {}}', '{"coordinates": [[7,43],[7,"a"]]}', '{"coordinates": 1e999}',
                     '{"coordinates": [[7,43],[7,43]], "steps": "maybe"}', '{"coordinates": "7,43", "steps": {}}', "[" * 100000, '{"coordinates":' + "[" * 5000):
            with self.subTest(body=body[:40]):
                status, _, answer = self.server.ask("/route/v1/driving", "POST", body)
                self.assertEqual(status, 400)
                self.assertIn(json.loads(answer)["code"], ("InvalidQuery", "InvalidUrl"))
        status, _, answer = self.server.ask("/route/v1/driving", "POST", '{"coordinates": [[7,43],[7,43]], "departure": "Mo08:15"}')
        self.assertEqual((status, json.loads(answer)["code"]), (400, "InvalidOptions"))
        self.assertIn("takes no option departure: use slot (", json.loads(answer)["message"])

    def test_other_methods_are_refused(self):
        status, _, answer = self.server.ask(f"/route/v1/driving/{PAIR}", "DELETE")
        self.assertEqual((status, json.loads(answer)["code"]), (405, "InvalidQuery"))


class Hostile(CommandTest):
    """A server with small limits, after whatever it was sent, answers and holds nothing back."""

    def setUp(self):
        self.server = Server(self.file, "--max-body", "100K", "--max-connections", 20, "--threads", 2)
        before = self.server.descriptors()
        self.assertTrue(self.answers())
        self.descriptors = before

    def tearDown(self):
        self.assertTrue(self.answers())
        self.server.wait_for_descriptors(self.descriptors)
        status, log = self.server.stop()
        self.assertEqual(status, 0, log)

    def answers(self):
        return self.server.ask(f"/route/v1/driving/{PAIR}")[0] == 200

    def test_rubbish(self):
        random.seed(19)
        pieces = [b"GET ", b"/route/v1/driving/", b"7,43;", b"%", b"%00", b" HTTP/1.1\r\n", b"\r\n", b"\x00\xff", b"?steps=", b"A" * 3000,
                  b"Content-Length: 99999999999999999999\r\n", b"Transfer-Encoding: chunked\r\n", b"polyline(", b"\r\n\r\n", b"Host: x\r\n"]
        for _ in range(300):
            self.server.raw(b"".join(random.choice(pieces) for _ in range(random.randint(1, 12))))

    def test_long_heads_and_bodies_are_refused(self):
        self.assertIn(b" 414 ", self.server.raw(b"GET /" + b"a" * 9000000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")[:20])
        status, _, body = self.server.ask("/table/v1/driving", "POST", b"x" * 200000)
        self.assertEqual((status, json.loads(body)["code"]), (413, "TooBig"))
        chunks = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        self.server.raw(b"POST /table/v1/driving HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks * 4)

    def test_clients_that_break_off(self):
        body = json.dumps({"coordinates": [[7 + i * 0.0001, 43] for i in range(300)]}).encode()
        head = b"POST /table/v1/driving HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
        for size in (5, len(head) - 2, len(head), len(head) + 100, len(head) + len(body)):
            for _ in range(5):
                with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
                    connection.sendall((head + body)[:size])

    def test_clients_beyond_the_limit_wait_until_another_one_has_its_answer(self):
        self.server.wait_for_descriptors(self.descriptors)
        connections = [self.server.connect() for _ in range(20)]
        table = json.dumps({"coordinates": [[7, 43]] * 4100, "format": "bin"})  # sent while it is computed, and not read
        for connection in connections[1:]:
            connection.request("POST", "/table/v1/driving", table)
        while "macadam_requests_running 20" not in self.server.metrics(connections[0]):
            time.sleep(0.01)
        connections[0].request("POST", "/table/v1/driving", table)
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=0.1) as late:
            late.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertRaises(TimeoutError, late.recv, 12)
            answered = select.select([connection.sock for connection in connections], [], [])[0][0]
            connections.pop([connection.sock for connection in connections].index(answered)).close()
            late.settimeout(None)
            self.assertEqual(late.recv(12), b"HTTP/1.1 200")
        for connection in connections:
            connection.close()

    def test_threads_share_the_clients_of_a_burst(self):
        def ticks():
            tasks = {}
            for task in pathlib.Path(f"/proc/{self.server.process.pid}/task").iterdir():
                with contextlib.suppress(OSError):  # a thread may have ended since it was listed
                    tasks[task.name] = int((task / "stat").read_text().rsplit(")", 1)[1].split()[11])
            return tasks

        before, connections = ticks(), [self.server.connect() for _ in range(8)]
        for connection in connections:
            connection.connect()
        while sorted(now - before.get(task, 0) for task, now in ticks().items())[-2] < 2:  # for ever if one has them all
            for connection in connections:
                connection.request("GET", f"/route/v1/driving/{';'.join([PAIR] * 40)}?steps=true")
            for connection in connections:
                connection.getresponse().read()
        for connection in connections:
            connection.close()


class Ends(CommandTest):
    def test_requests_in_flight_are_answered_before_the_end(self):
        server = Server(self.file)
        body = json.dumps({"coordinates": [[7 + i * 0.00001, 43] for i in range(1000)], "skip_waypoints": True})
        before, connections = server.descriptors(), [server.connect() for _ in range(4)]
        for connection in connections:
            connection.request("POST", "/table/v1/driving", body)
        while server.descriptors() < before + len(connections):
            time.sleep(0.001)
        server.process.send_signal(signal.SIGTERM)
        answers = [connection.getresponse() for connection in connections]
        self.assertEqual([(answer.status, len(json.loads(answer.read())["durations"])) for answer in answers], [(200, 1000)] * 4)
        self.assertEqual(server.process.wait(), 0)
        server.process.stderr.close()

    def test_the_maps_are_loaded_again_beside_requests(self):
        server = Server(self.file)
        failed, ends = [], threading.Event()

        def ask():
            connection = server.connect()
            while not ends.is_set():
                connection.request("GET", f"/route/v1/driving/{PAIR}")
                answer = connection.getresponse()
                if answer.status != 200 or not answer.read():
                    failed.append(answer.status)
            connection.close()

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(5):
            server.process.send_signal(signal.SIGHUP)
            self.assertIn("loaded again", server.process.stderr.readline())
        ends.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertEqual(server.stop()[0], 0)

    def test_a_bad_map_does_not_replace_a_good_one(self):
        path = self.path("served.mcd")
        with open(self.file, "rb") as file:
            good = file.read()
        with open(path, "wb") as file:
            file.write(good)
        server = Server(path)
        run("info", path)
        with open(path + ".new", "wb") as file:
            file.write(b"rubbish")
        subprocess.run(["mv", path + ".new", path], check=True)
        server.process.send_signal(signal.SIGHUP)
        self.assertIn("stay as they are", server.process.stderr.readline())
        self.assertEqual(server.ask(f"/route/v1/driving/{PAIR}")[0], 200)
        self.assertEqual(server.stop()[0], 0)


    def test_a_reload_that_was_overtaken_does_not_bring_its_map_back(self):
        """A large map is being loaded when a small one replaces its file and is loaded, too."""
        side, path, large, token = 60, self.path("replaced.mcd"), self.path("large.mcd"), self.path("token")
        with open(self.path("large.osm"), "w") as file:
            file.write('<osm version="0.6">')
            for i in range(side * side):
                file.write(f'<node id="{i + 1}" lon="{7 + i % side * 0.001:.3f}" lat="{43 + i // side * 0.001:.3f}"/>')
            for way in range(2 * side):
                first, step = (1 + way * side, 1) if way < side else (1 + way - side, side)
                file.write(f'<way id="{way + 1}"><tag k="highway" v="residential"/>')
                file.write("".join(f'<nd ref="{first + k * step}"/>' for k in range(side)) + "</way>")
            file.write("</osm>")
        run("import", self.path("large.osm"), "-o", large, "--quiet")
        with open(token, "w") as file:
            file.write("secret")
        small = shutil.copy(self.file, self.path("small.mcd"))
        server = Server(shutil.copy(self.file, path), "--token-file", token)
        inode, reload = os.stat(large).st_ino, ("/reload", "POST", "", {"Authorization": "Bearer secret"})
        os.rename(large, path)
        overtaken = threading.Thread(target=server.ask, args=reload)
        overtaken.start()
        while overtaken.is_alive() and f" {inode} " not in pathlib.Path(f"/proc/{server.process.pid}/maps").read_text():
            pass
        os.rename(small, path)
        self.assertEqual(server.ask(*reload)[0], 200)
        overtaken.join()
        (info,) = json.loads(server.ask("/info")[2])["maps"]
        self.assertEqual(server.stop()[0], 0)
        self.assertLess(info["nodes"], side * side)


class Starts(CommandTest):
    def test_several_maps_are_chosen_by_name(self):
        server = Server(f"one={self.file}", f"two={self.file}")
        self.assertEqual(server.ask(f"/route/v1/one/{PAIR}")[0], 200)
        self.assertEqual(server.ask(f"/route/v1/two/{PAIR}")[0], 200)
        status, _, body = server.ask(f"/route/v1/three/{PAIR}")
        self.assertEqual((status, json.loads(body)["message"]), (400, "Profile three not found!"))
        self.assertEqual(server.stop()[0], 0)

    def test_a_log_may_be_json(self):
        process = subprocess.Popen([COMMAND, "serve", self.file, "--listen", "127.0.0.1:0", "--json-log"], stderr=subprocess.PIPE, text=True)
        self.assertIn("listening", json.loads(process.stderr.readline())["message"])
        process.terminate()
        self.assertEqual(process.wait(), 0)
        process.stderr.close()

    def test_what_cannot_be_served_is_named(self):
        for arguments, status, says in (
            ((self.path("nothing.mcd"),), 3, "nothing.mcd"),
            ((self.file, "--listen", "nowhere:1"), 2, "nowhere:1"),
            ((self.file, "--listen", "127.0.0.1:notaport"), 2, "notaport"),
            ((self.file, "--listen", "127.0.0.1:65536"), 2, "65536"),
            ((self.file, "--max-connections", "0"), 2, "--max-connections 0"),
            ((self.file, "--max-seconds", "-1"), 2, "--max-seconds -1"),
            ((self.file, "--max-body", "big"), 2, "--max-body big"),
            ((), 2, "FILE.mcd"),
        ):
            with self.subTest(says=says):
                self.assertIn(says, run("serve", *arguments, status=status)[1])


