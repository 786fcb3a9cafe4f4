"""Open files as texts to annotate, and export annotated texts as files.

Files are read by aune's own readers. In the file's own format, an unchanged annotation is exported as the same file,
byte for byte, and an edit changes only its own markup (`Format.splice`). An export to another format is a conversion
that lists what is lost.

A file with the annotation of several people (doccano, Label Studio, Prodigy, GATE) gives one layer per annotator:
`annotated_texts` returns every text once, with a state for each annotator. The functions that export work on such a
file without further options: they write the states that they receive, and nothing of the file's annotators.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from aune.compression import uncompressed_name
from aune.contract import registry
from aune.contract.format import Format
from aune.errors import InputError, Problem, UsageError
from aune.reading.annotator_split import has_several_annotators
from aune.reading.conversion import Conversion, convert_documents, splice_documents
from aune.reading.corpus import reader_options, repeated_name_problems
from aune.reading.recognition import choose_format
from aune.reading.source import Source
from aune.syntax.annotators import NOT_ANNOTATED
from aune.workbench import anaphora, coref, entities, tagging
from aune.workbench.layout import Layout, layout_from_text
from aune.workbench.model import State, Text
from aune.workbench.segmentation import segment
from aune.workbench.spacing import Follower, bare_text

TASKS = ("coref", "entities", "tagging", "anaphora")
RECOGNISED_TASKS = ("coref", "entities")
"""The tasks whose files are recognised; for other tasks the user chooses, because their tables resemble any table."""
PLAIN = "text"
"""The name of the format of plain text files without annotation."""


class OpenedDocument(NamedTuple):
    """A document of a file, with its text and its annotation."""

    document: Any
    layout: Layout
    text: Text
    state: State


def recognise(source: Source, task: str = "") -> tuple[str, str]:
    """The task and the format of a file, restricted to `task` if it is given; `text` means a text without annotation.

    A file that formats of both tasks accept (brat, for example) is a coreference file if it has a chain of several
    mentions. A file with the suffix of a format is read in that format, so that its reader reports the problems.
    """
    sure: list[tuple[str, str]] = []
    named: list[tuple[str, str]] = []
    for name in [task] if task else RECOGNISED_TASKS:
        form, _ = choose_format(registry.formats(name), uncompressed_name(source.name), source.head)
        if form is not None:
            (sure if form.sniff(source.head) else named).append((name, form.name))
    if len(sure) > 1 and not _has_chains(source, *sure[0]):
        return sure[1]
    return next(iter([*sure, *named, *_formats_by_ending(source.name, task)]), (task or "coref", PLAIN))


def _formats_by_ending(name: str, task: str) -> Iterator[tuple[str, str]]:
    """The formats with the suffix of a file, and their tasks."""
    for task_name in [task] if task else RECOGNISED_TASKS:
        for form in registry.formats(task_name):
            if form.suffixes and uncompressed_name(name).lower().endswith(form.suffixes):
                yield task_name, form.name


def _has_chains(source: Source, task: str, format: str) -> bool:
    try:
        documents = list(registry.format(task, format).read(source))
    except InputError:
        return False
    finally:
        source.problems.clear()
    return any(document.chain_count < len(document) for document in documents)


def texts(source: Source, task: str, format: str, **options: Any) -> list[tuple[Text, State]]:
    """The texts of a file with their annotations."""
    return [(document.text, document.state) for document in open_documents(source, task, format, **options)]


def open_documents(source: Source, task: str, format: str, **options: Any) -> list[OpenedDocument]:
    """The documents of a file; raises `InputError` with all problems of the file."""
    if format == PLAIN:
        return [_bare_document(source, task, options)]
    documents = _read_documents(source, task, format, options)
    follower = Follower(bare_text(source, format))
    return [_open_document(task, document, follower, options.get("typology", "")) for document in documents]


class AnnotatedText(NamedTuple):
    """A text of a file with the annotation of everybody who annotated it."""

    text: Text
    states: Mapping[str, State]
    """By annotator, in the order of the file; the only name is '' where the file has one annotation of each text.
    An annotator who did not annotate the text is not in it."""


def annotated_texts(source: Source, task: str, format: str, **options: Any) -> list[AnnotatedText]:
    """The texts of a file, each once, with a state for each annotator: what an import makes layers of.

    Options that name an annotator restrict it to that one. Problems of the file are raised as by `open_documents`.
    """
    try:
        return [AnnotatedText(text, {"": state}) for text, state in texts(source, task, format, **options)]
    except InputError as error:
        if not has_several_annotators(error):
            raise
    return [annotated for _, annotated in _merge_annotators(source, task, format, options)]


def _open_texts(
    source: Source, task: str, format: str, options: Mapping[str, Any]
) -> tuple[list[OpenedDocument], bool]:
    """The documents of a file to write states to, and whether it has several annotators: then without annotation."""
    try:
        return open_documents(source, task, format, **options), False
    except InputError as error:
        if not has_several_annotators(error):
            raise
    return [document for document, _ in _merge_annotators(source, task, format, options)], True


def _merge_annotators(
    source: Source, task: str, format: str, options: Mapping[str, Any]
) -> list[tuple[OpenedDocument, AnnotatedText]]:
    """Every document of a file with several annotators, once and without annotation, with its states by annotator.

    The notes of the readings are added to the source. A text that one of them did not annotate is no loss.
    """
    bare: dict[str, OpenedDocument] = {}
    states: dict[str, dict[str, State]] = {}
    sizes = []
    source.problems.clear()
    for annotator in source.annotators:
        reading = _copy_of(source)
        opened = open_documents(reading, task, format, **{**options, "annotator": annotator})
        missed = [note for note in reading.notes if note.kind == NOT_ANNOTATED]
        source.notes += [note for note in reading.notes if note.kind != NOT_ANNOTATED]
        sizes.append(len(opened) + sum(note.counts["texts"] for note in missed))
        for document in opened:
            name = document.text.id
            if bare.setdefault(name, document).text.characters != document.text.characters:
                raise InputError(repeated_name_problems([bare[name].document, document.document], source.name))
            states.setdefault(name, {})[annotator] = document.state
    if unannotated := max(sizes) - len(bare):
        source.warn(f"{unannotated} text{'s' * (unannotated != 1)} left out, which nobody annotated")
    ordered = sorted(bare.items(), key=lambda item: getattr(item[1].document, "line", 0))
    return [(_without_annotation(task, document), AnnotatedText(document.text, states[name]))
            for name, document in ordered]  # fmt: skip


def _copy_of(source: Source) -> Source:
    """The same file without notes and problems, to read it again."""
    return Source(source.name, source.encode(source.raw), source.path)


def _without_annotation(task: str, opened: OpenedDocument) -> OpenedDocument:
    return opened._replace(document=_write_state(task, opened, State(), True).document, state=State())


def _read_documents(source: Source, task: str, format: str, options: Mapping[str, Any]) -> list[Any]:
    """The documents of a file as the reader returns them."""
    form = registry.format(task, format)
    documents = list(form.read(source, **reader_options(form.read, options)))
    source.raise_problems()
    if problems := repeated_name_problems(documents, source.name):
        raise InputError(problems)
    return documents


def _bare_document(source: Source, task: str, options: Mapping[str, Any]) -> OpenedDocument:
    """A text without annotation, divided into words and sentences by `segmentation` or by the rules of a language."""
    if not source.text.strip():
        empty = Problem.in_file(
            "file.empty", source.name, found="an empty file", expected="a text", remedies=["choose another"]
        )
        raise InputError([empty])
    words, sentences = options.get("segmentation") or segment(source.text, options.get("language", ""))
    layout = layout_from_text(source.text, [start for start, _ in words], [end for _, end in words], sentences)
    typology = options.get("typology", "")
    document = _bare(task, source.stem, [source.text[start:end] for start, end in words], layout, typology)
    return OpenedDocument(document, layout, _text_of(task, document, layout, typology), State())


MODULES: Mapping[str, Any] = {"coref": coref, "entities": entities, "tagging": tagging, "anaphora": anaphora}
"""By task, the module that converts documents to texts and states, and states to documents."""


def _bare(task: str, id: str, words: Sequence[str], layout: Layout, typology: str) -> Any:
    """A document of a task without annotation."""
    if task == "coref":
        return coref.bare(id, words, layout)
    if task == "tagging":
        return tagging.bare(id, words, layout, typology)
    return entities.bare(id, layout, typology) if task == "entities" else anaphora.bare(id, layout)


def _text_of(task: str, document: Any, layout: Layout, typology: str) -> Text:
    if task == "tagging":
        return tagging.text(document, layout, typology)
    text: Text = MODULES[task].text(document, layout)
    return text


def _open_document(task: str, document: Any, follower: Follower, typology: str = "") -> OpenedDocument:
    layout = MODULES[task].layout(document, follower)
    state = MODULES[task].state(document, layout)
    return OpenedDocument(document, layout, _text_of(task, document, layout, typology), state)


def export_file(
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
    """A file with new states of its texts, by text id; a text without a new state keeps the annotation of the file.

    `to` is a format other than the file's own. If `grouped` is false, mentions are exported without chains. `beside` in
    the result are the companion files, and `lost` counts what the format cannot express. `characters` are the texts
    that the states refer to: the export is refused if the file has another text. A file with several annotators is
    written anew, without the annotation of texts that have no state here.
    """
    opened, has_annotators = _open_texts(source, task, format, options)
    if unknown := states.keys() - {document.text.id for document in opened}:
        raise UsageError(f"{source.name} contains no text {sorted(unknown)[0]!r}: name one of its own")
    lost: Counter[str] = Counter()
    documents = []
    for document in opened:
        if (characters or {}).get(document.text.id, document.text.characters) != document.text.characters:
            raise UsageError(f"the text of {document.text.id!r} is no longer that of {source.name}: open the file anew")
        if to and to != format and task == "coref" and "empty nodes" in registry.format(task, to).carries:
            document, dropped = _with_empty_nodes(document, states.get(document.text.id, document.state))
            lost += dropped
        written = _write_state(task, document, states.get(document.text.id, document.state), grouped)
        documents.append(written.document)
        lost += written.lost
    if format == PLAIN and not to:
        raise UsageError("a text without annotation holds none: choose a format")
    unchanged = grouped and all(states.get(document.text.id, document.state) == document.state for document in opened)
    form = registry.format(task, to or format)
    same_format = form.name == format and not has_annotators
    conversion = _conversion(source, task, form, documents, unchanged, same_format, name, options)
    if form.name != format:
        lost += _text_losses(conversion, task, form, name or f"{source.stem}.{form.name}", opened)
    return conversion._replace(lost=dict(sorted((Counter(conversion.lost) + lost).items())))


def export_text(
    source: Source, task: str, format: str, text: str, state: State, to: str, *, grouped: bool = True, **options: Any
) -> Conversion:
    """One text of a file, with a new state, as a separate file."""
    document = _open_text(source, task, format, text, **options)
    dropped: Counter[str] = Counter()
    if task == "coref" and "empty nodes" in registry.format(task, to).carries:
        document, dropped = _with_empty_nodes(document, state)
    written = _write_state(task, document, state, grouped)
    form = registry.format(task, to)
    conversion = convert_documents(registry.task(task), form, [written.document], f"{text}.{to}")
    lost = written.lost + dropped + _text_losses(conversion, task, form, f"{text}.{to}", [document])
    return conversion._replace(lost=dict(sorted((Counter(conversion.lost) + lost).items())))


def _text_losses(
    conversion: Conversion, task: str, form: Format, name: str, opened: Sequence[OpenedDocument]
) -> Counter[str]:
    """Differences between the texts and the reopened conversion, where the characters of a text come from its file.

    `convert_documents` counts losses of annotation, but compares only tokens, not the characters between them.
    """
    lost: Counter[str] = Counter()
    if task == "anaphora":
        return Counter({"text": len(opened)})  # files of anaphors refer to tokens and do not contain the text
    if {"text", "tokens"} & conversion.lost.keys() or not any(document.layout.has_blanks for document in opened):
        return lost
    reread = _reopened_characters(conversion, task, form, name)
    for number, document in enumerate(opened):
        before, after = document.text.characters, reread[number] if number < len(reread) else ""
        if not document.layout.has_blanks or before == after:
            continue
        if before.split() == after.split() or "".join(before.split()) == "".join(after.split()):
            gaps = zip(re.split(r"\S", before), re.split(r"\S", after), strict=True)
            lost["blanks and line ends of the text"] += sum(gap != other for gap, other in gaps)
        else:
            lost["texts with other characters"] += 1
    return lost


def _reopened_characters(conversion: Conversion, task: str, form: Format, name: str) -> list[str]:
    """The texts of a converted file as they are displayed when it is opened."""
    with tempfile.TemporaryDirectory(prefix="aune-") as folder:
        path = Path(folder, "converted").with_suffix(Path(name).suffix)
        for ending, data in conversion.beside.items():
            path.with_suffix(ending).write_bytes(data)
        try:
            return [text.characters for text, _ in texts(Source(path.name, conversion.data, path), task, form.name)]
        except InputError:
            return []


def document_versions(
    source: Source, task: str, format: str, text: str, state: State, **options: Any
) -> tuple[Any, Any]:
    """One document of a file, unchanged and with a state of its text."""
    document = _open_text(source, task, format, text, **options)
    return document.document, _write_state(task, document, state, True).document


def _open_text(source: Source, task: str, format: str, text: str, **options: Any) -> OpenedDocument:
    opened = {document.text.id: document for document in _open_texts(source, task, format, options)[0]}
    if text not in opened:
        raise UsageError(f"{source.name} contains no text {text!r}: name one of its own")
    return opened[text]


def _with_empty_nodes(opened: OpenedDocument, state: State) -> tuple[OpenedDocument, Counter[str]]:
    """A document with an empty node for every zero that has none, and the losses that this causes.

    All mentions are then new to the document: details that only the file contained (heads, minimal extents) are lost.
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


