"""Count chunks on a Dask cluster: with a client, at the address of a scheduler, or on a cluster started here.

Workers read their pieces themselves, so keys and responses must have the same path on all machines (or be remote
addresses). Inputs that only this machine can read, such as standard input, are sent, and so are small files that
options name. Results are sent back as bytes.
"""

from __future__ import annotations

import ctypes
import logging
import pickle
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from importlib import import_module
from itertools import islice
from typing import Any

from aune.contract import registry
from aune.errors import AuneError, AuneWarning, UsageError
from aune.evaluation.counting import Chunk, ChunkCounts, Engine, Job
from aune.evaluation.job_serialization import count_parcel, pack_job
from aune.reading.pieces import Piece

TASKS_AHEAD = 2  # submitted tasks per thread of the cluster, so that none is idle
CHUNKS_PER_TASK = 4  # chunks in a task: the scheduler's cost of a task is up to a tenth of a chunk
LARGEST_INLINE = (
    1 << 16
)  # bytes of a job sent with every task; a task that depends on another's result would run where that result is
RETRIES = 3
LOGGERS = ("distributed", "distributed.client", "tornado.application")
KEPT_BYTES = 1 << 25  # bytes of memory that a worker does not return to the system between chunks
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # constants of glibc's malloc.h


@contextmanager
def open_engine(workers: int = 1, address: Any = "", modules: Sequence[str] = ()) -> Iterator[Engine]:
    """The cluster of a client, the cluster at an address, or a cluster of `workers` local processes."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise UsageError("the engine dask needs the package distributed: pip install 'aune[cluster]'") from None
    with nullcontext(address) if hasattr(address, "submit") else _new_client(distributed, workers, address) as client:
        if not client.nthreads():
            warnings.warn("engine dask: the scheduler has no worker; waiting for one", AuneWarning, stacklevel=3)
        client.run(_prepare_worker, modules, wait=False)  # while the files are being cut
        yield _Cluster(client, distributed).run


@contextmanager
def _new_client(distributed: Any, workers: int, address: str) -> Iterator[Any]:
    """A client that is closed afterwards, without the log of Dask: aune reports problems itself."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if not address:
        with (
            distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        connection = distributed.Client(address, timeout="20s")
    except (OSError, ValueError) as error:
        raise UsageError(f"engine dask={address}: no scheduler there ({error})") from None
    with connection as client:
        yield client


class _Cluster:
    def __init__(self, client: Any, distributed: Any) -> None:
        self.client = client
        self.distributed = distributed

    def run(self, job: Job, chunks: Iterable[Chunk]) -> Iterator[ChunkCounts]:
        """The counts of all chunks, in the order in which they are completed."""
        parcel = pack_job(job)
        if len(parcel) > LARGEST_INLINE:
            parcel = self.client.submit(bytes, parcel, pure=False)  # once for each worker, and again when it is lost
        waiting = iter(chunks)
        left = len(chunks) if isinstance(chunks, Sized) else sys.maxsize
        ahead = TASKS_AHEAD * max(sum(self.client.nthreads().values()), 1)
        running = self.distributed.as_completed(loop=self.client.loop, with_results=True)

        def give_out() -> None:
            nonlocal left
            number = max(
                1, min(CHUNKS_PER_TASK, left // ahead)
            )  # small tasks at the end, so that all workers end together
            if batch := [embed_temporary_files(chunk) for chunk in islice(waiting, number)]:
                left -= len(batch)
                running.add(self.client.submit(count_parcel, parcel, *batch, pure=False, retries=RETRIES))

        for _ in range(ahead):
            give_out()
        for counts in self._results(running):
            give_out()
            yield from pickle.loads(counts)

    def _results(self, running: Iterable[tuple[Any, bytes]]) -> Iterator[bytes]:
        """The results of tasks, in the order in which they are completed; raises the error of a failed task."""
        try:
            for future, counts in running:
                if future.cancelled():
                    raise UsageError("engine dask: the scheduler is gone, or has dropped the work: start it again")
                yield counts
        except self.distributed.KilledWorker:
            raise AuneError(
                "engine dask: workers died several times over the same chunks: there may be too little memory; "
                "use fewer workers on a machine"
            ) from None
        except ModuleNotFoundError as error:
            raise UsageError(
                f"engine dask: a worker cannot import what it needs ({error}): install the same packages everywhere"
            ) from None


def embed_temporary_files(chunk: Chunk) -> Chunk:
    """A chunk whose pieces another machine can read: those of temporary files contain their bytes."""
    return chunk._replace(
        key=tuple(map(_embed_bytes, chunk.key)),
        responses={system: tuple(map(_embed_bytes, pieces)) for system, pieces in chunk.responses.items()},
    )


def _embed_bytes(piece: Piece) -> Piece:
    return replace(piece, data=tuple(piece.parts), file="", temporary=False) if piece.temporary else piece


async def _prepare_worker(modules: Sequence[str], dask_worker: Any) -> None:
    """Import what chunks will need, keep memory allocated, and stop Dask's frequent monitoring of the worker."""
    registry.import_modules(modules)
    _keep_memory()
    for name in ("profile", "profile-cycle", "tick"):
        callback = dask_worker.periodic_callbacks.get(name)
        if callback is not None:
            callback.stop()


def _keep_memory() -> None:
    """Have the allocator of glibc keep the memory of a chunk for the next one.

    Dask makes its workers return every page immediately (MALLOC_TRIM_THRESHOLD_), so that each chunk requests all of
    them from the system again, which takes a seventh of a worker's time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(M_MMAP_THRESHOLD, KEPT_BYTES)
