"""A new version of a key's file, from answers to the question whether its items are right."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from aune.contract import registry
from aune.contract.format import Format
from aune.corrections.document_diffs import Edit
from aune.corrections.edit_wording import describe_edit
from aune.corrections.item_edits import edit_documents, rewrite_key
from aune.errors import UsageError
from aune.files import parse_strict_json
from aune.reading.corpus import Corpus, read
from aune.reading.source import file_source

ACCEPTED, KEPT = "accepted", "kept"
MOST_ANSWERS = 5_000
LONGEST_REASON = 5_000  # characters


class EditedKey(NamedTuple):
    """The file of a key with some edits, and its documents after and before the edits."""

    data: bytes
    documents: Sequence[Any]
    before: Sequence[Any]


def edit_key(
    task: str, name: str, data: bytes, form: str, options: Mapping[str, Any], edits: Sequence[tuple[str, Edit]]
) -> EditedKey:
    """Apply edits to the file of a key."""
    with read_key(task, name, data, form, options) as (path, corpus):
        documents = corpus.documents
        for document, edit in edits:
            documents = edit_documents(task, documents, document, edit)
        chosen: Format = registry.format(task, corpus.format or form)
        edited = rewrite_key(chosen, file_source(path), documents, **corpus.options)
        return EditedKey(edited, documents, corpus.documents)


@contextmanager
def read_key(task: str, name: str, data: bytes, form: str, options: Mapping[str, Any]) -> Iterator[tuple[Path, Corpus]]:
    """Write a key to a temporary file and read it; returns the path and the corpus."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        yield path, read(registry.task(task), str(path), form or None, **options)


class Answer(NamedTuple):
    """The decision on one item of a key."""

    document: str
    edit: Edit
    decision: str
    """`accepted`: the edit is made; `kept`: the key stays unchanged."""
    reason: str


class Review(NamedTuple):
    """Answers about the items of one version of a key."""

    task: str
    digest: str
    answers: list[Answer]

    @property
    def corrections(self) -> list[Answer]:
        """The corrections, ordered from the end of each document, so that none moves the item of a later one."""
        chosen = [answer for answer in self.answers if answer.decision == ACCEPTED]
        return sorted(chosen, key=lambda answer: (answer.document, _place(answer.edit)), reverse=True)


def _place(edit: Edit) -> tuple[str, int, int]:
    """The place where words of a transcript are replaced; other edits move nothing."""
    start, end = edit.get("words") or (0, 0)
    return str(edit.get("utterance", "")), start, end


def parse_review(text: str) -> Review:
    """The answers from a page, as JSON; raises UsageError for any other text.

    >>> review = {"task": "tagging", "sha256": "0" * 64, "answers": [
    ...     {"document": "d", "edit": {"word": 0, "tags": "N"}, "decision": "accepted", "reason": "a noun"}]}
    >>> parse_review(json.dumps(review)).corrections[0].reason
    'a noun'
    """
    try:
        fields = parse_strict_json(text)
        answers = [
            Answer(str(row["document"]), dict(row["edit"]), str(row["decision"]), str(row["reason"]).strip())
            for row in fields["answers"][: MOST_ANSWERS + 1]
        ]
        review = Review(registry.task(str(fields["task"])).name, str(fields["sha256"]), answers)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"found no answers about a key ({error}), expected those of the page of questions") from None
    if len(answers) > MOST_ANSWERS:
        raise UsageError(f"found more than {MOST_ANSWERS:,} answers: send fewer at once")
    for answer in answers:
        if answer.decision not in (ACCEPTED, KEPT):
            raise UsageError(f"found the decision {answer.decision!r:.40}, expected {ACCEPTED} or {KEPT}")
        if answer.decision == ACCEPTED and not 0 < len(answer.reason) <= LONGEST_REASON:
            raise UsageError(f"{answer.document}: expected a reason of {LONGEST_REASON:,} characters at most")
    if not review.corrections:
        raise UsageError("no correction is accepted: the key stays as it is")
    return review


def check_digest(review: Review, digest: str) -> None:
    """Refuse answers about another version of a key."""
    if review.digest != digest:
        raise UsageError(
            f"found answers about the key with the digest {review.digest[:12]}, and this one has {digest[:12]}: "
            "rank the doubtful items of this version"
        )


def rename_only_document(review: Review, documents: Sequence[Any]) -> Review:
    """Name the only document of a key in all answers: its file may have had another name when it was ranked."""
    names = {answer.document for answer in review.answers}
    if len(documents) != 1 or len(names) != 1:
        return review
    return review._replace(answers=[answer._replace(document=documents[0].id) for answer in review.answers])


def revise_key(name: str, data: bytes, form: str, review: Review) -> bytes:
    """The new version of the file of a key."""
    check_digest(review, sha256(data).hexdigest())
    with read_key(review.task, name, data, form, {}) as (_, corpus):
        review = rename_only_document(review, corpus.documents)
    edits = [(answer.document, answer.edit) for answer in review.corrections]
    return edit_key(review.task, name, data, form, {}, edits).data


def write_record(name: str, before: bytes, after: bytes, review: Review, author: str, time: str) -> bytes:
    """The record of a new version as JSON: the digests of both versions, and every answer with author and reason."""
    record = {
        "aune": "corrections", "version": 1, "task": review.task, "key": name, "author": author, "time": time,
        "before": sha256(before).hexdigest(), "after": sha256(after).hexdigest(),
        "answers": [
            {**answer._asdict(), "correction": describe_edit(review.task, answer.edit)} for answer in review.answers
        ],
    }  # fmt: skip
    return f"{json.dumps(record, ensure_ascii=False, indent=1)}\n".encode()
