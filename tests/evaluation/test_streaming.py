"""The law of pieces: however files are cut, in whatever order they come, the result is the same to the last digit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from aune import InputError, Result, UsageError, evaluate
from aune.contract import registry
from aune.contract.format import WHOLE_FILE
from aune.evaluation import counting, pipeline, streaming
from aune.evaluation.counting import Chunk, ChunkCounts, Job, count_chunk
from aune.tasks.speech.atene.error_weights import ErrorWeights, save
from tests.evaluation.corpora import (
    ANSWERS,
    HOME,
    SKIP,
    TASKS,
    Record,
    bare_iob,
    by_writer,
    damage_text,
    files,
    lines,
    measures,
    records,
)
from tests.tasks.speech.strategies import tiny_model

SMALL = [1, 300]  # bytes of a piece: one document, and a few
FORMATS = [(task, form.name) for task in registry.task_names() for form in registry.formats(task)]


@pytest.fixture(params=TASKS)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def corpus(task: str, count: int = 40) -> tuple[list[str], list[str]]:
    """The lines of a key and a response as JSON."""
    key, response = records(task, count)
    return lines(key).splitlines(), lines(response).splitlines()


def write_text(folder: Path, name: str, lines: list[str]) -> str:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def everything(result: Result) -> dict[str, Any]:
    """All that a result says: values, rows and their order, warnings, signatures, JSON."""
    return {
        "envelope": result.to_dict(),
        "rows": {
            (row.system, row.name): (
                {name: list(values) for name, values in row.rows.attributes.items()},
                row.rows.matrix.tolist(),
            )
            for row in result
        },
    }


def score_sides(task: str, key: str, responses: dict[str, str], **options: Any) -> dict[str, Any]:
    return everything(evaluate(task, key, responses, **{"measures": measures(task), **options}))


def in_pieces(monkeypatch: pytest.MonkeyPatch, size: int, task: str, *paths: Any, **options: Any) -> dict[str, Any]:
    """As `scored`, of files that are cut; an error where they had to be read whole after all."""

    def refuse_whole_reading(*_: Any) -> Any:
        raise AssertionError("read whole")

    with monkeypatch.context() as patch:
        patch.setattr(streaming, "PIECE", size)
        patch.setattr(pipeline, "tally_in_memory", refuse_whole_reading)
        return score_sides(task, *paths, **options)


NAMELESS = "lines"  # their order is their name: no other order
IN_TURN = [(*item, "same" if place % 2 or item[1] == NAMELESS else "all") for place, item in enumerate(FORMATS)]
EVERY = [(*item, kind) for item in FORMATS for kind in ("same", "all") if (item[1], kind) != (NAMELESS, "all")]


@pytest.mark.parametrize(("task", "form", "kind"), EVERY if os.environ.get("AUNE_FULL") else IN_TURN)
def test_every_format_in_pieces(
    task: str, form: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, response, policy = damage_text(kind, *records(task, 12))
    if form in ANSWERS:
        policy = {}  # what has no place without a key cannot be scored against none
    *paths, options = files(tmp_path, task, form, key, {"A": response})
    whole = score_sides(task, *paths, **options, **policy)
    if registry.format(task, form).boundaries == WHOLE_FILE and Path(paths[0]).is_file():
        monkeypatch.setattr(streaming, "PIECE", 1)
        assert score_sides(task, *paths, **options, **policy) == whole
        return
    for size in (1, bytes_in(paths[0]) // 3):
        assert in_pieces(monkeypatch, size, task, *paths, **options, **policy) == whole, size


WITH_MODELS = SKIP["speech"] - ({"speech.per"} if find_spec("gruut") is None else set())


def model_of(measure: str, folder: Path) -> dict[str, Any]:
    """The options of measures with models, and small models for them; PER asks for a package alone."""
    weights = ErrorWeights({"S rare>rare far": 0.5}, {"S": 0.4, "D": 0.1, "any": 0.3}, frozenset({"two"}))
    save(weights, folder / "weights.json")
    models = {"speech.severity": {"weights": str(folder / "weights.json")}, "speech.per": {}}
    return {"measures": [measure], **models.get(measure, {"model": tiny_model()})}


@pytest.mark.parametrize("kind", ["same", "all"])
@pytest.mark.parametrize("measure", sorted(WITH_MODELS))
def test_measures_with_models_and_packages(
    measure: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ATENE, severity, and PER where its package is: in pieces and in processes; `test_engines.py` has them on Dask."""
    key, response, policy = damage_text(kind, *records("speech", 12))
    *paths, options = files(tmp_path, "speech", "manifest", key, {"A": response})
    settings = {**options, **policy, **model_of(measure, tmp_path)}
    whole = score_sides("speech", *paths, **settings)
    for size in (1, bytes_in(paths[0]) // 3):
        assert in_pieces(monkeypatch, size, "speech", *paths, **settings) == whole, size
    if kind == "all":
        assert in_pieces(monkeypatch, size, "speech", *paths, **settings, workers=2) == whole


def test_details_are_made_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a response in the key's order, of which no more than a piece is in memory."""
    *paths, options = files(
        tmp_path, "tagging", "jsonl", *(records("tagging", 12)[:1]), {"A": records("tagging", 12)[1]}
    )
    whole = score_sides("tagging", *paths, **options)
    assert any("details" in score for score in whole["envelope"]["scores"])
    monkeypatch.setattr(streaming, "read_inputs", lambda *_: pytest.fail("read whole"))
    assert in_pieces(monkeypatch, bytes_in(paths[0]) // 3, "tagging", *paths, **options) == whole


def bytes_in(path: str) -> int:
    """The size of a file, or of those in a folder."""
    if Path(path).is_file():
        return Path(path).stat().st_size
    return sum(file.stat().st_size for file in Path(path).iterdir() if file.suffix != ".txt")


# Files that are one document, cut behind their sentences.

WITHIN = [("tagging", "conllu"), ("tagging", "tsv"), ("tagging", "slash"), ("entities", "conll")]


def one_document(folder: Path, task: str, form: str, sides: dict[str, Sequence[Record]]) -> list[str]:
    paths = []
    for name, side in sides.items():
        path = folder / f"{name}.{form}"
        text = bare_iob(side) if form == "conll" else _without_marks(task, form, side)
        path.write_text(text)
        paths.append(str(path))
    return paths


def _without_marks(task: str, form: str, corpus_records: Sequence[Record]) -> str:
    """What a writer writes, without the lines that begin documents."""
    text = by_writer(task, registry.format(task, form))(corpus_records)
    bare = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("# newdoc"))
    return bare.replace("\n\n\n", "\n\n")


@pytest.mark.parametrize(("task", "form"), WITHIN)
def test_a_file_that_is_one_document_is_cut_behind_sentences(
    task: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, response = records(task, 30)
    expected, actual = one_document(tmp_path, task, form, {"key": key, "a": response})
    by_sentence = [measure for measure in measures(task) if measure.units not in ("referent_units", "document_units")]
    whole = score_sides(task, expected, {"A": actual}, measures=by_sentence)
    assert whole["envelope"]["inputs"][0]["documents"] == 1
    for size in (1, bytes_in(expected) // 3):
        assert in_pieces(monkeypatch, size, task, expected, {"A": actual}, measures=by_sentence) == whole, size
    everywhere = score_sides(task, expected, {"A": actual})
    monkeypatch.setattr(streaming, "PIECE", 1)
    assert score_sides(task, expected, {"A": actual}) == everywhere


@pytest.mark.parametrize(("task", "form"), WITHIN)
@pytest.mark.parametrize("change", ["another word", "a sentence less", "a mark"])
def test_it_is_read_whole_where_texts_differ(
    task: str, form: str, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, response = records(task, 12)
    expected, actual = one_document(tmp_path, task, form, {"key": key, "a": response})
    path = Path(actual)
    text = path.read_text()
    if change == "another word":
        text = text[: len(text) // 2] + text[len(text) // 2 :].replace("w1", "v1", 1)
    elif change == "a sentence less":
        text = text.replace("\n\n", "\n", 1) if form != "slash" else text.replace("\n", " ", 1)
    elif form == "conll":
        text = text.replace("\n\n", "\n\n-DOCSTART- O\n\n", 1)
    else:
        text = text.replace("\n", "\n# newdoc id = x\n", 1) if form == "slash" else f"# newdoc id = x\n{text}"
    path.write_text(text)
    whole = outcome(task, expected, actual)
    for size in SMALL:
        monkeypatch.setattr(streaming, "PIECE", size)
        assert outcome(task, expected, actual) == whole, size


def outcome(task: str, expected: str, text: str) -> Any:
    """The result, or what is refused."""
    try:
        return score_sides(task, expected, {"A": text})
    except (InputError, UsageError) as error:
        return str(error)


@pytest.mark.parametrize(
    ("task", "form", "text"),
    [
        ("entities", "conll", "a B-X\n\nb I-X\n\nc B-X\n"),  # IOB1 or IOB2: what all sentences say decides
        ("entities", "conll", "a I-X\n\nb B-X\nc I-X\n\nd B-X\n"),
        ("entities", "conll", "a\tB-X\n\nb B-X\n"),
        ("entities", "conll", "-DOCSTART- O\n\na B-X\n\n#newdoc id = x\n\nb O\n\n-DOCSTART- O\nc O\n"),
        ("tagging", "conllu", "# newdoc\n1\ta\t_\tN\t_\t_\t9\t_\t_\t_\n\n#newdoc\n1\tb\t_\tN\t_\t_\t7\t_\t_\t_\n\n"
         "# newdoc\n1\tc\t_\tN\t_\t_\t7\t_\t_\t_\n"),
        ("tagging", "tsv", "# newdoc id = a\na\tN\n\n# newdocument\nb\tN\n\n# newdoc id = c\nc\tN\n"),
        ("coref", "corefud", "# newdoc id = a\n# global.Entity = eid-head\n1\ta\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-1)\n\n"
         "# newdoc id = b\n1\ta\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-1)\n"),
        ("coref", "partition", "# document a\n1 2\n# documents are\n3 4\n# document b\n1 2\n"),
        ("coref", "sacr", "#textid:a\n\n{A x} {A y}\n#textid:c\n\n#textid:b\n\n{A x} {A y}\n"),
        ("coref", "muc", '<DOC>\n<DOCID>a</DOCID>\n<!--\n<DOC>\n--><COREF ID="1">x</COREF>\n</DOC>\n<DOC ID="b">\n'
         '<COREF ID="1">x</COREF>\n</DOC>\n'),
        ("entities", "muc_sgml", '<DOC>\n<ENAMEX TYPE="X|Y">a</ENAMEX>\n</DOC>\n<DOC>\n<DOCID>b</DOCID>\n'
         '<ENAMEX TYPE="X|Y">a</ENAMEX>\n</DOC>\n'),
        ("entities", "hipe", "TOKEN\tNE-COARSE-LIT\n# document_id = a\na\tB-X\n# other\nb\tI-Y\n# x:document_id = b\n"
         "a\tI-X\n# document_id = c\nd\tO\n"),
        ("speech", "stm", "a A s 0 1 x\nb A s 0 1 x\na A s 1 2 y\n;; c\nc A s 0 1 z\n"),
        ("anaphora", "pairs", "document\tanaphor\tantecedent\na\t1\t2\na\t1\t2\nb\t1\t2\nb\t1\t2\na\t3\t2\n"),
    ],
)  # fmt: skip
def test_what_looks_like_a_boundary(
    task: str, form: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines that begin no document, documents that have no name, what only the whole file shows."""
    paths = [tmp_path / f"{name}.{form}" for name in ("key", "a")]
    for path in paths:
        path.write_text(text)
    options: dict[str, Any] = {"key_format": form, "response_format": form}
    options |= {"documents": "newdoc"} if task == "tagging" else {}

    def outcome_of_reading() -> Any:
        try:
            return score_sides(task, str(paths[0]), {"A": str(paths[1])}, **options)
        except (InputError, UsageError) as error:
            return str(error)

    whole = outcome_of_reading()
    monkeypatch.setattr(streaming, "PIECE", 1)
    assert outcome_of_reading() == whole


# JSON lines, of which a document is one.


@pytest.mark.parametrize("kind", ["same", "shuffled", "missing", "extra", "counted"])
def test_pieces_change_nothing(task: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response, policy = damage_text(kind, *records(task, 20))
    *paths, options = files(tmp_path, task, HOME[task], key, {"A": response})
    whole = score_sides(task, *paths, **options, **policy)
    for size in SMALL:
        monkeypatch.setattr(streaming, "PIECE", size)
        assert score_sides(task, *paths, **options, **policy) == whole, size
    monkeypatch.setattr(counting, "CHUNK_SIZE", 7)
    assert score_sides(task, *paths, **options, **policy) == whole


@pytest.mark.parametrize("size", [1 << 16, 1 << 22], ids=["64 kB", "4 MB"])
def test_pieces_of_real_sizes(task: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines with blanks behind them, so that few documents fill pieces; `benchmarks/scale.py` has many."""
    key, response, policy = damage_text("all", *records(task, 20))
    expected, responses, options = files(tmp_path, task, HOME[task], key, {"A": response})
    for path in (expected, responses["A"]):
        text = Path(path).read_text()
        Path(path).write_text(text.replace("\n", " " * (2 * size // text.count("\n")) + "\n"))
    monkeypatch.setattr(streaming, "PIECE", 1 << 30)
    whole = score_sides(task, expected, responses, **options, **policy)
    assert in_pieces(monkeypatch, size, task, expected, responses, **options, **policy) == whole


def test_problems_have_the_lines_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech")
    key[17], key[31] = "no JSON", '{"id": "x"}'
    paths = write_text(tmp_path, "key", key), {"A": write_text(tmp_path, "a", response)}
    with pytest.raises(InputError) as whole:
        evaluate("speech", *paths)
    monkeypatch.setattr(streaming, "PIECE", 300)
    with pytest.raises(InputError) as pieces:
        evaluate("speech", *paths)
    assert str(pieces.value) == str(whole.value) and ":18:" in str(whole.value)


@pytest.mark.parametrize("change", ["gone", "another"])
def test_a_file_must_be_the_same_where_it_is_counted(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On another machine, where the file of this name is another one, or there is none."""
    key, response = corpus("speech")
    paths = write_text(tmp_path, "key", key), {"A": write_text(tmp_path, "response", response)}
    target = tmp_path / "there.jsonl"
    if change == "another":
        target.write_text("".join(key[:-1]))
    monkeypatch.setattr(streaming, "PIECE", 200)

    def elsewhere(job: Job, recipes: Iterable[Chunk]) -> Iterator[ChunkCounts]:
        for recipe in recipes:
            yield count_chunk(job, recipe._replace(key=tuple(replace(piece, file=str(target)) for piece in recipe.key)))

    with pytest.raises(InputError, match=r": found no readable file where it is counted \((No such|it is)"):
        evaluate("speech", *paths, engine=elsewhere)


@pytest.mark.parametrize("size", [200, 1 << 20], ids=["pieces", "whole"])
@pytest.mark.parametrize("change", ["gone", "longer", "as long"])
@pytest.mark.parametrize("which", [0, 1], ids=["key", "response"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    which: int, change: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest in the result would be that of another file than was counted."""
    sides = corpus("speech")
    paths = [Path(write_text(tmp_path, name, side)) for name, side in zip(("key", "response"), sides, strict=True)]
    monkeypatch.setattr(streaming, "PIECE", size)
    os.utime(paths[which], (1, 1))  # clocks of files are coarse
    opening = pipeline.open_inputs

    def meanwhile(*arguments: Any) -> Any:
        inputs = opening(*arguments)
        text = paths[which].read_text()
        paths[which].write_text(text + "\n" if change == "longer" else text.replace("one", "two"))
        if change == "gone":
            paths[which].unlink()
        return inputs

    monkeypatch.setattr(pipeline, "open_inputs", meanwhile)
    with pytest.raises(InputError) as refused:
        evaluate("speech", str(paths[0]), {"A": str(paths[1])})
    assert str(refused.value).startswith(f"{paths[which]}:1:1: found a file that changed while it was read")


def test_a_file_that_changed_is_not_read_for_details(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("tagging")
    paths = write_text(tmp_path, "key", key), write_text(tmp_path, "a", response)
    for size in (200, 1 << 20):
        monkeypatch.setattr(streaming, "PIECE", size)
        os.utime(paths[0], (1, 1))
        result = evaluate("tagging", paths[0], {"A": paths[1]}, measures=["accuracy"])
        Path(paths[0]).write_text(Path(paths[0]).read_text().replace("N", "V"))
        if size == 200:
            with pytest.raises(InputError, match="found a file that changed"):
                result.to_json()
        else:
            result.to_json()  # it holds what it read


def test_duplicates_across_pieces_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech")
    paths = write_text(tmp_path, "key", [*key, key[3]]), {"A": write_text(tmp_path, "a", response)}
    monkeypatch.setattr(streaming, "PIECE", 300)
    with pytest.raises(InputError, match=":41:1: found document 'u3' a second time"):
        evaluate("speech", *paths)


@pytest.mark.parametrize("policy", [{"missing": "error"}, {"extra": "error"}])
def test_refused_documents_are_all_named(
    policy: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, response = corpus("speech")
    paths = write_text(tmp_path, "key", key[:35]), {"A": write_text(tmp_path, "a", response[5:])}
    with pytest.raises(InputError) as whole:
        evaluate("speech", *paths, **policy)
    monkeypatch.setattr(streaming, "PIECE", 300)
    with pytest.raises(InputError) as pieces:
        evaluate("speech", *paths, **policy)
    assert str(pieces.value) == str(whole.value) and len(whole.value.problems) == 5


def test_names_in_common_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech")
    other = [line.replace('"u', '"other') for line in response]
    monkeypatch.setattr(streaming, "PIECE", 300)
    with pytest.raises(InputError, match="give the utterances of both sides the same names"):
        evaluate("speech", write_text(tmp_path, "key", key), {"A": write_text(tmp_path, "a", other)})


def test_several_systems_share_the_key(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus(task)
    paths = write_text(tmp_path, "key", key), {
        "A": write_text(tmp_path, "a", response), "B": write_text(tmp_path, "b", key[::-1]),
    }  # fmt: skip
    whole = score_sides(task, *paths)
    monkeypatch.setattr(streaming, "PIECE", 300)
    assert score_sides(task, *paths) == whole


def test_what_cannot_be_scored_is_refused_by_evaluate() -> None:
    with pytest.raises(UsageError):
        evaluate("entities", [(0, 1, "A")], {"A": [(0, 1, "A")]}, measures=["eter"], alpha=5)
