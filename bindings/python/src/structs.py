"""structs.py HEADER OUT - writes the members of all structures of macadam.h as a table for python_struct.cpp."""

import re
import sys

CODES = {  # as in NumPy; "s": text, "S": a structure
    "bool": "?", "char": "s", "int8_t": "b", "uint8_t": "B", "void": "B", "uint16_t": "H", "int": "i", "int32_t": "i",
    "unsigned": "I", "uint32_t": "I", "int64_t": "q", "uint64_t": "Q", "size_t": "Q", "float": "f", "double": "d",
}  # fmt: skip
MEMBER = re.compile(r"(?:const |struct )*(\w+)((?:[\s*]|const\b)*)\b(\w+)(?:\[\w+\])?")

header, out = sys.argv[1:]
with open(header) as file:
    text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
CODES.update((name, "i") for name in re.findall(r"typedef enum (\w+)", text))
bodies = dict(re.findall(r"typedef struct (\w+) \{(.*?)\}", text, flags=re.S))
with open(out, "w") as file:
    for struct, body in bodies.items():
        found = [MEMBER.fullmatch(it.strip()) for it in body.split(";")]
        members = {it[3]: (it[1], it[2].count("*")) for it in found if it and (it[1] in CODES or it[1] in bodies)}
        file.write(f"STRUCT({struct}")
        for name, (kind, stars) in members.items():
            code, of = CODES.get(kind, "S"), list(bodies).index(kind) if kind in bodies else -1
            count = f"offsetof({struct}, {name}_count)" if stars and f"{name}_count" in members else "NO_COUNT"
            file.write(f",\n    MEMBER({struct}, {name}, '{code}', {stars}, {of}, {count})")
        file.write(")\n")