def _write_state(task: str, opened: OpenedDocument, state: State, grouped: bool) -> Any:
    return MODULES[task].apply_state(opened.document, opened.layout, state, grouped)


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
    """The file itself if nothing changed, the file with new markup, or a new file."""
    if same_format and unchanged:
        beside = form.beside(documents) if form.beside else {}
        paths = {ending: source.path.with_suffix(ending) for ending in beside} if source.path else {}
        companions = {ending: path.read_bytes() for ending, path in paths.items() if path.is_file()}
        return Conversion(source.encode(source.raw), companions, {})
    if same_format and form.splice is not None:
        return splice_documents(registry.task(task), form, source, documents, **reader_options(form.read, options))
    return convert_documents(registry.task(task), form, documents, name or f"{source.stem}.{form.name}")


OWN_FILES_ONLY = {("anaphora", "gap")}
"""Formats that can only be exported from their own files: a line of GAP has one pronoun and two names."""


def export_formats(task: str, format: str) -> list[str]:
    """The formats that a text can be exported to, the file's own first."""
    names = [form.name for form in registry.formats(task) if form.write is not None and form.name != format]
    names = [name for name in names if (task, name) not in OWN_FILES_ONLY]
    if format != PLAIN and (form := registry.format(task, format)) and (form.splice or form.write) is not None:
        return [format, *names]
    return names


