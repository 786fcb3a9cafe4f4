from __future__ import annotations

import gzip
import time
from pathlib import Path

import numpy as np
import pytest

from aune.contract import registry
from aune.reading import corpus
from aune.reading.source import Source
from aune.tasks.coref.formats.conll2012 import document_id, read, sniff, write
from aune.tasks.coref.model import Document, duplicates

SAMPLES = Path(__file__).parent / "samples"


def documents(text: str, name: str = "a.conll") -> list[Document]:
    source = Source(name, text.encode())
    result = list(read(source))
    source.raise_problems()
    return result


def one(*rows: str) -> Document:
    [document] = documents("#begin document (d); part 0\n" + "\n".join(rows) + "\n")
    return document


def test_every_oddity_at_once() -> None:
    first, second = documents((SAMPLES / "conll2012-tabs.conll").read_text())
    assert (first.id, second.id) == ("nw/wsj/0001 (draft)", "nw/wsj/0001 (draft); part 1")
    assert first.tokens == ["Ann", "Lee", "met up", "her", "sister", "#", "She", "smiled"]
    assert first.sentences == [0, 5]
    assert first.clusters() == [[(0, 2), (3, 4), (6, 8)], [(3, 5), (6, 8)]]
    assert first.labels == ["1", "a2"]
    assert first.attributes == {"genre": "nw"}
    assert first.lines is not None
    assert first.lines.tolist() == [2, 5, 5, 9, 9]
    assert (first.line, second.line) == (1, 13)
    assert len(second) == 0


@pytest.mark.parametrize(
    ("title", "name"),
    [
        (" (a); part 000", "a"), (" (a); part 0", "a"), ("(a);", "a"), (" (a) ", "a"), (" a", "a"),
        (" (a (b) c ) ; part 012", "a (b) c; part 12"), (" (a); part b", "a; part b"), ("", ""), (" ()", ""),
        (" a; part 002", "a; part 2"), (" (a ; b); part 1", "a ; b; part 1"),
    ],
)  # fmt: skip
def test_names(title: str, name: str) -> None:
    assert document_id(title) == name


@pytest.mark.parametrize(
    "marker", ["#begin document (a); part 001", "# begin document (a);  part 1 ", "#BEGIN DOCUMENT (a); part 1"]
)
def test_markers(marker: str) -> None:
    assert [document.id for document in documents(f"{marker}\nx -\n")] == ["a; part 1"]


@pytest.mark.parametrize("cell", ["-", "_", ""])
def test_no_mention(cell: str) -> None:
    assert one(f"d\t0\t0\tAnn\t{cell}", "d\t0\t1\tLee\t(1)").clusters() == [[(1, 2)]]


def test_an_empty_last_cell_is_not_a_trailing_tab() -> None:
    """The column before the last may look like a mention."""
    rows = ["d\t0\t0\tAnn\t(PERSON)\t", "d\t0\t1\tLee\t*\t(1)"]
    assert one(*rows).clusters() == [[(1, 2)]]
    trailing = ["d\t0\t0\tAnn\t(1)\t", "d\t0\t1\tLee\t-"]
    assert one(*trailing).clusters() == [[(0, 1)]]
    everywhere = ["d\t0\t0\tAnn\t(1)\t", "d\t0\t1\tLee\t-\t"]
    assert one(*everywhere).clusters() == [[(0, 1)]]


def test_nested_mentions_of_one_chain_close_last_in_first_out() -> None:
    assert one("a (1", "b (1", "c 1)", "d 1)").clusters() == [[(0, 4), (1, 3)]]


def test_mentions_of_different_chains_may_cross_and_span_sentences() -> None:
    assert one("a (1", "b (2", "", "c 1)", "d 2)").clusters() == [[(0, 3)], [(1, 4)]]


def test_order_of_opening_is_kept_where_it_differs() -> None:
    """`(1(2` opens chain 1 first, although chain 2's mention ends first."""
    result = one("a (1(2", "b 2)", "c 1)")
    assert result.spans.tolist() == [[0, 2], [0, 3]]
    assert result.order is not None
    assert result.order.tolist() == [1, 0]


def test_a_token_may_be_a_hash_and_remarks_are_passed_over() -> None:
    assert one("# a remark", "Ann (1)", "# -", "x -").tokens == ["Ann", "#", "x"]
    assert one("d\t0\t0\tAnn\t-", "#\t0\t1\t#\t(1)").tokens == ["Ann", "#"]


def test_a_missing_end_and_no_begin() -> None:
    assert [document.id for document in documents("#begin document (a)\nx -\n#begin document (b)\ny -\n")] == ["a", "b"]
    [bare] = documents("x (1)\ny -\n", "some/where/text.conll.gz")
    assert (bare.id, bare.clusters()) == ("text", [[(0, 1)]])
    assert [document.tokens for document in documents("#begin document (a)\n#end document\n")] == [[]]


def test_duplicates_are_read() -> None:
    assert len(duplicates(one("a (1(1", "b 1)1)"))) == 1
    assert len(duplicates(one("a (1)|(2)"))) == 1


def test_sniff() -> None:
    assert sniff("x -\ny (1)\n")
    assert not sniff("Some prose, and more.\nAnother line\n")
    assert not sniff("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n")


