"""structs.py HEADER OUT - writes the members of all structures of macadam.h as a table: engine/call/structures.h and
python_struct.cpp say what its columns are."""

import re
import sys

CODES = {  # as in NumPy; "s": text, "S": a structure
    "bool": "?", "char": "s", "int8_t": "b", "uint8_t": "B", "void": "B", "uint16_t": "H", "int": "i", "int32_t": "i",
    "unsigned": "I", "uint32_t": "I", "int64_t": "q", "uint64_t": "Q", "size_t": "Q", "float": "f", "double": "d",
}  # fmt: skip
MEMBER = re.compile(r"(?:<(.*?)>\s*)?(?:const |struct )*(\w+)((?:[\s*]|const\b)*)\b(\w+)(?:\[\w+\])?(?:\s*<(.*?)>)?")
DECIMALS = {"along": 6, "confidence": 6, "duration_s": 3, "from": 10, "lat": 7, "lon": 7, "to": 10}  # else 2, as of metres
USUAL = {"from": 0, "to": 1}  # of decimal numbers; else NaN
UNSAID = re.compile("first_|end_|reserved|size")  # members that are of no use outside C
LENGTH = re.compile(r"(\w*count)(?: \* (\w+_count))?( \+ 1)?")  # as comments have it: [ring_count + 1]

header, out = sys.argv[1:]
with open(header) as file:
    text = re.sub(r"/\*\*\s*\[(.*?)\]", r"<\1> /*", file.read())
    text = re.sub(r";(\s*)/\*\*<\s*\[(.*?)\]", r" <\2>;\1/*", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
CODES.update((name, "i") for name in re.findall(r"typedef enum (\w+)", text))
bodies = dict(re.findall(r"typedef struct (\w+) \{(.*?)\}", text, flags=re.S))
with open(out, "w") as file:
    for struct, body in bodies.items():
        found = [MEMBER.fullmatch(it.strip()) for it in body.split(";")]
        members = {it[4]: (it[2], it[3].count("*"), it[1] or it[5]) for it in found if it and (it[2] in CODES or it[2] in bodies)}
        lengths = {it: LENGTH.fullmatch(members[it][2]) for it in members if members[it][1] and members[it][2]}
        counters = {it for found in lengths.values() if found for it in found.groups()[:2]}
        file.write(f"STRUCT({struct}")
        for name, (kind, stars, length) in members.items():
            code, of = CODES.get(kind, "S"), list(bodies).index(kind) if kind in bodies else -1
            own = f"{name}_count" if stars and f"{name}_count" in members else None
            first, second, more = lengths[name].groups() if lengths.get(name) else (own, None, None)
            counts = [f"offsetof({struct}, {it})" if it in members else "NO_COUNT" for it in (own, first, second)]
            is_one = f"{name}[" not in body and stars == (code == "s") and code != "S" and name not in counters
            about = f"{DECIMALS.get(name, 2)}, {USUAL.get(name, 'NAN')}, {int(is_one and not UNSAID.match(name))}"
            file.write(f",\n    MEMBER({struct}, {name}, '{code}', {stars}, {of}, {', '.join(counts)}, {1 if more else 0}, {about})")
        file.write(")\n")
