"""Live traffic beside queries: one thread changes weights, another asks. A query sees the old weights or the new ones.

Run: traffic.py MAP.osm
"""

import sys
import tempfile
import threading

import macadam
import numpy as np

path = tempfile.mkdtemp() + "/map.mcd"
macadam.import_osm(sys.argv[1], path)
with macadam.open(path) as engine:
    ids = engine.ids[:20]
    arcs = np.unique(engine.arcs()["arc"])
    calm = engine.matrix(ids).duration
    jam = np.random.default_rng(1).integers(60_000, 600_000, len(arcs)).astype(np.uint32)
    engine.update(arcs, duration=jam)
    jammed = engine.matrix(ids).duration
    assert np.all(jammed >= calm.min()) and np.any(jammed > calm)

    stop = threading.Event()

    def follow_traffic() -> None:
        turn = 0
        while not stop.is_set():
            engine.update(arcs, duration=jam + np.uint32(turn % 2))
            turn += 1

    thread = threading.Thread(target=follow_traffic)
    thread.start()
    seen = {engine.matrix(ids).duration.tobytes() for _ in range(50)}
    stop.set()
    thread.join()
    assert len(seen) <= 2, "a query saw a mixture of weights"
    print(f"50 matrices beside updates: {len(seen)} different one(s)")