class Response(NamedTuple):
    """The answer of a system for one text, and the number of its mentions that could not be placed there."""

    state: State
    unplaced: int


def responses(
    source: Source, task: str, format: str, keys: Sequence[OpenedDocument], **options: Any
) -> dict[str, Response]:
    """The output of a system in a separate file, aligned with the texts of another file, by text id.

    Documents are paired by name; if each file has only one document, names are ignored. If the text differs, or if the
    mentions are given as strings, the mentions are realigned by their words.
    """
    response_documents = _open_responses(source, task, format, keys, options)
    named = {document.text.id: document for document in response_documents}
    if len(keys) == len(response_documents) == 1:
        named = {keys[0].text.id: response_documents[0]}
    pairs = [(key, named[key.text.id]) for key in keys if key.text.id in named]
    if not pairs:
        problem = Problem.in_file(
            "document.unpaired",
            source.name,
            found="no document named as a text here",
            expected=f"such as {keys[0].text.id!r}",
            remedies=["rename one of them"],
        )
        raise InputError([problem])
    return {key.text.id: _response(task, key, document) for key, document in pairs}


def response_states(
    source: Source, task: str, format: str, other: Source, other_format: str = "", **options: Any
) -> tuple[dict[str, State], list[str]]:
    """A system's file aligned with the texts of another file: the states by text, and notes for the user."""
    keys, _ = _open_texts(source, task, format, options)
    states_by_text = responses(other, task, other_format or recognise(other, task)[1], keys, **options)
    return _states_with_notes(other, len(keys), states_by_text)


