"""No-op tasks, chains of ten and round trips in systems that people could use instead; each prints one JSON line.

usage: peers.py dask|ray|celery [TASKS]
"""
import json
import os
import subprocess
import sys
import tempfile
import time

RUNS, TRIPS, CHAINS, CHAIN = 3, 300, 1000, 10


def middle(values):
    return sorted(values)[len(values) // 2]


def measure(name, tasks, flat, chains, trip):
    """`flat(n)` runs n tasks, `chains()` runs CHAINS × CHAIN, `trip()` one; each returns when all is done."""
    def rate(number, work):
        begun = time.perf_counter()
        work()
        return number / (time.perf_counter() - begun)

    flat(1000)
    rates = [rate(tasks, lambda: flat(tasks)) for _ in range(RUNS)]
    chained = rate(CHAINS * CHAIN, chains)
    trips = sorted(1e3 / rate(1, trip) for _ in range(TRIPS))
    print(json.dumps({
        "system": name,
        "tasks_per_second": [round(middle(rates)), round(min(rates)), round(max(rates))],
        "chained_per_second": round(chained),
        "round_trip": {"p50_ms": round(trips[TRIPS // 2], 2), "p99_ms": round(trips[TRIPS * 99 // 100], 2)},
    }), flush=True)


def dask(tasks):
    import distributed

    folder, address = tempfile.mkdtemp(), "tcp://127.0.0.1:18786"
    program = os.path.join(os.path.dirname(sys.executable), "dask")
    quiet = {"stderr": subprocess.DEVNULL, "cwd": folder}
    started = [subprocess.Popen([program, "scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard"], **quiet)]
    worker = [program, "worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    started += [subprocess.Popen(worker, **quiet) for _ in range(2)]
    try:
        with distributed.Client(address, timeout=30) as client:
            client.wait_for_workers(2)
            noop = lambda *_: None

            def chains():
                ends = [None] * CHAINS
                for _ in range(CHAIN):
                    ends = [client.submit(noop, end, pure=False) for end in ends]
                distributed.wait(ends)

            measure(f"Dask {distributed.__version__}", tasks,
                    lambda n: distributed.wait(client.map(noop, range(n), pure=False)), chains,
                    lambda: client.submit(noop, pure=False).result())
    finally:
        end(started)


def ray(tasks):
    import ray as system

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    system.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False,
                logging_level="error", object_store_memory=256 << 20)
    noop = system.remote(lambda *_: None)

    def chains():
        ends = [None] * CHAINS
        for _ in range(CHAIN):
            ends = [noop.remote(end) for end in ends]
        system.get(ends)

    measure(f"Ray {system.__version__}", tasks, lambda n: system.get([noop.remote() for _ in range(n)]), chains,
            lambda: system.get(noop.remote()))
    system.shutdown()


def celery(tasks):
    """With a Redis that syncs every write, and tasks that are acknowledged when they are done."""
    import celery as system

    folder, url = tempfile.mkdtemp(), "redis://127.0.0.1:16379/0"
    with open(os.path.join(folder, "peer.py"), "w") as module:
        module.write(f"import celery\napp = celery.Celery('peer', broker='{url}', backend='{url}')\n"
                     "app.conf.update(task_acks_late=True, worker_prefetch_multiplier=4)\n"
                     "@app.task(name='noop')\ndef noop(*_):\n    pass\n")
    sys.path.insert(0, folder)
    redis = ["redis-server", "--port", "16379", "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes",
             "--appendfsync", "always", "--save", ""]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    started = [subprocess.Popen(redis, **quiet)]
    try:
        time.sleep(1)
        import peer

        program = os.path.join(os.path.dirname(sys.executable), "celery")
        started.append(subprocess.Popen([program, "-A", "peer", "worker", "-c", "2", "--without-gossip", "--without-mingle"], **quiet))
        peer.noop.delay().get(timeout=30)

        def wait(results):
            for result in results:
                result.get(timeout=300)

        measure(f"Celery {system.__version__}, synced", tasks, lambda n: wait([peer.noop.delay() for _ in range(n)]),
                lambda: wait([system.chain(*[peer.noop.si() for _ in range(CHAIN)])() for _ in range(CHAINS)]),
                lambda: peer.noop.delay().get(timeout=30))
    finally:
        end(started)


def end(started):
    for process in reversed(started):
        process.terminate()
    for process in started:
        process.wait()


if __name__ == "__main__":
    {"dask": dask, "ray": ray, "celery": celery}[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 5000)
