"""`python -m benchmarks [NAME…]`: every benchmark, or those named; experiments on real data run only by name."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from aune import __version__
from benchmarks.harness import peer_versions

SUPPORT = {"__init__", "__main__", "harness"}
EXPERIMENTS = {"doubts", "earnings21", "hats"}


def main(names: list[str]) -> None:
    known = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in SUPPORT | EXPERIMENTS)
    print(f"aune {__version__} beside {peer_versions()}\n", flush=True)
    for name in names or known:
        module = import_module(f"benchmarks.{name}")
        print(f"== {name}: {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
        module.main()
        print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
