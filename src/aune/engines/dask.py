"""Chunks counted on a Dask cluster: by a client, by the address of a scheduler, or on a cluster started here.

Workers read their own pieces, so files must have the same path on all machines (or be remote addresses); what only
this machine can see, such as standard input, is sent along. What comes back is bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import islice
from typing import Any

from aune.core.counting import Counted, Job, Recipe
from aune.core.errors import UsageError
from aune.core.pieces import Piece
from aune.core.plans import Engine
from aune.engines.processes import done_elsewhere, sent

AHEAD = 3  # chunks given out for each thread of the cluster, so that none is idle
RETRIES = 3


@contextmanager
def opened(workers: int = 1, address: Any = "") -> Iterator[Engine]:
    """The cluster of a client, the one at an address, or as many processes here as workers were asked for."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise UsageError("the engine dask needs the package distributed: pip install 'aune[cluster]'") from None
    with ExitStack() as stack:
        if hasattr(address, "submit"):
            client = address
        elif address:
            try:
                client = stack.enter_context(distributed.Client(address, timeout="20s"))
            except (OSError, ValueError) as error:
                raise UsageError(f"engine dask={address}: no scheduler there ({error})") from None
        else:
            cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
            client = stack.enter_context(distributed.Client(stack.enter_context(cluster)))
        client.run(_without_profiler)
        yield _Cluster(client, distributed).run


class _Cluster:
    def __init__(self, client: Any, distributed: Any) -> None:
        self.client = client
        self.distributed = distributed

    def run(self, job: Job, recipes: Iterable[Recipe]) -> Iterator[Counted]:
        """What all chunks count, in the order in which they are done."""
        packed = sent(job)
        waiting = iter(recipes)
        threads = max(sum(self.client.nthreads().values()), 1)
        running = self.distributed.as_completed()
        for recipe in islice(waiting, threads * AHEAD):
            running.add(self._submit(packed, recipe))
        for future in running:
            yield pickle.loads(future.result())
            for recipe in islice(waiting, 1):
                running.add(self._submit(packed, recipe))

    def _submit(self, packed: bytes, recipe: Recipe) -> Any:
        return self.client.submit(done_elsewhere, packed, shipped(recipe), pure=False, retries=RETRIES)


def shipped(recipe: Recipe) -> Recipe:
    """A recipe whose pieces another machine can read: those of temporary files carry their bytes."""
    return recipe._replace(
        key=tuple(map(_carried, recipe.key)),
        responses={system: tuple(map(_carried, pieces)) for system, pieces in recipe.responses.items()},
    )


def _carried(piece: Piece) -> Piece:
    return replace(piece, held=tuple(piece.parts), file="", temporary=False) if piece.temporary else piece


def _without_profiler(dask_worker: Any) -> None:
    """Stop the profiler of a worker, which looks at its threads a hundred times a second."""
    for name in ("profile", "profile-cycle"):
        callback = dask_worker.periodic_callbacks.get(name)
        if callback is not None:
            callback.stop()
