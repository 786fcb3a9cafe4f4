"""No input makes a reader raise anything but a list of problems, and what is read can be scored."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import registry, score
from aune.corpus import Source
from aune.errors import InputError, NothingToScoreError

SEEDS = {
    "conllu": "# newdoc id = a\n1-2\tAux\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tÀ\tà\tADP\tP\t_\t3\tcase\t_\t_\n"
    "2\tles\tle\tDET\tD\tA=b\t3\tdet\t_\t_\n\n1\ta b\tx\tX\tX\t_\t0\tr\t_\t_\n",
    "tsv": "# newdoc id = a\npar\tSp\tB-Rgp\nexemple\tNcms\tI-Rgp\n\n500 000\tDi|Nk\t_\t0.500\n",
    "slash": "# newdoc id = a\nle/D chat/N|V\n1\\/2/NUM km/h/N\n",
    "jsonl": '{"id": "a", "words": ["par", "x"], "tags": ["S", ["N"]], "compounds": [[0, 2, "R"]], "sentences": [0]}\n',
}


def survives(name: str, data: bytes) -> None:
    source = Source("x", data)
    try:
        found = list(registry.format("tagging", name).read(source))
        source.finish()
    except InputError as error:
        assert all(": " in problem.message and problem.line >= 1 for problem in error.problems)
        return
    if found:
        names = {f"{index}": one for index, one in enumerate(found)}
        with contextlib.suppress(NothingToScoreError):
            score("tagging", names, names, measures=["precision_decision", "ud_words"])


@pytest.mark.parametrize("name", SEEDS)
@given(seed=st.integers(0, 10_000))
def test_damaged_files(name: str, seed: int) -> None:
    rng = random.Random(seed)
    text = list(SEEDS[name])
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(text) + 1)
        piece = rng.choice(
            ["", "\t", "\n", "-", "1", "/", "\\", '"', "[", "{", "\u2028", "\x00", "B-", "#", "9999999999", "\ud800"]
        )
        text[at : at + rng.randint(0, 3)] = piece
    survives(name, "".join(text).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", SEEDS)
@given(st.binary(max_size=60))
def test_any_bytes(name: str, data: bytes) -> None:
    survives(name, data)


@pytest.mark.parametrize("name", SEEDS)
def test_recognised_by_its_content(name: str) -> None:
    fitting = [form.name for form in registry.formats("tagging") if form.sniff(SEEDS[name])]
    assert fitting == [name]