def response_states_by_annotator(
    source: Source, task: str, format: str, other: Source, other_format: str = "", **options: Any
) -> tuple[dict[str, dict[str, State]], list[str]]:
    """As `response_states`, by annotator: a file with several annotators or models gives the states of each.

    The only name is '' where the file has one annotation of each text.
    """
    keys, _ = _open_texts(source, task, format, options)
    form = other_format or recognise(other, task)[1]
    try:
        by_annotator = {"": responses(other, task, form, keys, **options)}
    except InputError as error:
        if not has_several_annotators(error):
            raise
        by_annotator = {
            name: responses(_copy_of(other), task, form, keys, **{**options, "annotator": name})
            for name in other.annotators
        }
    states: dict[str, dict[str, State]] = {}
    notes: list[str] = []
    for name, states_by_text in by_annotator.items():
        states[name], own_notes = _states_with_notes(other, len(keys), states_by_text)
        notes += [f"{name}: {note}" if name else note for note in own_notes]
    return states, notes


def _states_with_notes(
    other: Source, key_count: int, states_by_text: Mapping[str, Response]
) -> tuple[dict[str, State], list[str]]:
    """The states by text, and notes on what has no place or no counterpart."""
    notes = [
        f"{name}: {response.unplaced} mention{'s' * (response.unplaced != 1)} without a place in the text, left out"
        for name, response in states_by_text.items()
        if response.unplaced
    ]
    if lacking := key_count - len(states_by_text):
        notes.append(f"{other.name}: {lacking} text{'s' * (lacking != 1)} without a counterpart there, left alone")
    return {name: response.state for name, response in states_by_text.items()}, notes + other.warnings


