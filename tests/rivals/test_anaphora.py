"""GAP files made at random, through aune and through scikit-learn: the same precision, recall and F.

No scorer of anaphora is a package; every name beside a pronoun is a binary decision, and those any library can score.
What should not matter is varied: line ends, the case of the truth values, the order of rows, blank lines, a header.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune

metrics = pytest.importorskip("sklearn.metrics", reason="pip install scikit-learn to compare with it")

DIFFERENCES = {
    "missing rows": "a row that a response lacks is two false negatives for the scorer of GAP, whatever the key says"
}
"""Where a row is no pair of binary decisions, and why."""
HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
Row = tuple[bool, bool]


class Dress(NamedTuple):
    """How a response is written, which should not matter."""

    line_end: str
    upper: bool
    header: bool
    blank: bool
    seed: int


DRESSES = st.builds(
    Dress, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 99)
)
ROWS = st.lists(
    st.tuples(st.sampled_from([(True, False), (False, True), (False, False)]), st.tuples(st.booleans(), st.booleans())),
    min_size=1, max_size=8,
)  # fmt: skip


def key_text(rows: list[Row]) -> str:
    lines = [HEADER]
    for number, (first, second) in enumerate(rows):
        truth = [str(item).upper() for item in (first, second)]
        lines.append(f"t-{number}\tAnn saw Eve . She sat\tShe\t14\tAnn\t0\t{truth[0]}\tEve\t8\t{truth[1]}\thttp://x/y")
    return "\n".join([*lines, ""])


def response_text(rows: list[Row], dress: Dress) -> str:
    lines = [
        "\t".join([f"t-{number}", *(str(item).upper() if dress.upper else str(item) for item in row)])
        for number, row in enumerate(rows)
    ]
    random.Random(dress.seed).shuffle(lines)
    lines = (["ID\tA-coref\tB-coref"] if dress.header else []) + lines + ([""] if dress.blank else [])
    return dress.line_end.join([*lines, ""])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rivals")


@settings(max_examples=80)
@given(rows=ROWS, dress=DRESSES)
def test_files(folder: Path, rows: list[tuple[Row, Row]], dress: Dress) -> None:
    (folder / "key.tsv").write_text(key_text([key for key, _ in rows]))
    (folder / "response.tsv").write_bytes(response_text([example for _, example in rows], dress).encode())
    [found] = aune.score("anaphora", str(folder / "key.tsv"), str(folder / "response.tsv"), measures=["gap"])
    truth = [item for key, _ in rows for item in key]
    guess = [item for _, example in rows for item in example]
    expected = metrics.precision_recall_fscore_support(truth, guess, average="binary", zero_division=0)
    assert (found.precision, found.recall, found.f1) == pytest.approx(expected[:3])
