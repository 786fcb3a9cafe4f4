"""Robustness: over 1,000 combinations of choices rank the seven systems of WNUT 2017, within a minute on two cores.

The files are those of `../shared/data/entities/wnut17`; without them seven systems are made of random damage to a
generated key of the same size.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from aune.meta.robustness import robustness

WNUT = Path(__file__).resolve().parents[1] / "../shared/data/entities/wnut17"
SENTENCES, SYSTEMS = 1_287, 7
CHOICES: dict[str, list[Any]] = {
    "measures": ["f_measure", "f_measure.recall", "f_measure.precision", "macro(f_measure, by=label)", "ser", "muc",
                 "token_accuracy.entity_accuracy", "err"],
    "match": ["strict", "boundary", "type", "overlap"],
    "case": ["keep", "fold"],
    "pairing": ["optimal", "first"],
    "repair": ["conlleval", "discard"],
    "scheme": ["IOB2", "auto"],
    "unit": ["sentence", "auto"],
    "schema": ["strict", "exact", "partial", "type"],
    "beta": [0.5, 1.0, 2.0],
}  # fmt: skip


def wnut() -> tuple[Path, dict[str, Path]]:
    paths = sorted(path for path in WNUT.glob("*.conll") if "gold" not in path.stem)
    return WNUT / "gold.conll", {path.stem: path for path in paths}


def generate_corpus() -> tuple[Any, dict[str, Any]]:
    """Sentences in which one word in twenty is a name, and systems that miss more and more of them."""
    generator = np.random.default_rng(1)
    labels = np.array(["B-person", "B-location", "B-group", "B-product"])
    key, systems = [], {f"s{number}": [] for number in range(SYSTEMS)}
    for _ in range(SENTENCES):
        tags = np.where(generator.random(18) < 0.05, generator.choice(labels, 18), "O")
        key.append(_sentence(tags))
        for number, response in enumerate(systems.values()):
            damaged = np.where(generator.random(18) < 0.1 * (number + 1), "O", tags)
            response.append(_sentence(damaged))
    return {"wnut": key}, {name: {"wnut": sentences} for name, sentences in systems.items()}


def _sentence(tags: Any) -> list[tuple[str, str]]:
    return [(f"w{place}", str(tag)) for place, tag in enumerate(tags)]


def main() -> None:
    key, systems = wnut() if WNUT.exists() else generate_corpus()
    start = time.process_time()
    outcome = robustness("entities", key, systems, CHOICES)
    number = f"{outcome.settings['combinations']:,} combinations of {len(CHOICES)} choices"
    print(f"{number}, {len(systems)} systems: {time.process_time() - start:.1f} s of processor time")


if __name__ == "__main__":
    main()
