"""Speeds over the week: macadam import --speeds and macadam update --speeds on a street of two ways."""

import unittest

from support import CommandTest, run

TOWN = """<osm version="0.6"><node id="1" lat="50" lon="10"/><node id="2" lat="50" lon="10.01"/><node id="3" lat="50" lon="10.02"/>
<way id="10"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/></way>
<way id="11"><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/></way></osm>"""
SPEEDS = "way,direction,from,to,km/h\n10,1,Mo-Fr 07:00,09:30,9\n12,-1,07:00,08:00,9\n"


class Speeds(CommandTest):
    def setUp(self):
        self.town, self.map = self.write("town.osm", TOWN), self.path("town.mcd")
        self.speeds = self.write("speeds.csv", SPEEDS)

    def arcs(self, path):
        return run("arcs", path)[0]

    def minutes(self, path, depart):
        return run("route", path, "--from", "node:1", "--to", "node:3", "--depart", depart)[0]

    def test_import_reports_what_is_not_on_the_map(self):
        _, report = run("import", self.town, "--speeds", self.speeds, "-o", self.map)
        self.assertIn("arcs with speeds over the week: 1\n", report)
        self.assertIn("ways and directions with speeds that are not on the map: 1 (way/12)\n", report)
        self.assertNotEqual(self.minutes(self.map, "Mo08:00"), self.minutes(self.map, "Sa08:00"))
        run("info", self.map, "--verify")

    def test_an_update_is_as_good_as_an_import(self):
        plain, updated = self.path("plain.mcd"), self.path("updated.mcd")
        run("import", self.town, "--speeds", self.speeds, "-o", self.map, "--quiet")
        run("import", self.town, "-o", plain, "--quiet")
        _, report = run("update", plain, "--speeds", self.speeds, "-o", updated)
        self.assertIn("not on the map: 1 (way/12)", report)
        run("info", updated, "--verify")
        self.assertEqual(self.arcs(updated), self.arcs(self.map))
        for depart in ("Mo08:00", "Sa08:00"):
            self.assertEqual(self.minutes(updated, depart), self.minutes(self.map, depart))
        self.assertEqual(self.minutes(plain, "Mo08:00"), self.minutes(plain, "Sa08:00"))

    def test_files_of_osrm_have_a_time_in_their_name(self):
        pairs = self.write("pairs.csv", "1,2,9\n")
        run("import", self.town, "--speeds", f"osrm:Mo08:00={pairs}", "-o", self.map, "--quiet")
        self.assertNotEqual(self.minutes(self.map, "Mo08:00"), self.minutes(self.map, "Tu08:00"))

    def test_holidays_have_a_week_of_their_own(self):
        holiday = self.write("holiday.csv", SPEEDS + "10,1,PH 07:00,09:30,12\n")
        run("import", self.town, "--speeds", holiday, "-o", self.map, "--quiet")
        run("info", self.map, "--verify")
        monday, quick, free = (self.minutes(self.map, time) for time in ("Mo08:00", "PHMo08:00", "PHMo12:00"))
        self.assertEqual(len({monday, quick, free}), 3)
        for time in ("PH08:00", "PHWe08:00", "PH2026-12-25T08:00"):
            self.assertEqual(self.minutes(self.map, time), quick)
        ends = "route", self.map, "--from", "node:1", "--to", "node:3"
        for time, right in (("PH08:00", quick), ("PHMo08:00", quick), ("Mo08:00", monday), ("PH12:00", free)):
            self.assertEqual(run(*ends, "--slot", time)[0], right, time)
        self.assertUsage(*ends, "--slot", "PH8:00", says="PH8:00")
        places = self.write("places.csv", "node:1\nnode:3\n")
        _, error = run(
            "matrix", self.map, "--sources", places, "--targets", places, "--depart", "PH08:00,Mo08:00", status=2
        )
        self.assertIn("holidays (PH) and ordinary days do not mix", error)
        trip = "trip", self.map, "--places", places, "--open", "--from-first", "--format", "csv", "--depart"
        self.assertEqual(len({run(*trip, time)[0] for time in ("PH08:00", "PHMo08:00")}), 1)
        self.assertEqual(len({run(*trip, time)[0] for time in ("Mo08:00", "PHMo08:00", "PHMo12:00")}), 3)

    def test_conditional_tags_have_holidays(self):
        members = "".join(
            f'<member type="{kind}" ref="{ref}" role="{role}"/>'
            for kind, ref, role in (("way", 10, "from"), ("node", 2, "via"), ("way", 11, "to"))
        )
        relation = f'<relation id="1">{members}<tag k="type" v="restriction"/></relation></osm>'
        town = TOWN.replace("</osm>", relation).replace('lon="10.01"/>', 'lon="10.01"><tag k="barrier" v="gate"/></node>')
        run("import", self.write("plain.osm", town), "-o", self.map, "--quiet")
        with open(self.map, "rb") as opened:
            self.assertNotIn(b"week_holiday", opened.read())
        usual = self.minutes(self.map, "Mo12:00")
        for end, key, value, closed in (
            ("</way>", "motor_vehicle:conditional", "no @ (Mo-Fr 07:00-09:00; PH off)", "Mo08:00"),
            ("</node>", "opening_hours", "24/7; PH 00:00-10:00 off", "PHMo08:00"),
            ("</relation>", "restriction:conditional", "no_straight_on @ (PH 10:00-18:00)", "PHMo10:30"),
        ):
            file = self.write("holidays.osm", town.replace(end, f'<tag k="{key}" v="{value}"/>{end}', 1))
            run("import", file, "-o", self.map, "--quiet")
            run("info", self.map, "--verify")
            with open(self.map, "rb") as opened:
                self.assertIn(b"week_holiday", opened.read())
            for time in ("Mo08:00", "PHMo08:00", "Mo10:30", "PHMo10:30", "Sa08:00", "PHSa19:00"):
                with self.subTest(key=key, time=time):
                    ends = "--from", "node:1", "--to", "node:3", "--slot", time
                    run("route", self.map, *ends, status=1 if time == closed else 0)
                    self.assertEqual(self.minutes(self.map, time) != usual, time == closed)

    def test_a_line_that_does_not_parse_is_named(self):
        bad = self.write("bad.csv", SPEEDS + "10,1,Mo 7,09:00,9\n")
        _, error = run("import", self.town, "--speeds", bad, "-o", self.map, status=3)
        self.assertIn(f'{bad}:4: not way,direction,from,to,km/h: "10,1,Mo 7,09:00,9"', error)

    def test_speeds_are_of_one_profile(self):
        run("import", self.town, "--profile", "car", "--profile", "truck", "-o", self.map, "--quiet")
        _, error = run("update", self.map, "--speeds", self.speeds, "-o", self.path("new.mcd"), status=2)
        self.assertIn("speeds are those of one profile: name it with --profile", error)
        run("update", self.map, "--speeds", self.speeds, "--profile", "truck", "-o", self.path("new.mcd"))
        run("info", self.path("new.mcd"), "--verify")

    def test_no_file_of_speeds_is_written_over(self):
        run("import", self.town, "-o", self.map, "--quiet")
        for name in (self.speeds, f"osrm:Mo={self.speeds}"):
            _, error = run("update", self.map, "--speeds", name, "-o", self.speeds, status=2)
            self.assertIn(self.speeds, error)
            with open(self.speeds) as file:
                self.assertEqual(file.read(), SPEEDS)


if __name__ == "__main__":
    unittest.main()