def test_written_text() -> None:
    result = one("a (1|(2)", "b 1)|(3", "", "c 3)")
    assert "".join(write([result])).splitlines()[1:] == [
        "d\t0\t0\ta\t-\t-\t-\t-\t-\t-\t*\t(1|(0)",
        "d\t0\t1\tb\t-\t-\t-\t-\t-\t-\t*\t1)|(2",
        "",
        "d\t0\t2\tc\t-\t-\t-\t-\t-\t-\t*\t2)",
        "",
        "#end document",
    ]


def test_real_files(data: Path) -> None:
    """Every file is read, and comes back the same; figures counted with other tools."""
    result = {}
    for path in sorted(data.glob("coref/*/*.conll.gz")):
        read_in = documents(gzip.decompress(path.read_bytes()).decode())
        again = documents("".join(write(read_in)))
        for before, after in zip(read_in, again, strict=True):
            assert (before.id, before.tokens, before.sentences) == (after.id, after.tokens, after.sentences)
            assert np.array_equal(before.spans, after.spans)
            assert np.array_equal(before.chains, after.chains)
        result[f"{path.parent.name}/{path.name}"] = (
            len(read_in), sum(len(document.tokens or ()) for document in read_in), sum(map(len, read_in)),
        )  # fmt: skip
        assert not any(duplicates(item) for item in read_in)
    assert result["litbank/key.conll.gz"] == (10, 20638, 2832)
    assert result["fr-litbank/test.V2.gold.conll.gz"] == (18, 34794, 4940)
    assert result["fr-litbank/test.V2.camembert.conll.gz"] == (18, 34794, 4940)
    assert len(result) == 10


def test_official_cases(data: Path) -> None:
    cases = sorted((data / "coref" / "conll-scorer-cases").glob("TC-*"))
    read_in = {path.name: documents(path.read_text()) for path in cases}
    assert len(cases) == 50
    assert all(len(result) == 1 for result in read_in.values())
    assert len(duplicates(read_in["TC-A-9.response"][0])) == 10


def test_reading_is_fast() -> None:
    """170,000 tokens in well under half a second; the bound leaves room for a busy machine."""
    rows = [
        f"d\t0\t{i}\tword{i % 99}\t-\t-\t-\t-\t-\t-\t*\t{f'({i % 37})' if i % 9 == 0 else '-'}\n" for i in range(500)
    ]
    text = "".join(f"#begin document (d{i}); part 000\n{''.join(rows)}\n#end document\n" for i in range(340))
    start = time.process_time()
    assert sum(len(document.tokens or ()) for document in documents(text)) == 170_000
    assert time.process_time() - start < 1.0


def test_columns_of_conll_u_under_begin_document(tmp_path: Path) -> None:
    """As published French corpora have them: the word is in the second column, its part of speech in the fourth."""
    rows = [("Marie", "PROPN", "(1)"), ("dit", "VERB", "-"), ("qu'", "SCONJ", "-"), ("elle", "PRON", "(1)"),
            ("viendra", "VERB", "-")]  # fmt: skip
    lines = [f"{number}\t{word}\t{word}\t{tag}\t_\t_\t0\t_\t_\t_\t{cell}"
             for number, (word, tag, cell) in enumerate(rows, 1)]  # fmt: skip
    path = tmp_path / "a.conll"
    path.write_text("\n".join(["#begin document (a);", *lines, "", "#end document", ""]))
    [document] = corpus.read(registry.task("coref"), str(path)).documents
    assert list(document.tokens or ()) == [word for word, _, _ in rows]
    assert document.clusters() == [[(0, 1), (3, 4)]]
    [anaphors] = corpus.read(registry.task("anaphora"), str(path), language="french").documents
    assert [anaphors.text(anaphor.mention) for anaphor in anaphors.anaphors] == ["elle"]


def test_a_french_corpus_in_either_layout_has_the_same_pronouns(tmp_path: Path, data: Path) -> None:
    """Under the columns of CoNLL-U the part of speech was read as the word, so that no pronoun was found."""
    source = data / "coref" / "fr-litbank" / "test.V2.key.conll.gz"
    if not source.exists():
        pytest.skip(f"{source} is absent")
    rewritten = tmp_path / "a.conll"
    lines = gzip.decompress(source.read_bytes()).decode().splitlines()
    rewritten.write_text("".join(f"{as_conllu(line)}\n" for line in lines))
    layouts = [corpus.read(registry.task("anaphora"), str(path), language="french") for path in (source, rewritten)]
    pronouns = [[anaphor.mention for text in layout.documents for anaphor in text.anaphors] for layout in layouts]
    assert [layout.format for layout in layouts] == ["coref", "coref"] and pronouns[0] == pronouns[1]
    assert len(pronouns[0]) == 2930


def as_conllu(line: str) -> str:
    """A word's line with the columns of CoNLL-U, its part of speech in the fourth, and its chains in the last."""
    cells = line.split("\t")
    if len(cells) < 12:
        return line
    return "\t".join(
        [str(int(cells[2]) + 1), cells[3], cells[3].lower(), "NOUN", "_", "_", "0", "dep", "_", "_", cells[-1]]
    )
