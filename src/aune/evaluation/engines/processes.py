"""Count chunks in several processes of this machine.

Each process reads its pieces itself. If one dies (killed for lack of memory, say), its unfinished chunks are given to
others; a chunk that was given to several dead processes is refused.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess

from aune.contract import registry
from aune.errors import AuneError, UsageError
from aune.evaluation.counting import Chunk, ChunkCounts, Engine, Job
from aune.evaluation.job_serialization import count_parcel, pack_job

CHUNKS_AHEAD = 2  # waiting chunks per process, so that none is idle
TRIES = 3  # attempts at a chunk when processes die


@contextmanager
def open_engine(workers: int = 1, address: str = "", modules: Sequence[str] = ()) -> Iterator[Engine]:
    """The worker processes, which start while the files are being cut; common modules are imported once for all."""
    if address:
        raise UsageError(f"engine processes={address}: expected no address, and a number of workers: workers=2")
    processes = _Processes(workers, modules)
    try:
        processes.start()
        yield processes.run
    except KeyboardInterrupt:
        processes.kill()
        raise
    finally:
        processes.close()


class _Processes:
    def __init__(self, workers: int, modules: Sequence[str]) -> None:
        self.workers, self.modules = workers, modules
        self.pool: ProcessPoolExecutor | None = None

    def run(self, job: Job, chunks: Iterable[Chunk]) -> Iterator[ChunkCounts]:
        """The counts of all chunks, in the order in which they are completed."""
        parcel = pack_job(job)
        waiting = iter(chunks)
        lost: list[Chunk] = []
        tries: dict[int, int] = {}
        running: dict[Future[bytes], Chunk] = {}
        while True:
            while len(running) < self.workers * CHUNKS_AHEAD:
                chunk = lost.pop() if lost else next(waiting, None)
                if chunk is None:
                    break
                running[self._submit(parcel, chunk)] = chunk
            if not running:
                return
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                chunk = running.pop(future)
                try:
                    yield from pickle.loads(future.result())
                except BrokenProcessPool:
                    tries[chunk.number] = tries.get(chunk.number, 0) + 1
                    if tries[chunk.number] >= TRIES:
                        raise AuneError(
                            f"a process died {TRIES} times over the same chunk: there may be too little memory; "
                            "use fewer workers"
                        ) from None
                    lost.append(chunk)
                    self.close()

    def start(self) -> None:
        """Start all processes, and import there what every chunk needs."""
        for _ in range(self.workers):
            self._pool().submit(registry.import_modules, self.modules)

    def _submit(self, parcel: bytes, chunk: Chunk) -> Future[bytes]:
        """Give a chunk to a process; if the pool has broken down meanwhile, to a process of a new pool."""
        for _ in range(TRIES):
            try:
                return self._pool().submit(count_parcel, parcel, chunk)
            except BrokenProcessPool:
                self.close()
        raise AuneError("processes die before they can be given anything: use fewer workers")

    def _pool(self) -> ProcessPoolExecutor:
        if self.pool is None:
            context = _process_context(self.modules)
            self.pool = ProcessPoolExecutor(self.workers, context, initializer=_follow_parent)
        return self.pool

    def kill(self) -> None:
        """Kill the worker processes, whose results are not needed: otherwise Python would wait for them at its end."""
        for process in [*self.pool._processes.values()] if self.pool else ():
            process.kill()

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=False, cancel_futures=True)
            self.pool = None


def _process_context(modules: Iterable[str]) -> BaseContext:
    """The start method: fork from a process that has imported the modules, if the system can fork."""
    try:
        context = multiprocessing.get_context("forkserver")
    except ValueError:  # on Windows
        return multiprocessing.get_context("spawn")
    context.set_forkserver_preload(["aune.evaluation.counting", *modules])
    return context


def _follow_parent() -> None:
    """In a worker: end when the parent process has ended, however that ends, and ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)  # its results are not needed
