"""/traffic/v1: the forms in which arcs are named, their answers, and what is refused."""

import http.client
import json

from server import AVENUE, BLOCKS, Server, TownTest
from support import run

TRAFFIC = "/traffic/v1/driving"
TOKEN = {"Authorization": "Bearer s3cret"}
FIRST = 1 + AVENUE * BLOCKS  # the avenue's nodes: FIRST to LAST, all of them junctions
LAST = FIRST + BLOCKS - 1
AVENUE_WAY = 100 + 2 * AVENUE
ALONG = f"/route/v1/driving/7.0000,{43 + AVENUE * 0.002:.4f};7.0080,{43 + AVENUE * 0.002:.4f}?overview=false&continue_straight=false"


class Traffic(TownTest):
    import_options = ("--node-ids",)
    settings = ()

    def setUp(self):
        with open(self.path("token"), "w") as token:
            token.write("s3cret\n")
        self.own = Server(self.file, "--token-file", self.path("token"), *self.settings)

    def tearDown(self):
        self.assertEqual(self.own.stop()[0], 0)

    def post(self, body):
        body = json.dumps(body) if isinstance(body, dict) else body
        status, _, answer = self.own.ask(TRAFFIC, "POST", body.encode(), TOKEN)
        return status, json.loads(answer)

    def changed(self, body):
        status, answer = self.post(body)
        self.assertEqual((status, answer["code"]), (200, "Ok"), answer)
        return answer["changed"]

    def duration(self):
        return json.loads(self.own.ask(ALONG)[2])["routes"][0]["duration"]

    def refused(self, body, code, message):
        before = self.duration()
        status, answer = self.post(body)
        self.assertEqual((status, answer["code"], answer["message"]), (400, code, message))
        self.assertEqual(self.duration(), before)


