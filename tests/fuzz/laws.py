"""What holds of every file that could be read and of every file that was written, whoever made the documents.

`tests/tasks/test_writing.py` asks it of documents that Hypothesis makes, `mutants.py` of what damaged files say.
"""

from __future__ import annotations

import codecs
import io
import json
import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from unittest.mock import patch

from aune.contract import registry
from aune.contract.format import Format
from aune.errors import InputError, NothingToScoreError, UsageError
from aune.evaluation import pipeline, streaming
from aune.evaluation.counting import _are_document_starts
from aune.reading.conversion import convert_documents, read_back
from aune.reading.corpus import Corpus
from aune.reading.pieces import Cutter, Origin, make_cutter, make_piece
from aune.reading.source import Source
from aune.tasks.speech.model import utterances
from aune.tasks.tagging.model import Document as Tagged

if __package__:
    from tests.fuzz.soundness import unsound
else:  # run as a script, this folder comes first
    from soundness import unsound

EVERYTHING = {
    "coref": "jsonlines", "anaphora": "jsonlines", "entities": "jsonl", "speech": "manifest", "tagging": "jsonl",
}  # fmt: skip
"""The format of each task that holds everything."""
PIECES = 50  # of which a file is put together, or as many as it has documents
MOST = 300  # documents of a file whose order is changed
NAMES = ("id", "doc_key", "document")
COLUMNS = {"upos", "xpos", "feats", "lemma", "deprel"}
NOTHING: list[Any] = [[], [[]], {}, "", None]


def read(form: Format, source: Source, **options: Any) -> list[Any]:
    documents = list(form.read(source, **options))
    source.raise_problems()
    return documents


def check_kept(task: str, form: Format, before: Sequence[Any], scored: bool = True) -> None:
    """What is written comes back, or is said to be lost, or is refused."""
    name = f"{before[0].id}{form.suffixes[0] if form.suffixes else ''}".replace("/", "_")
    try:
        conversion = convert_documents(registry.task(task), form, before, name)
    except UsageError:
        return
    assert not any(getattr(document, "listed", None) for document in before), "strings without a place were written"
    after = read_back(form, conversion.data, conversion.beside, name)
    assert task != "coref" or not any(unfit := [*map(unsound, [*before, *after])]), unfit
    check_words(task, before, after, conversion.lost, form.name)
    if conversion.lost:
        return
    assert [document.id for document in after] == [document.id for document in before], form.name
    if all(getattr(old, "unit", "") == getattr(new, "unit", "") for old, new in zip(before, after, strict=True)):
        for old, new in zip(facts_of(task, before), facts_of(task, after), strict=True):
            assert holds(new, old), f"{form.name}: {new} for {old}"
        if scored and (perfect := scores(task, before, before)) is not None:
            assert scores(task, before, after) == perfect, form.name


def check_words(task: str, before: Sequence[Any], after: Sequence[Any], lost: Mapping[str, int], form: str) -> None:
    """Whatever else is lost, words are not, unless it is said."""
    if task in ("speech", "tagging") and not lost.keys() & {"documents", "document names", "names", "tokens"}:
        old, new = ([_words(document) for document in documents] for documents in (before, after))
        assert new == old, f"{form}: {new} for {old}"


def _words(document: Any) -> list[str]:
    """The words of a tagged text, or of all the utterances of a recording, which may overlap."""
    if isinstance(document, Tagged):
        return document.words.values()
    return sorted(word for utterance in utterances([document]) for word in utterance.words)


def scores(task: str, key: Sequence[Any], response: Sequence[Any]) -> Any:
    """The scores of one side against the other; None where there are none."""
    try:
        result = pipeline.evaluate(task, Corpus(list(key)), {"same": Corpus(list(response))})
    except (InputError, UsageError, NothingToScoreError):
        return None
    return [(row["measure"], row["value"], row["score"]) for row in result.records()]


def facts_of(task: str, documents: Sequence[Any]) -> list[Any]:
    """All that documents say, as the format that holds everything has it; nothing where it cannot represent them."""
    write = registry.format(task, EVERYTHING[task]).write
    assert write is not None
    try:
        records = [json.loads(line) for line in "".join(write(documents)).split("\n") if line]
    except UsageError:
        return []
    return [_stated_fields(record) for record in records]


