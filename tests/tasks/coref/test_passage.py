"""A passage of about so many mentions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import evaluate
from aune.cli import run
from aune.contract.registry import task
from aune.reading.corpus import read
from aune.tasks.coref.model import Document, Mention, make_document
from aune.tasks.coref.passage import passage


@st.composite
def texts(draw: st.DrawFn) -> Document:
    size = draw(st.integers(1, 12))
    spans = st.tuples(st.integers(0, size - 1), st.integers(1, 3)).map(lambda s: (s[0], min(s[0] + s[1], size)))
    mentions = [Mention(*span, draw(st.integers(0, 2))) for span in draw(st.sets(spans, max_size=8))]
    sentences = [0, *sorted(draw(st.sets(st.integers(1, max(size - 1, 1)), max_size=4)))]
    return make_document(
        "d", mentions, tokens=[f"w{n}" for n in range(size)], sentences=[s for s in sentences if s < size]
    )


@given(texts(), st.integers(0, 9))
def test_no_other_sentence_end_is_nearer(text: Document, wanted: int) -> None:
    made = passage(text, wanted)
    assert text.tokens is not None and text.sentences is not None and made.tokens is not None
    assert list(made.tokens) == list(text.tokens)[: len(made.tokens)]
    inside = [span for span in text.spans.tolist() if span[1] <= len(made.tokens)]
    assert sorted(made.spans.tolist()) == sorted(inside)
    if len(text.sentences) > 1:
        ends = [*text.sentences[1:], len(text.tokens)]
        counts = [sum(end <= limit for _, end in text.spans.tolist()) for limit in ends]
        assert len(made.tokens) in ends
        assert abs(len(made) - wanted) == min(abs(count - wanted) for count in counts)


@given(texts(), texts(), st.integers(0, 9))
def test_a_response_ends_where_its_key_does(key: Document, response: Document, wanted: int) -> None:
    cut = passage(key, wanted)
    assert cut.tokens is not None and response.tokens is not None
    made = passage(response, wanted, key)
    assert len(made.tokens or ()) == min(len(cut.tokens), len(response.tokens))


def test_from_the_command_line(data: Path, tmp_path: Path) -> None:
    """Key and response of LitBank cut to about 100 mentions a text, as LPG was cut to the size of VA."""
    folder = data / "coref" / "litbank"
    key, system = (str(folder / f"{name}.conll.gz") for name in ("key", "s2-sieve"))
    short_key, short = str(tmp_path / "key.conll"), str(tmp_path / "s2.conll")
    assert run(["convert", "coref", key, short_key, "--passage", "100"]) == 0
    assert run(["convert", "coref", system, short, "--passage", "100", "--onto", key]) == 0
    sizes = [len(document) for document in read(task("coref"), short_key).documents]
    assert all(80 <= size <= 120 for size in sizes) and len(sizes) == 10
    score = evaluate("coref", short_key, [short], measures=["conll"])["conll"].f1
    assert score is not None and 0.3 < score < 0.9


def test_only_coref_has_passages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.tsv").write_text("la\tD\n")
    assert run(["convert", "tagging", str(tmp_path / "a.tsv"), str(tmp_path / "b.tsv"), "--passage", "3"]) == 2
    assert "passage" in capsys.readouterr().err
