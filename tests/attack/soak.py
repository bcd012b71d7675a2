"""Checks what `soak` printed, and draws it: python3 soak.py CSV [SVG].

Allocated memory, descriptors and device memory may grow by a tenth from the first half of the time to the second.
Resident memory also holds free pages of the C library's allocator, which come and go: it may be three times what is
allocated.
"""

import csv
import sys

WIDTH, HEIGHT, MARGIN = 720, 120, 40
RESIDENT_FACTOR = 3
COLUMNS = {
    "resident_mb": "resident memory, MB",
    "allocated_mb": "allocated memory, MB",
    "descriptors": "descriptors",
    "device_mb": "device memory, MB",
}


def check(rows):
    half = len(rows) // 2
    skipped = len(rows) // 10  # loading
    for name in COLUMNS:
        before = max(float(row[name]) for row in rows[skipped:half])
        after = max(float(row[name]) for row in rows[half:])
        print(f"{name}: at most {before:g} in the first half, {after:g} in the second")
        if name != "resident_mb" and after > before * 1.1 + 2:
            sys.exit(f"{name} grows")
    most = {name: max(float(row[name]) for row in rows) for name in COLUMNS}
    if most["resident_mb"] > RESIDENT_FACTOR * most["allocated_mb"]:
        sys.exit("resident memory is far above what is allocated")


def draw(rows, path):
    parts = []
    for i, (name, title) in enumerate(COLUMNS.items()):
        top = i * (HEIGHT + MARGIN) + MARGIN
        most = max(float(row[name]) for row in rows) or 1
        last = float(rows[-1]["seconds"])
        points = " ".join(f"{MARGIN + float(row['seconds']) / last * WIDTH:.1f},"
                          f"{top + HEIGHT - float(row[name]) / most * HEIGHT:.1f}" for row in rows)
        parts.append(f'<text x="{MARGIN}" y="{top - 6}">{title}: 0 to {most:g}, over {last:g} s</text>'
                     f'<rect x="{MARGIN}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#ccc"/>'
                     f'<polyline points="{points}" fill="none" stroke="#06c"/>')
    height = len(COLUMNS) * (HEIGHT + MARGIN) + MARGIN
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 2 * MARGIN}" height="{height}" '
                   f'font-family="sans-serif" font-size="13">\n' + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        found = list(csv.DictReader(file))
    if len(sys.argv) > 2:
        draw(found, sys.argv[2])
    print(f"{found[-1]['calls']} calls")
    check(found)
