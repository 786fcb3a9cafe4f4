"""Key and response documents of the same name, and the warnings about documents without a counterpart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from aune.contract.options import check_known
from aune.contract.task import Pair, Task
from aune.errors import InputError, NothingToScoreError, Place, Problem, Remedy
from aune.reading.corpus import Corpus
from aune.reading.python_inputs import check_same_number
from aune.reading.system_names import path_stem

MOST_NAMES = 3  # documents without a counterpart that a warning names


MissingPolicy = Literal["empty", "skip", "error"]


ExtraPolicy = Literal["ignore", "error", "count"]


def pair(
    task: Task, key: Corpus, response: Corpus, *, missing: MissingPolicy = "empty", extra: ExtraPolicy = "ignore"
) -> tuple[list[Pair], list[str]]:
    """Pair key and response documents by name, in the key's order, and return the warnings about the others.

    A key document without a response gets an empty one (`empty`), is left out (`skip`) or refused (`error`). A response
    document without a key is left out (`ignore`), refused (`error`) or scored against an empty key (`count`).
    If each side has one document, they are a pair whatever their names. A single response document for a key of several
    is paired with its namesake; without one, it is cut like the key if it is as long as the key (`split_like_key`).
    """
    pairing = pair_corpora(task, key, response, missing=missing, extra=extra)
    where = str(response.path or "the response")
    warnings = [f"{where}: {task.comparing.split_message}"] if pairing.was_cut else []
    if pairing.renamed:
        warnings += [
            f"{where}: {task.reading.part} {pairing.renamed!r} is paired with {key.documents[0].id!r}, "
            "the only one of the key"
        ]
    total = len(key.documents)
    return pairing.pairs, warnings + unpaired_warnings(
        task.reading.part, where, total, pairing.missing, pairing.extra, missing, extra
    )


def pair_corpora(
    task: Task, key: Corpus, response: Corpus, *, missing: MissingPolicy = "empty", extra: ExtraPolicy = "ignore"
) -> PairedDocuments:
    """As `pair`, but documents without a counterpart are returned, and no warning is worded."""
    check_policies(missing, extra)
    if not key.documents:
        raise NothingToScoreError(f"{key.path or 'the key'} contains no document: nothing to score")
    if key.path is None and response.path is None:
        check_same_number(key.documents, response.documents, f"{task.reading.part}s")
    if len(key.documents) == len(response.documents) == 1:
        only_pair = key.documents[0], response.documents[0]
        differ = only_pair[0].id != only_pair[1].id and all(
            _has_name(*side) for side in zip(only_pair, (key, response), strict=True)
        )
        return PairedDocuments([only_pair], renamed=only_pair[1].id if differ else "")
    cut = task.comparing.split_like_key(key.documents, response.documents)
    if cut is not None and _has_namesake(response.documents[0], response, key):
        cut = None
    answers = {document.id: document for document in cut or response.documents}
    pairs = [(document, answers.pop(document.id, None)) for document in key.documents]
    lacking = [document.id for document, answer in pairs if answer is None]
    if lacking and len(lacking) == len(pairs) and answers:
        place = Place(str(response.path or "the response"))
        raise InputError([_unshared_names_problem(place, task.reading.part, lacking[0], next(iter(answers)))])
    if missing == "empty":
        pairs = [(doc, task.reading.empty(doc) if answer is None else answer) for doc, answer in pairs]
    pairs = [(document, answer) for document, answer in pairs if answer is not None]
    if extra == "count":
        pairs += [(task.reading.empty(answer), answer) for answer in answers.values()]
    extras = list(answers)
    return PairedDocuments(
        pairs, UnpairedDocuments(len(lacking), lacking), UnpairedDocuments(len(extras), extras), was_cut=cut is not None
    )


def _has_namesake(document: Any, response: Corpus, key: Corpus) -> bool:
    """Whether a document of the key has the same name, either given explicitly or taken from the name of its file."""
    files = Counter(_document_path(candidate, key) for candidate in key.documents)
    namesakes = [candidate for candidate in key.documents if candidate.id == document.id]
    return any(_has_name(document, response) or files[_document_path(candidate, key)] == 1 for candidate in namesakes)


def _has_name(document: Any, corpus: Corpus) -> bool:
    """Whether the name of a document was given explicitly, and not derived from its file or its place in a list."""
    return document.id not in {"document", "utterance", "1", path_stem(_document_path(document, corpus))}


def _document_path(document: Any, corpus: Corpus) -> str:
    return getattr(document, "path", None) or corpus.path or ""


def check_policies(missing: str, extra: str) -> None:
    check_known([missing], ("empty", "skip", "error"), "policy for missing documents")
    check_known([extra], ("ignore", "error", "count"), "policy for extra documents")


class UnpairedDocuments(NamedTuple):
    """Documents without a counterpart: their number, and the names of the first ones."""

    number: int = 0
    names: Sequence[str] = ()

    def plus(self, others: UnpairedDocuments) -> UnpairedDocuments:
        """These and others, with at most as many names as a warning lists."""
        return UnpairedDocuments(self.number + others.number, [*self.names, *others.names][:MOST_NAMES])


class PairedDocuments(NamedTuple):
    """Pairs of key and response documents, and the documents without a counterpart."""

    pairs: list[Pair]
    missing: UnpairedDocuments = UnpairedDocuments()
    extra: UnpairedDocuments = UnpairedDocuments()
    renamed: str = ""
    """The name of the only response document, if the only key document has another name."""
    was_cut: bool = False
    """Whether the response had no document boundaries, and was cut like the key."""


def unpaired_warnings(
    part: str, where: str, total: int, lacking: UnpairedDocuments, others: UnpairedDocuments, missing: str, extra: str
) -> list[str]:
    """The warnings about documents without a counterpart, with the share of the key that is missing; an `InputError`
    if they are refused. `part` is what the task calls a document, `total` the number of documents in the key.
    """
    place = Place(where)
    refusals = [_missing_problem(place, part, name) for name in lacking.names if missing == "error"]
    refusals += [_extra_problem(place, part, name) for name in others.names if extra == "error"]
    if refusals:
        raise InputError(refusals)
    warnings = []
    if lacking.number:
        treatment = "scored as empty" if missing == "empty" else "left out of the score"
        prefix = "the response is empty: " if lacking.number == total and not others.number else ""
        share = f"{_percentage(lacking.number, total)} of its {total:,} {part}s"
        warnings.append(f"{where}: {prefix}{_name_examples(part, lacking)} of the key missing ({share}), {treatment}")
    if others.number:
        treatment = "scored against an empty key" if extra == "count" else "ignored"
        warnings.append(f"{where}: {_name_examples(part, others)} not in the key, {treatment}")
    return warnings


def _percentage(number: int, total: int) -> str:
    """A share as a whole percentage; 0 and 100 are shown only if they are exact.

    >>> _percentage(2, 3), _percentage(1, 5000), _percentage(4999, 5000), _percentage(3, 3)
    ('67 %', 'under 1 %', 'over 99 %', '100 %')
    """
    percentage = 100 * number / total
    if 0 < percentage < 1:
        return "under 1 %"
    return "over 99 %" if 99 < percentage < 100 else f"{percentage:.0f} %"


def _missing_problem(place: Place, part: str, name: str) -> Problem:
    remedies = (Remedy("add it"), Remedy("score it as empty", (("missing", "empty"),)))
    return Problem("document.missing", place, f"no {part} {name!r}", "one as in the key", remedies)


def _extra_problem(place: Place, part: str, name: str) -> Problem:
    remedies = (Remedy("remove it"), Remedy("leave it out", (("extra", "ignore"),)))
    return Problem("document.unexpected", place, f"{part} {name!r}", f"only {part}s of the key", remedies)


def _unshared_names_problem(place: Place, part: str, expected: str, actual: str) -> Problem:
    return Problem(
        "document.unknown",
        place,
        f"{part}s named {actual!r}…",
        f"the key's names such as {expected!r}",
        (Remedy(f"give the {part}s of both sides the same names"),),
    )


def _name_examples(part: str, unpaired: UnpairedDocuments) -> str:
    listed = ", ".join(unpaired.names[:MOST_NAMES]) + (", …" if unpaired.number > MOST_NAMES else "")
    return f"{unpaired.number} {part}{'s' if unpaired.number > 1 else ''} ({listed})"