class Forms(Traffic):
    def test_every_form_counts_the_arcs_of_each_entry(self):
        arcs = json.loads(run("arcs", self.file, "--format", "json")[0])
        numbers = {(arc["tail"], arc["head"]): arc["arc"] for arc in arcs}
        pieces = BLOCKS - 1
        for body, counts, seconds in (
            ({"arc": [numbers[FIRST, FIRST + 1]], "value": [1000]}, [1], None),
            ({"arc": [numbers[i, i + 1] for i in range(FIRST, LAST)], "value": [1000] * pieces}, [1] * pieces, pieces),
            ({"tail": list(range(FIRST, LAST)), "head": list(range(FIRST + 1, LAST + 1)), "value": [2000] * pieces}, [1] * pieces, 2 * pieces),
            ({"way": [AVENUE_WAY], "value": [3000]}, [2 * pieces], 3 * pieces),
            (f'\ufeff{{"way": [{AVENUE_WAY}], "value": [5000]}}', [2 * pieces], 5 * pieces),
            ({"way": [AVENUE_WAY] * 2, "forward": [True, False], "value": [4000, None]}, [pieces, pieces], 4 * pieces),
            ({"way": [AVENUE_WAY], "forward": [None], "value": [1000]}, [2 * pieces], pieces),
            ({"way": [AVENUE_WAY], "tail": [FIRST], "head": [LAST - 1], "value": [2000]}, [pieces - 1], 2 * pieces - 1),
            ({"way": [AVENUE_WAY], "value": ["imported"], "quantity": "duration"}, [2 * pieces], None),
        ):
            with self.subTest(body=body):
                self.assertEqual(self.changed(body), counts)
                if seconds:
                    self.assertEqual(self.duration(), seconds)

    def test_node_pairs_and_lines_give_the_same_speeds(self):
        before = self.duration()
        pairs = [(i, i + 1) for i in range(FIRST, LAST)]
        metres = json.loads(self.own.ask(ALONG)[2])["routes"][0]["distance"]
        lines = "".join(f"{a},{b},36\n" for a, b in pairs)
        for body in ({"from": [a for a, _ in pairs], "to": [b for _, b in pairs], "speed": [36] * len(pairs)}, lines, lines.rstrip(),
                     "\ufeff" + lines, lines.replace("\n", ",5.5\r\n"), "\n" + lines.replace(",", " , ") + "\n\n",
                     "".join(f'"{a}" ,"{b}","36"\n' for a, b in pairs)):
            for _ in range(2):  # the second time changes nothing
                with self.subTest(body=body):
                    self.assertEqual(self.changed(body), [1] * len(pairs))
                    self.assertAlmostEqual(self.duration(), metres / 10, delta=0.01)
            self.changed({"way": [AVENUE_WAY], "value": ["imported"]})
            self.assertEqual(self.duration(), before)
        self.assertEqual(self.changed(f"{FIRST},{LAST},36\n{FIRST},{FIRST + 1},30\n{FIRST},{FIRST + 1},36"), [0, 1, 1])
        self.assertEqual(self.changed({"from": [FIRST, 5], "to": [FIRST + 1, 999], "speed": [None, 7]}), [1, 0])

    def test_a_bad_entry_is_named_and_nothing_changes(self):
        keys = ("The body is not an object with value and arc, or tail and head, or way (with forward, or tail and head), and perhaps quantity; "
                "or with from, to and speed.")
        weight = 'not a whole number up to 2147483646, null or "imported"'
        for body, code, message in (
            ({"arc": [1, 2], "value": [1, 1.5]}, "InvalidValue", f"value[1]: {weight}: 1.5"),
            ({"arc": [1], "value": [2147483647]}, "InvalidValue", f"value[0]: {weight}: 2147483647"),
            ({"arc": [1], "value": [-1]}, "InvalidValue", f"value[0]: {weight}: -1"),
            ({"arc": [1], "value": ["closed"]}, "InvalidValue", f'value[0]: {weight}: "closed"'),
            ({"arc": [1, 1.5], "value": [1, 1]}, "InvalidValue", "arc[1]: not the number of an arc: 1.5"),
            ({"arc": [-1], "value": [1]}, "InvalidValue", "arc[0]: not the number of an arc: -1"),
            ({"arc": [1, 0], "value": [1, 1]}, "InvalidValue", "no arc has the number 0 (entry 1)"),
            ({"arc": [1], "value": [1, 2]}, "InvalidValue", "value: 2 elements, not 1 as the lists before it"),
            ({"arc": 1, "value": [1]}, "InvalidValue", "arc: not a list of entries"),
            ({"arc": [], "value": []}, "InvalidValue", "arc: the list is empty"),
            ('{"arc": [1], "value": [1], "value": [2]}', "InvalidQuery", "The body has two members value."),
            ('{"quantity": "duration", "arc": [1], "value": [1], "quantity": "duration"}', "InvalidQuery", "The body has two members quantity."),
            ({"arc": [1], "value": [1], "speeds": [1]}, "InvalidQuery", "The service traffic takes no member speeds."),
            ({"arc": [1], "tail": [1], "head": [2], "value": [1]}, "InvalidQuery", keys),
            ({"arc": [1], "way": [1], "value": [1]}, "InvalidQuery", keys),
            ({"tail": [1], "value": [1]}, "InvalidQuery", keys),
            ({"from": [1], "to": [2], "value": [1]}, "InvalidQuery", keys),
            ({"from": [1], "to": [2], "speed": [1], "quantity": "duration"}, "InvalidQuery", keys),
            ({"quantity": 1, "arc": [1], "value": [1]}, "InvalidValue", "quantity: not a text"),
            ({"tail": ["1"], "head": [2], "value": [1]}, "InvalidValue", 'tail[0]: not the id of a node: "1"'),
            ({"way": [AVENUE_WAY], "forward": [1], "value": [1]}, "InvalidValue", "forward[0]: not true, false or null: 1"),
            ({"way": [AVENUE_WAY, 7], "value": [1, 1]}, "InvalidValue", "no arc lies on way 7 (entry 1)"),
            ({"from": [1], "to": [2], "speed": [-1]}, "InvalidValue", "speed[0]: not a number from 0 on, or null: -1"),
            ("[]", "InvalidQuery", keys),
            ("[1]", "InvalidQuery", keys),
            ("{", "InvalidQuery", "The body is not JSON: malformed close to position 0"),
            ("", "InvalidQuery", "The body is not JSON: malformed close to position 0"),
            ('{"arc": [1], "value": [1]} {"arc": [2]}', "InvalidQuery", "The body is not JSON: malformed close to position 27"),
            (f"{FIRST},{FIRST + 1},1\n\n1,x,1\n", "InvalidValue", 'line 3: not the id of a node: "x"'),
            (f"{FIRST},{FIRST + 1},1\n1,2\n", "InvalidValue", "line 2: 2 fields, not 3 or 4"),
            (f"{FIRST},{FIRST + 1},1\n1,2,3,4,5\n", "InvalidValue", "line 2: 5 fields, not 3 or 4"),
            (f"{FIRST},{FIRST + 1},1\n1,2,-3\n", "InvalidValue", 'line 2: not a number from 0 to 2147483: "-3"'),
            (f"{FIRST},{FIRST + 1},1\n1,2,nan\n", "InvalidValue", 'line 2: not a number from 0 to 2147483: "nan"'),
            (f'{FIRST},{FIRST + 1},1\n"1,2,3\n', "InvalidValue", "line 2: a quote without its end"),
            ("from_node,to_node,speed\n1,2,3\n", "InvalidValue", 'line 1: not the id of a node: "from_node"'),
        ):
            with self.subTest(body=body):
                self.refused(body, code, message)


