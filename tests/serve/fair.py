"""How long a plain route takes beside 16 clients whose routes have 190 stops and steps, and what memory the server holds. Not a test of CI.

    python3 fair.py COMMAND MAP [SECONDS]
"""

import http.client
import json
import multiprocessing
import random
import subprocess
import sys
import time

CLIENTS, STOPS, PAUSE_S = 16, 190, 0.005


def path(box, count, options):
    west, south, east, north = box
    points = ((random.uniform(0.3, 0.7), random.uniform(0.3, 0.7)) for _ in range(count))
    return "/route/v1/driving/" + ";".join(f"{west + (east - west) * a:.6f},{south + (north - south) * b:.6f}" for a, b in points) + options


def ask(connection, path):
    connection.request("GET", path)
    return connection.getresponse().read()


def ask_until(port, box, seed, end):
    random.seed(seed)
    heavy, connection = path(box, STOPS, "?steps=true&overview=false"), http.client.HTTPConnection("127.0.0.1", port)
    while time.time() < end:
        ask(connection, heavy)


def measure(connection, box, end):
    times = []
    while time.time() < end:
        plain, begin = path(box, 2, "?overview=false"), time.perf_counter()
        ask(connection, plain)
        times.append(1000 * (time.perf_counter() - begin))
        time.sleep(PAUSE_S)
    times.sort()
    return f"{len(times)} routes: median {times[len(times) // 2]:.2f} ms, 99th percentile {times[len(times) * 99 // 100]:.2f} ms, most {times[-1]:.2f} ms"


def main(command, map_, seconds=10):
    server = subprocess.Popen([command, "serve", map_, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    port = int(server.stderr.readline().rstrip("/\n").rsplit(":", 1)[1])
    connection = http.client.HTTPConnection("127.0.0.1", port)
    box = json.loads(ask(connection, "/info"))["maps"][0]["bbox"]

    def memory():
        with open(f"/proc/{server.pid}/status") as file:
            return int(dict(line.split(":", 1) for line in file)["VmRSS"].split()[0]) // 1024

    print(f"fresh: {memory()} MB")
    print("without others:", measure(connection, box, time.time() + seconds / 2))
    end = time.time() + seconds + 1
    clients = [multiprocessing.Process(target=ask_until, args=(port, box, seed, end)) for seed in range(CLIENTS)]
    for client in clients:
        client.start()
    time.sleep(1)
    print(f"beside {CLIENTS} clients:", measure(connection, box, end), f"{memory()} MB")
    for client in clients:
        client.join()
    time.sleep(7)
    print(f"idle: {memory()} MB")
    server.terminate()
    server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(float, sys.argv[3:]))
