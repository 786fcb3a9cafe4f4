"""Files as texts to annotate, and annotated texts as files.

A file is read by aune's own readers. Written back in its own format, an annotation that nobody changed is the same file
byte by byte, and an edit changes only its own markup (`Format.splice`); in another format it is a conversion that lists
what is lost.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aune.core import registry
from aune.core.conversion import Conversion, converted, spliced
from aune.core.corpus import Source, reader_options, repeated
from aune.core.errors import InputError, Problem, UsageError
from aune.core.recognition import chosen_format, plain_name
from aune.core.task import Format
from aune.workbench import coref, entities
from aune.workbench.layout import WORD, Layout, of_text
from aune.workbench.model import State, Text
from aune.workbench.spacing import Follower, bare_text

TASKS = ("coref", "entities")
PLAIN = "text"
"""What stands for the format of a file that is a text and nothing else."""
SENTENCE_END = re.compile(r"[.!?…؟۔।][\"'»”’)]*\s+|[。！？]+[」』”’）]*|\n+")


class Opened(NamedTuple):
    """A document of a file, its text and what it says."""

    document: Any
    layout: Layout
    text: Text
    state: State


def recognise(source: Source, task: str = "") -> tuple[str, str]:
    """The task and the format of a file, of the task that is named, if one is; `text` for a text without annotation.

    A file that formats of both tasks take (brat, say) is one with chains if it has a chain of several mentions. One
    with the ending of a format is in that format, so that its reader says what is wrong with it.
    """
    sure: list[tuple[str, str]] = []
    named: list[tuple[str, str]] = []
    for name in [task] if task else TASKS:
        form, _ = chosen_format(registry.formats(name), plain_name(source.name), source.head)
        if form is not None:
            (sure if form.sniff(source.head) else named).append((name, form.name))
    if len(sure) > 1 and not _has_chains(source, *sure[0]):
        return sure[1]
    return next(iter([*sure, *named, *_by_ending(source.name, task)]), (task or "coref", PLAIN))


def _by_ending(name: str, task: str) -> Iterator[tuple[str, str]]:
    """The formats whose ending a file has, with their tasks."""
    for one in [task] if task else TASKS:
        for form in registry.formats(one):
            if form.suffixes and plain_name(name).endswith(form.suffixes):
                yield one, form.name


def _has_chains(source: Source, task: str, format: str) -> bool:
    try:
        documents = list(registry.format(task, format).read(source))
    except InputError:
        return False
    finally:
        source.problems.clear()
    return any(document.chain_count < len(document) for document in documents)


def texts(source: Source, task: str, format: str, **options: Any) -> list[tuple[Text, State]]:
    """The texts of a file with their annotation."""
    return [(opened.text, opened.state) for opened in opened_documents(source, task, format, **options)]


def opened_documents(source: Source, task: str, format: str, **options: Any) -> list[Opened]:
    """The documents of a file; an `InputError` with all that is wrong with it."""
    if format == PLAIN:
        return [_bare(source, task, options.get("typology", ""))]
    form = registry.format(task, format)
    documents = list(form.read(source, **reader_options(form.read, options)))
    source.finish()
    if problems := repeated(documents, source.name):
        raise InputError(problems)
    follower = Follower(bare_text(source, format))
    return [_opened(task, document, follower) for document in documents]


def _bare(source: Source, task: str, typology: str) -> Opened:
    """A text without annotation; lines and full stops end its sentences."""
    if not source.text.strip():
        raise InputError([Problem(source.name, 1, 1, "found an empty file, expected a text: choose another")])
    words = list(WORD.finditer(source.text))
    starts = [word.start() for word in words]
    breaks = [0, *(end.end() for end in SENTENCE_END.finditer(source.text))]
    sentences = sorted({first for place in breaks if (first := bisect_left(starts, place)) < len(words)})
    laid = of_text(source.text, starts, [word.end() for word in words], sentences)
    document: Any = (
        coref.bare(source.stem, [word[0] for word in words], laid)
        if task == "coref"
        else entities.bare(source.stem, laid, typology)
    )
    room: Any = coref if task == "coref" else entities
    return Opened(document, laid, room.text(document, laid), State())


def _opened(task: str, document: Any, follower: Follower) -> Opened:
    room: Any = coref if task == "coref" else entities
    laid = room.layout(document, follower)
    return Opened(document, laid, room.text(document, laid), room.state(document, laid))


def exported(
    source: Source,
    task: str,
    format: str,
    states: Mapping[str, State],
    *,
    to: str = "",
    grouped: bool = True,
    name: str = "",
    characters: Mapping[str, str] | None = None,
    **options: Any,
) -> Conversion:
    """A file with the states of its texts, by their ids; a text without a state keeps what the file says.

    `to` is another format than the file's own; `grouped` is false for mentions without their chains. Companions that
    must stand beside the file are in `beside`, and what it does not hold in `lost`. `characters` are the texts that the
    states are about, to be sure that they are still what the file says.
    """
    opened = opened_documents(source, task, format, **options)
    if unknown := states.keys() - {one.text.id for one in opened}:
        raise UsageError(f"{source.name} holds no text {sorted(unknown)[0]!r}: name one of its own")
    lost: Counter[str] = Counter()
    documents = []
    for one in opened:
        if (characters or {}).get(one.text.id, one.text.characters) != one.text.characters:
            raise UsageError(f"the text of {one.text.id!r} is no longer that of {source.name}: open the file anew")
        if to and to != format and task == "coref" and "empty nodes" in registry.format(task, to).carries:
            one, dropped = _noded(one, states.get(one.text.id, one.state))
            lost += dropped
        made = _written(task, one, states.get(one.text.id, one.state), grouped)
        documents.append(made.document)
        lost += made.lost
    if format == PLAIN and not to:
        raise UsageError("a text without annotation holds none: choose a format")
    unchanged = grouped and all(states.get(one.text.id, one.state) == one.state for one in opened)
    form = registry.format(task, to or format)
    conversion = _conversion(source, task, form, documents, unchanged, form.name == format, name, options)
    return conversion._replace(lost=dict(sorted((Counter(conversion.lost) + lost).items())))


def exported_alone(
    source: Source, task: str, format: str, text: str, state: State, to: str, *, grouped: bool = True, **options: Any
) -> Conversion:
    """One text of a file, with a state of it, as a file of its own."""
    one = _opened_text(source, task, format, text, **options)
    dropped: Counter[str] = Counter()
    if task == "coref" and "empty nodes" in registry.format(task, to).carries:
        one, dropped = _noded(one, state)
    made = _written(task, one, state, grouped)
    conversion = converted(registry.task(task), registry.format(task, to), [made.document], f"{text}.{to}")
    return conversion._replace(lost=dict(sorted((Counter(conversion.lost) + made.lost + dropped).items())))


def edited(source: Source, task: str, format: str, text: str, state: State, **options: Any) -> tuple[Any, Any]:
    """One document of a file as it stands there, and with a state of its text."""
    one = _opened_text(source, task, format, text, **options)
    return one.document, _written(task, one, state, True).document


def _opened_text(source: Source, task: str, format: str, text: str, **options: Any) -> Opened:
    opened = {document.text.id: document for document in opened_documents(source, task, format, **options)}
    if text not in opened:
        raise UsageError(f"{source.name} holds no text {text!r}: name one of its own")
    return opened[text]


def _noded(opened: Opened, state: State) -> tuple[Opened, Counter[str]]:
    """A document with an empty node for every zero that has none, and what of it is lost with that.

    Mentions are then all new to it: what only the file said of them (heads, least extents) stays behind.
    """
    before = {(mention.start, mention.order) for mention in opened.state.mentions.values() if mention.is_zero}
    zeros = {(mention.start, mention.order) for mention in state.mentions.values() if mention.is_zero}
    if zeros <= before:
        return opened, Counter()
    document, layout = coref.with_nodes(opened.document, opened.layout, state)
    heads = 0 if opened.document.heads is None else int((opened.document.heads >= 0).sum())
    minima = (
        0
        if opened.document.minima is None
        else int((opened.document.minima != opened.document.spans).any(axis=1).sum())
    )
    return opened._replace(document=document, layout=layout), +Counter({"heads": heads, "minima": minima})


def _written(task: str, opened: Opened, state: State, grouped: bool) -> Any:
    if task == "coref":
        return coref.written(opened.document, opened.layout, state, grouped)
    return entities.written(opened.document, opened.layout, state)


def _conversion(
    source: Source,
    task: str,
    form: Format,
    documents: Sequence[Any],
    unchanged: bool,
    same_format: bool,
    name: str,
    options: Mapping[str, Any],
) -> Conversion:
    """The file itself while nothing changed, the file with new markup, or a new file."""
    if same_format and unchanged:
        beside = form.beside(documents) if form.beside else {}
        paths = {ending: source.path.with_suffix(ending) for ending in beside} if source.path else {}
        kept = {ending: path.read_bytes() for ending, path in paths.items() if path.is_file()}
        return Conversion(source.encoded(source.raw), kept, {})
    if same_format and form.splice is not None:
        return spliced(registry.task(task), form, source, documents, **reader_options(form.read, options))
    return converted(registry.task(task), form, documents, name or f"{source.stem}.{form.name}")


def writable(task: str, format: str) -> list[str]:
    """The formats that a text can be exported to, the file's own first."""
    own = None if format == PLAIN else registry.format(task, format)
    others = [form.name for form in registry.formats(task) if form.write is not None and form.name != format]
    return [format, *others] if own is not None and (own.splice is not None or own.write is not None) else others


