"""In its host (times are the processor's, because the machine may be busy): signals, threads, processes, progress, pickling, the command, the types."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest
from conftest import ROOT, Random

PLACES = list(range(11, 16))


def run(code: str, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=timeout)


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
import os, signal, sys, threading, time, macadam
m = macadam.open(sys.argv[1], threads=1)
def interrupt():
    time.sleep(0.7)
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
sent = []
m.tree(0)
threading.Thread(target=interrupt).start()
try:
    {call}
except KeyboardInterrupt:
    print(time.process_time() - sent[0])
else:
    print("ended")
"""


@pytest.mark.parametrize("call", ["m.all_pairs(path='all.npy')", "m.matrix(m.ids[:20000])", "m.reach(m.ids)"])
def test_an_interrupt_cancels(large_path: Path, call: str, tmp_path: Path) -> None:
    code = INTERRUPT.replace("{call}", call.replace("'all", f"'{tmp_path}/all"))
    done = run(code, str(large_path))
    assert done.stdout and done.stdout != "ended\n", done.stderr
    assert float(done.stdout) < 0.2
    assert os.listdir(tmp_path) == []


def test_an_interrupt_cancels_calls_that_take_no_progress_function(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        # Calls look every 20 ms whether they are to end; to verify this grid takes several times as long.
        with macadam.open(write_grid(tmp_path / "grid.mcd", 500), threads=1) as engine:
            engine.verify()
            start = time.process_time()
            engine.verify()
            usual = time.process_time() - start
            start = time.process_time()
            signal.setitimer(signal.ITIMER_VIRTUAL, usual / 8)
            with pytest.raises(Stop):
                engine.verify()
            assert time.process_time() - start < usual / 2
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


def test_the_interpreter_runs_beside_a_call(large_path: Path) -> None:
    with macadam.open(large_path, threads=1) as engine:
        engine.tree(0)
        thread = threading.Thread(target=lambda: engine.matrix(engine.ids[:20000:4]))
        thread.start()
        turns = 0
        while thread.is_alive():
            time.sleep(0.001)
            turns += 1
        assert turns > 20


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


def test_closing_waits_for_nobody_and_breaks_nothing(random_path: Path, graph: Random) -> None:
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
        assert ended.wait(20)
        thread.join()


def ask(engine: macadam.Engine) -> Any:
    return engine.matrix(PLACES).duration


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes(town_path: Path, method: str) -> None:
    with macadam.open(town_path, threads=2) as engine:
        expected = ask(engine)
        with multiprocessing.get_context(method).Pool(2) as pool:
            for found in pool.map_async(ask, [engine] * 4).get(60):
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


def test_the_command(town_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "macadam", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and macadam.__version__ in done.stdout
    failed = subprocess.run(
        [sys.executable, "-m", "macadam", "route", town_path, "--from", "node:11", "--to", "node:999"],
        capture_output=True,
    )
    assert failed.returncode == 2


def test_import_is_quick() -> None:
    code = "import time, numpy; a = time.process_time(); import macadam; print(time.process_time() - a)"
    assert min(float(run(code).stdout) for _ in range(3)) < 0.06


def test_interrupts_of_an_import(tmp_path: Path) -> None:
    code = """
import os, signal, sys, threading, time, macadam, numpy as np
rng = np.random.default_rng(1)
n = 300000
threading.Timer(0.5, lambda: (sent.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT))).start()
sent = []
try:
    tail = np.arange(n)
    macadam.import_arrays(np.r_[tail, tail], np.r_[np.roll(tail, 1), np.roll(tail, 600)], {"x": np.ones(2 * n, int)}, sys.argv[1])
except KeyboardInterrupt:
    print(time.monotonic() - sent[0], flush=True)
    os._exit(0)
"""
    for _ in range(3):
        done = run(code, str(tmp_path / "x.mcd"))
        assert done.stdout, done.stderr
        if float(done.stdout) < 0.3:
            break
    assert float(done.stdout) < 0.3
    assert signal.getsignal(signal.SIGINT) is not None