def _stated_fields(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what goes without saying: a relation is to a chain, a least span is less than the span."""
    fields = {name: value for name, value in record.items() if not _goes_without_saying(name, record)}
    if "clusters" not in record and "spans" in fields:  # what a file calls a span is no annotation
        fields["spans"] = [{name: value for name, value in span.items() if name != "id"} for span in fields["spans"]]
    spans = [span for chain in record.get("clusters", ()) for span in chain]
    chains = [number for number, chain in enumerate(record.get("clusters", ())) for _ in chain]
    for name in fields.keys() & COLUMNS:
        fields[name] = ["" if value == "_" else value for value in fields[name]]
    if "relations" in fields and chains:
        fields["relations"] = sorted([kind, start, chains[end]] for kind, start, end in record["relations"])
    least = [item for chain in record.get("minima", ()) for item in chain] or [None] * len(spans)
    if "heads" in fields:  # what is known by one token has it for a head
        heads = [head for chain in record["heads"] for head in chain]
        fields["heads"] = [_head(*item) for item in zip(heads, spans, least, strict=True)]
    if "minima" in fields:
        fields["minima"] = [None if item == _extent(span) else item for item, span in zip(least, spans, strict=True)]
    return fields


def _extent(span: Any) -> Any:
    """From the first token of a mention to its last, in however many parts."""
    return [span[0][0], max(end for _, end in span)] if isinstance(span[0], list) else span


def _head(head: int, span: Any, least: Any) -> int:
    places = [place for place in (least, span) if place and place[0] == place[1]]
    return int(places[0][0]) if head < 0 and places else head


def _goes_without_saying(name: str, record: dict[str, Any]) -> bool:
    """What units are is compared by itself; a recording and a genre may be told by the name alone."""
    begins = str(record.get("id", record.get("doc_key"))).lower().startswith
    genre = name == "attributes" and list(record[name]) == ["genre"]
    message = record[name]["genre"] if genre else record[name] if name == "document" else None
    return name == "unit" or (isinstance(message, str) and begins(message.lower()))


def holds(new: Any, old: Any) -> bool:
    """Whether a record says all that another one says; it may say more, and what is empty says nothing."""
    if isinstance(old, dict) and isinstance(new, dict):
        renamed = {**new, "tags": new.get("tags", new.get("xpos"))}  # what CoNLL-U calls tags that are not universal
        return all(holds(renamed.get(name), value) for name, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(new) == len(old) and all(map(holds, new, old))
    if isinstance(old, list):
        return all(item in NOTHING for item in old)
    if isinstance(old, float) and isinstance(new, float | int):
        return abs(new - old) < 1e-6  # a duration and a beginning give the end but for the last digit
    return bool(new == old or old in NOTHING)


# Files.


def check_places(data: bytes, error: InputError) -> None:
    """Problems stand where there is something in the file, or right behind it, and say what to do."""
    try:
        lines = Source("x", data).text.split("\n")
    except InputError:
        lines = [line.decode("latin-1") for line in data.split(b"\n")]
    assert error.problems
    for problem in error.problems:
        assert "found" in problem.message and "expected" in problem.message, problem
        assert 1 <= problem.place.line <= len(lines), (problem, len(lines))
        assert 1 <= problem.place.column <= len(lines[problem.place.line - 1]) + 1, (
            problem,
            len(lines[problem.place.line - 1]),
        )


def check_order(task: str, form: Format, data: bytes) -> None:
    """The documents of a file in another order are the same documents."""
    data = data.removeprefix(codecs.BOM_UTF8)
    parts = _parts(form, data)
    if codecs.BOM_UTF8 in data:  # which would be no text where it came first
        return
    if not 3 <= len(parts) <= MOST or not all(_stands_alone(form, data, number) for number in range(len(parts) - 1)):
        return
    if len(read(form, Source("x", data), **_cutting(form))) != len(parts) - 1:  # some documents are apart in the file
        return
    headless = form.boundaries.header is not None and not parts[0]  # the first line may say what the columns are
    first = 2 if form.boundaries.is_literal or headless else 1  # what comes before the first mark stays there
    rest = parts[first:]
    random.Random(len(data)).shuffle(rest)
    files = (b"".join(parts[:first] + rest), data)
    is_present, here = (read(form, Source("x", file), **_cutting(form)) for file in files)
    is_present, here = (sorted(map(_nameless, facts_of(task, documents))) for documents in (is_present, here))
    assert is_present == here, f"in another order: {is_present} for {here}"


def _parts(form: Format, data: bytes) -> list[bytes]:
    """What every document needs, and the bytes of each document, all with a line end."""
    cut = _cut_text(form, data)
    starts = [max(cut.header, cut.place(number).start) for number in range(cut.documents + 1)]
    parts = [data[start:end] for start, end in pairwise(starts)]
    return [data[: cut.header], *(part if part.endswith(b"\n") else part + b"\n" for part in parts)]


def _cut_text(form: Format, data: bytes) -> Cutter:
    return make_cutter(Origin("x", "", len(data), data=data), form.boundaries)


def _cutting(form: Format) -> dict[str, str]:
    """The option under which a file is several documents, where there is one."""
    return dict([form.boundaries.option]) if form.boundaries.option else {}


def _stands_alone(form: Format, data: bytes, number: int) -> bool:
    cut = _cut_text(form, data)
    piece = make_piece(cut.origin, form.name, cut.segments(number, number + 1))
    source = Source.from_piece(piece)
    try:
        documents = read(form, source, **_cutting(form))
    except InputError:
        return False
    marked = not form.boundaries.is_literal or _are_document_starts(piece, form.boundaries, documents)
    return len(documents) == 1 and source.is_standalone and marked


def _nameless(record: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in record.items() if name not in NAMES})


def check_pieces(task: str, form: Format, data: bytes) -> None:
    """A file that is read piece by piece gives what it gives when it is read whole, be it a result or problems."""
    options = [{}, _cutting(form)] if form.boundaries.option else [{}]
    for option in options if _cut_text(form, data).documents > 1 or form.boundaries.part_marks else ():
        whole = _outcome(task, form, data, option)
        with patch.object(streaming, "PIECE", max(1, len(data) // PIECES)):
            in_pieces = _outcome(task, form, data, option)
        assert in_pieces == whole, f"in pieces: {in_pieces} for {whole}"


def _outcome(task: str, form: Format, data: bytes, options: dict[str, str]) -> Any:
    """What becomes of a file that is compared with itself; of what is wrong with it, pieces may tell more or less."""
    key, response = io.BytesIO(data), io.BytesIO(data)
    formats = {"key_format": form.name, "response_format": form.name}
    try:
        result = pipeline.evaluate(task, key, {"same": response}, **formats, **options)
    except InputError as error:
        check_places(data, error)
        return "refused"
    except (UsageError, NothingToScoreError) as error:
        return str(error)
    rows = {(item.system, item.name): item.rows.matrix.tolist() for item in result}
    values = [(row["measure"], row["value"], row["score"]) for row in result.records()]
    return values, rows, result.warnings, [item.documents for item in result.inputs]
