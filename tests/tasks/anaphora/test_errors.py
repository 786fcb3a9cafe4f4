"""The errors listed are those counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import aune
from aune.contract import registry
from aune.evaluation.pairing import pair
from aune.reading.corpus import read
from aune.tasks.anaphora.errors import errors

TASK = registry.task("anaphora")
KEY = {"his": "Clinton", "he": "his", "it": "slavery"}


def cases(key: Any, response: Any) -> list[Any]:
    pairs, _ = pair(TASK, read(TASK, key), read(TASK, response))
    return errors(TASK.comparing.compare(pairs))


def test_every_kind() -> None:
    result = cases(KEY, {"his": "Clinton", "he": "Clinton", "decision": "conference"})
    assert [(case.kind, case.context, case.key, case.response) for case in result] == [
        ("incorrect", "he", "his", "Clinton"),
        ("miss", "it", "slavery", ""),
        ("false alarm", "decision", "", "conference"),
    ]
    assert result[0].attributes["chain"] == "same"


def test_they_add_up_on_real_data(data: Path) -> None:
    paths = [str(data / "coref/litbank" / f"{name}.conll.gz") for name in ("key", "s2-sieve")]
    counts = aune.score("anaphora", *paths, measures=["pairs"])["pairs"].counts
    kinds = Counter(case.kind for case in cases(*paths))
    assert (kinds["incorrect"], kinds["false alarm"], kinds["miss"]) == (
        counts["incorrect"], counts["false_alarms"], counts["misses"],
    )  # fmt: skip
