"""Edits in words: the wording for people, on pages and in letters, instead of JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aune.tasks.coref import model as coref
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging


def describe_edit(task: str, edit: Mapping[str, Any], document: Any = None) -> str:
    """An edit in words; if the current document is given, the words that the edit is about are quoted.

    >>> describe_edit("entities", {"remove": [3, 5, "LOC"], "add": [3, 6, "ORG"]})
    '3–5 LOC becomes 3–6 ORG'
    >>> describe_edit("coref", {"mention": [3, 5], "with": []})
    '3–5 begins a chain of its own'
    >>> describe_edit("tagging", {"run": "first", "tag": "NC", "to": ["Ncms", "Ncfs"]})
    'in the table of first, NC becomes Ncms, Ncfs'
    >>> describe_edit("tagging", {"tag": "NC", "to": "Ncms"})
    'in the table, NC becomes Ncms'
    """
    if "edits" in edit:
        return "; ".join(describe_edit(task, part, document) for part in edit["edits"])
    if "tag" in edit:
        to = [edit["to"]] if isinstance(edit["to"], str) else edit["to"]
        whose = f" of {edit['run']}" if "run" in edit else ""
        return f"in the table{whose}, {edit['tag']} becomes {', '.join(map(str, to))}"
    return DESCRIBERS[task](edit, document) if edit else ""


def _quote_words(words: str, place: str) -> str:
    return f"“{words}” ({place})" if words else place


def _describe_tags(edit: Mapping[str, Any], document: tagging.Document | None) -> str:
    if "compound" in edit:
        start, end = edit["compound"]
        words = " ".join(document.words.values()[start:end]) if document is not None else ""
        subject = _quote_words(words, f"words {start}–{end - 1}")
        return f"{subject} are no compound" if edit["tags"] is None else f"{subject} are a compound: {edit['tags']}"
    word = edit["word"]
    if document is None:
        return f"word {word} becomes {edit['tags']}"
    before = document.column(tagging.choose_column(document)).values()[word]
    return f"{_quote_words(document.words.values()[word], f'word {word}')}: {_change_text(before, str(edit['tags']))}"


def _change_text(before: str, after: str) -> str:
    return after if before == after else f"{before} becomes {after}"


def _describe_entity(edit: Mapping[str, Any], document: Any) -> str:
    def quote(span: Sequence[Any]) -> str:
        start, end, label = span[:3]
        words = document.excerpt(start, end) if document is not None else ""
        return f"{_quote_words(words, f'{start}–{end}')} {label}"

    removed, new = edit.get("remove"), edit.get("add")
    if removed and new and list(removed[:2]) == list(new[:2]):
        return f"{quote(removed)} becomes {new[2]}"
    if removed and new:
        return f"{quote(removed)} becomes {quote(new)}"
    return f"{quote(removed)} is no entity" if removed else f"{quote(new or ())} is an entity"


def _describe_mention(edit: Mapping[str, Any], document: coref.Document | None) -> str:
    def quote(span: Sequence[int]) -> str:
        return _quote_words(_words_at(document, span), f"{span[0]}–{span[1]}")

    subject = quote(edit["mention"])
    if edit["with"] is None:
        return f"{subject} is no mention"
    return f"{subject} belongs with {quote(edit['with'])}" if edit["with"] else f"{subject} begins a chain of its own"


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


def _describe_antecedents(edit: Mapping[str, Any], document: Any) -> str:
    def quote(mention: str) -> str:
        words = document.text(mention) if document is not None else mention
        return _quote_words(words if words != mention else "", mention)

    chosen = ", ".join(quote(str(mention)) for mention in edit["antecedents"])
    return f"{quote(str(edit['anaphor']))} refers to {chosen or 'nothing'}"


def _describe_transcript(edit: Mapping[str, Any], document: Any) -> str:
    where = f"in {edit['utterance']}, " if edit.get("utterance") else ""
    if "words" in edit:
        return f"{where}{_describe_words(edit, document)}"
    return f"{where}what was said is “{edit['text']}”"


def _describe_words(edit: Mapping[str, Any], document: Any) -> str:
    start, end = edit["words"]
    spoken = [part for part in speech.utterances([document] if document is not None else [])
              if part.id == edit.get("utterance", part.id)]  # fmt: skip
    before = _quote_words(" ".join(spoken[0].words[start:end]) if spoken else "", f"words {start}–{end}")
    if start == end:
        return f"“{edit['text']}” is missing before word {start}"
    return f"{before} becomes “{edit['text']}”" if edit["text"] else f"{before} was not said"


DESCRIBERS: Mapping[str, Callable[[Mapping[str, Any], Any], str]] = {
    "tagging": _describe_tags,
    "entities": _describe_entity,
    "coref": _describe_mention,
    "anaphora": _describe_antecedents,
    "speech": _describe_transcript,
}
