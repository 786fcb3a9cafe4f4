"""Edits in words: what people read on pages and in letters instead of JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aune.tasks.coref import model as coref
from aune.tasks.tagging import model as tagging


def described(task: str, edit: Mapping[str, Any], document: Any = None) -> str:
    """An edit in words; with the document as it is now, the words that it is about are quoted.

    >>> described("entities", {"remove": [3, 5, "LOC"], "add": [3, 6, "ORG"]})
    '3–5 LOC becomes 3–6 ORG'
    >>> described("coref", {"mention": [3, 5], "with": []})
    '3–5 begins a chain of its own'
    >>> described("tagging", {"run": "first", "tag": "NC", "to": ["Ncms", "Ncfs"]})
    'in the table of first, NC becomes Ncms, Ncfs'
    >>> described("tagging", {"tag": "NC", "to": "Ncms"})
    'in the table, NC becomes Ncms'
    """
    if "edits" in edit:
        return "; ".join(described(task, one, document) for one in edit["edits"])
    if "tag" in edit:
        to = [edit["to"]] if isinstance(edit["to"], str) else edit["to"]
        whose = f" of {edit['run']}" if "run" in edit else ""
        return f"in the table{whose}, {edit['tag']} becomes {', '.join(map(str, to))}"
    return SAID[task](edit, document) if edit else ""


def _of(words: str, place: str) -> str:
    return f"“{words}” ({place})" if words else place


def _tags(edit: Mapping[str, Any], document: tagging.Document | None) -> str:
    if "compound" in edit:
        start, end = edit["compound"]
        words = " ".join(document.words.values()[start:end]) if document is not None else ""
        what = _of(words, f"words {start}–{end - 1}")
        return f"{what} are no compound" if edit["tags"] is None else f"{what} are a compound: {edit['tags']}"
    word = edit["word"]
    if document is None:
        return f"word {word} becomes {edit['tags']}"
    before = document.column(tagging.chosen_column(document)).values()[word]
    return f"{_of(document.words.values()[word], f'word {word}')}: {_step(before, str(edit['tags']))}"


def _step(before: str, after: str) -> str:
    return after if before == after else f"{before} becomes {after}"


def _span(edit: Mapping[str, Any], document: Any) -> str:
    def one(span: Sequence[Any]) -> str:
        start, end, label = span[:3]
        words = document.quoted(start, end) if document is not None else ""
        return f"{_of(words, f'{start}–{end}')} {label}"

    gone, new = edit.get("remove"), edit.get("add")
    if gone and new and list(gone[:2]) == list(new[:2]):
        return f"{one(gone)} becomes {new[2]}"
    if gone and new:
        return f"{one(gone)} becomes {one(new)}"
    return f"{one(gone)} is no entity" if gone else f"{one(new or ())} is an entity"


def _mention(edit: Mapping[str, Any], document: coref.Document | None) -> str:
    def one(span: Sequence[int]) -> str:
        return _of(_words_at(document, span), f"{span[0]}–{span[1]}")

    what = one(edit["mention"])
    if edit["with"] is None:
        return f"{what} is no mention"
    return f"{what} belongs with {one(edit['with'])}" if edit["with"] else f"{what} begins a chain of its own"


def _words_at(document: coref.Document | None, span: Sequence[int]) -> str:
    if document is None:
        return ""
    places = [tuple(place) for place in document.spans.tolist()]
    if tuple(span[:2]) in places:
        number = places.index(tuple(span[:2]))
        return " ".join(coref.mention_words(document, number, coref.token_spans(document).tolist()[number]))
    if document.tokens is None or document.positions is not None:
        return ""
    return " ".join(document.tokens[span[0] : span[1]])


def _antecedents(edit: Mapping[str, Any], document: Any) -> str:
    def one(mention: str) -> str:
        words = document.text(mention) if document is not None else mention
        return _of(words if words != mention else "", mention)

    chosen = ", ".join(one(str(mention)) for mention in edit["antecedents"])
    return f"{one(str(edit['anaphor']))} refers to {chosen or 'nothing'}"


def _said(edit: Mapping[str, Any], document: Any) -> str:
    where = f"in {edit['utterance']}, " if "utterance" in edit else ""
    return f"{where}what was said is “{edit['text']}”"


SAID: Mapping[str, Callable[[Mapping[str, Any], Any], str]] = {
    "tagging": _tags,
    "entities": _span,
    "coref": _mention,
    "anaphora": _antecedents,
    "speech": _said,
}