class Response(NamedTuple):
    """What a system says of a text, and how many of its mentions have no place there."""

    state: State
    unplaced: int


def responses(source: Source, task: str, format: str, keys: Sequence[Opened], **options: Any) -> dict[str, Response]:
    """The output of a system in a file of its own, on the texts of another file, by their ids.

    Documents are paired by name, one with one whatever their names. Over another version of the text, or given as
    strings, mentions are laid on it by their words.
    """
    theirs = opened_documents(source, task, format, **options)
    named = {one.text.id: one for one in theirs}
    if len(keys) == len(theirs) == 1:
        named = {keys[0].text.id: theirs[0]}
    pairs = [(key, named[key.text.id]) for key in keys if key.text.id in named]
    if not pairs:
        what = f"found no document named as a text here, expected such as {keys[0].text.id!r}: rename one of them"
        raise InputError([Problem(source.name, 1, 1, what)])
    return {key.text.id: _response(task, key, one) for key, one in pairs}


def laid(
    source: Source, task: str, format: str, other: Source, other_format: str = "", **options: Any
) -> tuple[dict[str, State], list[str]]:
    """A system's file on the texts of a file that is here: the states by text, and what a user should know."""
    keys = opened_documents(source, task, format, **options)
    found = responses(other, task, other_format or recognise(other, task)[1], keys, **options)
    notes = [
        f"{name}: {one.unplaced} mention{'s' * (one.unplaced != 1)} without a place in the text, left out"
        for name, one in found.items()
        if one.unplaced
    ]
    if lacking := len(keys) - len(found):
        notes.append(f"{other.name}: {lacking} text{'s' * (lacking != 1)} without a counterpart there, left alone")
    return {name: one.state for name, one in found.items()}, notes + other.warnings


def _response(task: str, key: Opened, one: Opened) -> Response:
    if one.text.characters == key.text.characters and one.document.listed is None:
        return Response(one.state, 0)
    lay = registry.task(task).realigned
    assert lay is not None  # both tasks have it
    [(_, placed)], _ = lay([(key.document, one.document)], "words", "in-order", "ignore", "refuse")
    room: Any = coref if task == "coref" else entities
    state = room.state(placed, key.layout)
    return Response(state, len(one.state.mentions) - len(state.mentions))
