"""In its host: signals, threads, processes, progress, pickling, the command, the types."""

from __future__ import annotations

import importlib.metadata
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest
from conftest import ROOT, Random

PLACES = list(range(11, 16))


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)


def write_grid(path: Path, side: int) -> Path:
    node = np.arange(side * side).reshape(side, side)
    one = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    two = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    weight = np.random.default_rng(1).integers(1, 1000, 2 * len(one))
    lonlat = np.stack([node.ravel() % side, node.ravel() // side], axis=1) / 1000
    macadam.import_arrays(np.r_[one, two], np.r_[two, one], {"duration": weight}, path, lonlat=lonlat)
    return path


@pytest.fixture(scope="module")
def large_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_grid(tmp_path_factory.mktemp("grid") / "grid.mcd", 200)


INTERRUPT = """
import os, signal, sys, macadam
def interrupt(*step):
    os.kill(os.getpid(), signal.SIGINT)
m = macadam.open(sys.argv[1], threads=1)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("call", ["m.all_pairs(path=sys.argv[2])", "m.matrix_to(sys.argv[2], m.ids[:20000])", "m.reach(m.ids)"])
def test_an_interrupt_cancels(large_path: Path, call: str, tmp_path: Path) -> None:
    code = INTERRUPT.replace("{call}", call.replace(")", ", progress=interrupt)"))
    done = run(code, str(large_path), str(tmp_path / "all.npy"))
    assert done.stdout == "interrupted\n", done.stderr
    assert os.listdir(tmp_path) == []


def test_an_interrupt_cancels_calls_that_take_no_progress_function(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        # Calls look every 20 ms whether they are to end. One that takes longer is found on any machine.
        for side in 500, 1000, 2000, 4000:
            with macadam.open(write_grid(tmp_path / "grid.mcd", side), threads=1) as engine:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0.001)
                with pytest.raises(Stop):
                    engine.save(tmp_path / "saved.mcd", ready=True)
            if not (tmp_path / "saved.mcd").exists():
                break
            os.remove(tmp_path / "saved.mcd")
        assert os.listdir(tmp_path) == ["grid.mcd"] and side < 4000
    finally:
        signal.signal(signal.SIGVTALRM, before)


def test_progress_is_reported_and_cancels(large_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    with macadam.open(large_path, threads=1) as engine:
        engine.matrix(engine.ids[:8000], progress=lambda *step: seen.append(step))
        assert seen and all(done <= total for _, done, total in seen)
        with pytest.raises(macadam.CancelledError):
            engine.matrix(engine.ids[:8000], progress=lambda *step: False)
        with pytest.raises(ZeroDivisionError):
            engine.matrix(engine.ids[:8000], progress=lambda *step: 1 / 0)
        with pytest.raises(TypeError, match="progress"):
            engine.matrix([0], progress=3)  # type: ignore[arg-type]
        engine.matrix([0, 1], progress=True)


STREET = "p sp 2 2\na 1 2 5\na 2 1 6\n"


def test_the_interpreter_runs_beside_a_call(tmp_path: Path) -> None:
    """The call waits for a file that the interpreter then writes."""
    os.mkfifo(tmp_path / "street.gr")
    lines: list[str] = []
    thread = threading.Thread(
        target=lambda: lines.extend(macadam.import_dimacs({"x": tmp_path / "street.gr"}, tmp_path / "street.mcd"))
    )
    thread.start()
    (tmp_path / "street.gr").write_text(STREET)
    thread.join()
    with macadam.open(tmp_path / "street.mcd") as engine:
        assert engine.matrix([1, 2]).x.tolist() == [[0, 5], [6, 0]]


def test_threads_share_an_engine(engine: macadam.Engine, graph: Random) -> None:
    expected = engine.matrix(graph.ids[:50]).duration
    wrong: list[Any] = []

    def work() -> None:
        for _ in range(20):
            if not np.array_equal(engine.matrix(graph.ids[:50]).duration, expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_closing_waits_for_no_thread_and_breaks_nothing(random_path: Path, graph: Random) -> None:
    for _ in range(10):
        engine, ended = macadam.open(random_path), threading.Event()

        def work() -> None:
            try:
                while True:
                    engine.matrix(graph.ids[:100])
            except macadam.InvalidError:
                ended.set()

        thread = threading.Thread(target=work)
        thread.start()
        engine.close()
        ended.wait()
        thread.join()


def ask(engine: macadam.Engine) -> Any:
    return engine.matrix(PLACES).duration


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes(town_path: Path, method: str) -> None:
    with macadam.open(town_path, threads=2) as engine:
        expected = ask(engine)
        with multiprocessing.get_context(method).Pool(2) as pool:
            for found in pool.map_async(ask, [engine] * 4).get():
                np.testing.assert_array_equal(found, expected)


def test_engines_pickle_as_path_and_options(town_path: Path) -> None:
    with macadam.open(town_path, threads=1) as engine:
        with pickle.loads(pickle.dumps(engine)) as other:
            np.testing.assert_array_equal(ask(other), ask(engine))
        engine.update([1], duration=5)
        with pytest.raises(pickle.PicklingError, match="save"):
            pickle.dumps(engine)
    with macadam.open(town_path.read_bytes()) as memory:
        assert ask(memory).shape == (5, 5)
        with pytest.raises(pickle.PicklingError):
            pickle.dumps(memory)


def test_the_package_holds_its_licenses() -> None:
    held = {it.name: it.read_text() for it in importlib.metadata.files("macadam") or [] if it.parent.name == "licenses"}
    assert held == {name: (ROOT / name).read_text() for name in ("COPYRIGHT", "LICENSE")}


def test_the_command(town_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "macadam", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and macadam.__version__ in done.stdout
    failed = subprocess.run(
        [sys.executable, "-m", "macadam", "route", town_path, "--from", "node:11", "--to", "node:999"],
        capture_output=True,
    )
    assert failed.returncode == 2


def test_import_loads_little() -> None:
    code = "import sys, numpy; before = set(sys.modules); import macadam; print(*sorted(set(sys.modules) - before))"
    loaded = {name.partition(".")[0] for name in run(code).stdout.split()}
    assert loaded - sys.stdlib_module_names == {"macadam"}
    assert loaded.isdisjoint({"asyncio", "concurrent", "ctypes", "multiprocessing", "unittest", "urllib"})


# Threads that are within the library when the interpreter ends. The functions never say no.
LARGE = """
import os, signal, sys, threading, macadam, numpy as np
begun, tail = threading.Event(), np.arange(300_000)
def large(progress):
    ends = np.r_[tail, tail], np.r_[np.roll(tail, 1), np.roll(tail, 600)]
    return macadam.import_arrays(*ends, {"x": np.ones(2 * len(tail), int)}, sys.argv[1] + "/large.mcd", progress=progress)
def note(*step):
    begun.set()
def beside(call):
    threading.Thread(target=call, daemon=True).start()
    begun.wait()
def interrupt():
    begun.wait()
    os.kill(os.getpid(), signal.SIGINT)
"""
GRID = LARGE + "m = macadam.open(sys.argv[2], threads=1)\n"
# A handler that was registered before the package's own joins a thread that calls, and calls itself.
JOINED = """
import atexit, os, sys, threading, time
def join():
    for thread in threading.enumerate()[1:]:
        thread.join()
    os._exit(8 if m.matrix([0, 1]).duration[0, 0] == 0 else 9)
atexit.register(join)
def loop(call):
    while True:
        call()
""" + GRID


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (LARGE + "threading.Thread(target=interrupt, daemon=True).start(); large(note)", -signal.SIGINT),
        (LARGE + "beside(lambda: large(note))", 0),
        (LARGE + "beside(lambda: large(note)); sys.exit(3)", 3),
        (LARGE + "beside(lambda: large(note)); os._exit(4)", 4),
        (LARGE + "beside(lambda: large(note)); 1 / 0", 1),
        (LARGE + "large(lambda *step: sys.exit(5))", 5),
        (LARGE + "beside(lambda: large(note)); child = os.fork(); sys.exit(os.waitpid(child, 0)[1] >> 8 if child else 6)", 6),
        (LARGE + "child = 0\ndef fork(*step):\n    global child\n    child = child or os.fork() or os._exit(7)\n"
         "try:\n    large(fork)\nexcept macadam.InvalidError:  # it is not a road network\n    sys.exit(os.waitpid(child, 0)[1] >> 8)", 7),
        (GRID + "beside(lambda: m.matrix(m.ids[:20000], progress=note))", 0),
        (GRID + "beside(lambda: m.reach(m.ids, progress=note)); sys.exit(3)", 3),
        (GRID + "beside(lambda: (begun.set(), m.save(sys.argv[1] + '/saved.mcd', ready=True)))", 0),
        (GRID + "beside(lambda: m.matrix(m.ids[:20000], progress=lambda *step: (begun.set(), sys.exit(3))))", 0),
        (GRID + "tiles = m.matrix_tiles(m.ids[:20000]); next(tiles); sys.modules['kept'] = tiles", 0),
        (GRID + "begun.set(); beside(lambda: m.call(b'', note))", 0),
        (JOINED + "beside(lambda: loop(lambda: m.matrix(m.ids[:20000], progress=note)))", 8),
        (JOINED + "beside(lambda: loop(lambda: [begun.set() for _ in m.matrix_tiles(m.ids[:20000])]))", 8),
        (JOINED + "beside(lambda: loop(lambda: large(note)))", 8),
        (JOINED + "def late():\n    for _ in m.all_pairs_tiles():\n        time.sleep(0.5)  # the next ones wait\n"
         "        begun.set()\nbeside(late)", 8),
    ],
)  # fmt: skip
def test_threads_in_calls_end_with_the_interpreter(large_path: Path, tmp_path: Path, code: str, status: int) -> None:
    done = run(code, str(tmp_path), str(large_path))
    assert done.returncode == status, done.stderr
    assert "terminate" not in done.stderr and "Fatal" not in done.stderr and "Cancelled" not in done.stderr
    assert status == -signal.SIGINT or "KeyboardInterrupt" not in done.stderr


def test_an_interrupt_ends_an_import_that_waits_for_a_file(tmp_path: Path) -> None:
    """It does not ask whether to go on, and the interpreter does not wait for it."""
    os.mkfifo(tmp_path / "never.gr")
    code = """
import os, signal, sys, threading, macadam
def interrupt():
    while not any(it.name == "macadam import" for it in threading.enumerate()):
        pass
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
macadam.import_dimacs({"x": sys.argv[1] + "/never.gr"}, sys.argv[1] + "/never.mcd")
"""
    done = run(code, str(tmp_path))
    assert done.returncode == -signal.SIGINT and "KeyboardInterrupt" in done.stderr, done.stderr
    assert os.listdir(tmp_path) == ["never.gr"]
