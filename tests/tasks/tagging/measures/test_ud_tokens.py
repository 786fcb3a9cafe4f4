from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given

import aune
from aune.contract.registry import measure
from tests.tasks.tagging.ud import pairs, places

TOKENS = measure("tagging.ud_tokens")


@given(pairs())
def test_tokens_over_the_same_characters(sides: tuple[list[Any], list[Any]]) -> None:
    left, right = map(places, sides)
    assert TOKENS(*sides).counts == {"correct": len({*left} & {*right}), "key": len(left), "response": len(right)}


def test_a_multiword_token_is_one_token(tmp_path: Path) -> None:
    empty = "\t_" * 8
    (tmp_path / "key.conllu").write_text(f"1-2\tdu{empty}\n1\tde{empty}\n2\tle{empty}\n3\tpain{empty}\n\n")
    (tmp_path / "response.conllu").write_text(f"1\tdu{empty}\n2\tpain{empty}\n\n")
    files = str(tmp_path / "key.conllu"), str(tmp_path / "response.conllu")
    result = aune.score("tagging", *files, measures=["ud_tokens", "ud_words"])
    assert (result["ud_tokens"].f1, result["ud_words"].recall) == (1.0, 1 / 3)