class WithoutNodes(Traffic):
    import_options = ()

    def test_a_map_without_node_ids_knows_junctions(self):
        self.assertEqual(self.changed(f"{FIRST},{FIRST + 1},36\n"), [1])
        self.refused(f"{FIRST},{FIRST + 1},5\n{FIRST},{LAST},5\n", "NotImplemented",
                     f"No road leads from junction {FIRST} to junction {LAST}, and the map has no ids of other nodes: import it with --node-ids.")


class Streams(Traffic):
    """Lines are taken while they come: the body may be larger than what the server holds."""

    settings = ("--max-body", "64K")
    PAIRS = [(i, i + 1) for i in range(FIRST, LAST)] + [(999, 998)]

    def lines(self, count, speed):
        return [f"{a},{b},{speed}\n" for i in range(count) for a, b in (self.PAIRS[i % len(self.PAIRS)],)]

    def test_a_large_body_is_not_held(self):
        lines = self.lines(50000, 36)
        body = "".join(lines)
        self.assertGreater(len(body), 6 * 65536)
        counts = [int(i % len(self.PAIRS) < len(self.PAIRS) - 1) for i in range(len(lines))]
        self.assertEqual(self.changed(body), counts)
        duration = self.duration()
        self.changed({"way": [AVENUE_WAY], "value": ["imported"]})
        self.assertNotEqual(self.duration(), duration)
        connection = http.client.HTTPConnection("127.0.0.1", self.own.port)
        connection.request("POST", TRAFFIC, (body[i : i + 7777].encode() for i in range(0, len(body), 7777)), TOKEN, encode_chunked=True)
        answer = connection.getresponse()
        self.assertEqual(json.loads(answer.read())["changed"], counts)
        connection.close()
        self.assertEqual(self.duration(), duration)

    def test_a_bad_line_late_in_the_body_changes_nothing(self):
        lines = self.lines(50000, 1)
        lines[44443] = "1,2,fast\n"
        self.refused("".join(lines), "InvalidValue", 'line 44444: not a number from 0 to 2147483: "fast"')
        self.refused("1" * 300000, "InvalidValue", "line 1: it is too long")

    def test_without_the_token_no_body_is_taken(self):
        status, headers, _ = self.own.ask(TRAFFIC, "POST", "1,2,3\n" * 10)
        self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"))