def _open_responses(
    source: Source, task: str, format: str, keys: Sequence[OpenedDocument], options: Mapping[str, Any]
) -> list[OpenedDocument]:
    """The output of a system; anaphors are read on the texts of the key, since their files contain no text."""
    if task != "anaphora":
        return open_documents(source, task, format, **options)
    documents = _read_documents(source, task, format, options)
    by_name = {key.text.id: key for key in keys}
    opened = []
    for document in documents:
        key = keys[0] if len(keys) == len(documents) == 1 else by_name.get(document.id)
        if key is not None:
            opened.append(key._replace(document=document, state=anaphora.state(document, key.layout)))
    return opened


def _response(task: str, key: OpenedDocument, response: OpenedDocument) -> Response:
    if task == "anaphora":
        placed_count = len(anaphora.resolutions(response.state))
        return Response(response.state, len(response.document.anaphors) - placed_count)
    if task == "tagging":
        return _tags_on(key, response)
    if response.text.characters == key.text.characters and response.document.listed is None:
        return Response(response.state, 0)
    realign = registry.task(task).reading.realign
    assert realign is not None  # both remaining tasks define it
    [(_, placed)], _ = realign([(key.document, response.document)], "words", "in-order", "ignore", "refuse")
    state = MODULES[task].state(placed, key.layout)
    return Response(state, len(response.state.mentions) - len(state.mentions))


def _tags_on(key: OpenedDocument, response: OpenedDocument) -> Response:
    """Tags on a text with other white space: positions are counted without white space."""
    key_places, response_places = (
        [place for place, character in enumerate(opened.text.characters) if not character.isspace()]
        for opened in (key, response)
    )
    key_letters, response_letters = ("".join(opened.text.characters.split()) for opened in (key, response))
    if key_letters != response_letters:
        raise UsageError(f"{response.text.id!r} has other words than {key.text.id!r}: tag the same text")
    numbers = {place: number for number, place in enumerate(response_places)}
    mentions = {
        name: msgspec.structs.replace(
            mention,
            parts=tuple((key_places[numbers[start]], key_places[numbers[end - 1]] + 1) for start, end in mention.parts),
        )
        for name, mention in response.state.mentions.items()
    }
    return Response(State(mentions), 0)
