"""Every sample of every format: imported and exported it is the same file, and an edit changes only its markup."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aune.contract import registry
from aune.errors import InputError, UsageError
from aune.reading.source import Source
from aune.workbench import coref, entities
from aune.workbench.events import event_problems
from aune.workbench.files import (
    PLAIN,
    annotated_texts,
    export_file,
    export_formats,
    export_text,
    open_documents,
    recognise,
    response_states,
    response_states_by_annotator,
    texts,
)
from aune.workbench.layer import Layer
from aune.workbench.model import (
    Chain,
    Event,
    Mention,
    Part,
    Relation,
    State,
    Text,
    members,
    mention_text,
    to_builtins,
)
from tests.fuzz.damage import SIGNS, mutate_data
from tests.fuzz.soundness import unsound
from tests.tasks.coref.formats.test_splicing import check_confined

TASKS = Path(__file__).parents[1] / "tasks"
SAMPLES = [
    (task, path)
    for task in ("coref", "entities")
    for path in sorted((TASKS / task / "formats" / "samples").iterdir())
    if path.suffix != ".txt" or not path.with_suffix(".ann").exists()
]
every_sample = pytest.mark.parametrize(("task", "path"), SAMPLES, ids=lambda value: getattr(value, "name", value))


def source_of(path: Path, data: bytes | None = None) -> Source:
    return Source(str(path), path.read_bytes() if data is None else data, path)


def format_of(path: Path) -> str:
    return path.name.partition("-")[0]


@every_sample
def test_an_unedited_file_is_given_back_byte_by_byte(task: str, path: Path) -> None:
    plain = path.read_bytes()
    for data in (plain, b"\xef\xbb\xbf" + plain, plain.replace(b"\n", b"\r\n")):
        if b"\r\r" in data:
            continue
        states = {text.id: state for text, state in texts(source_of(path, data), task, format_of(path))}
        conversion = export_file(source_of(path, data), task, format_of(path), states)
        assert conversion.data == data
        assert not conversion.lost


@every_sample
def test_the_splicer_gives_it_back_too(task: str, path: Path) -> None:
    """Not because the file is handed through: the state goes to documents, and these into the file."""
    form = registry.format(task, format_of(path))
    if form.splice is None:
        return
    opened = open_documents(source_of(path), task, form.name)
    documents = [make_sample(task, item).document for item in opened]
    assert form.splice(source_of(path), documents) == path.read_bytes()


def make_sample(task: str, item: Any) -> Any:
    """The document of a state that nobody changed."""
    room: Any = coref if task == "coref" else entities
    return room.apply_state(item.document, item.layout, item.state)


@every_sample
def test_import_edit_undo_all_export_is_the_same_file(task: str, path: Path) -> None:
    for text, state in texts(source_of(path), task, format_of(path)):
        layer = Layer(text, state)
        for name in list(state.mentions)[:5]:
            record = to_builtins(msgspec.structs.replace(state.mentions[name], features={"kind": "odd"}, label="odd"))
            layer.add(Event(id=name, operation="describe", changes=(("mentions", name, record),)))
        while (event := layer.undo()) is not None:
            layer.add(event)
        assert export_file(source_of(path), task, format_of(path), {text.id: layer.state}).data == path.read_bytes()


@every_sample
def test_its_task_and_format_are_recognised(task: str, path: Path) -> None:
    if format_of(path) not in ("inline_text", "mentions_json", "llm_json", "llm_lines"):  # answers of models are named
        assert recognise(source_of(path)) == (task, format_of(path))
    assert recognise(source_of(path), task)[0] == task


@every_sample
def test_a_damaged_file_with_the_ending_of_a_format_is_no_plain_text(task: str, path: Path) -> None:
    """What its name says is never forgotten in silence: its reader takes it, or says what is wrong and where."""
    generator, data = random.Random(path.name), path.read_bytes()
    for damaged in (mutate_data(generator, data, SIGNS) for _ in range(30 if path.suffix != ".txt" else 0)):
        with suppress(InputError):  # not UTF-8, say
            assert recognise(Source(path.name, damaged))[1] != PLAIN, damaged


def content(text: Text, state: State, worded: bool = True) -> Any:
    """What a state says, whatever things are called; of a text that is made of its mentions, their strings."""

    def place(mention: Mention) -> Any:
        return (mention.parts, mention.order) if worded else mention_text(text, mention)

    chains = [sorted(place(state.mentions[name]) for name in names) for names in members(state).values() if names]
    labels = [(place(entity), entity.label) for entity in state.mentions.values() if entity.label]
    return text.characters if worded else "", sorted(chains), sorted(labels)


@st.composite
def edits(draw: st.DrawFn, text: Text, state: State) -> State:
    """A state after one edit that its page allows: a mention marked, unmarked, moved, or with another extent."""
    words = list(text.words())
    kinds = (["mark"] if words else []) + (["unmark", "move", "extent"] if state.mentions else [])
    kind = draw(st.sampled_from(kinds))
    mentions, chains = dict(state.mentions), dict(state.chains)
    name = draw(st.sampled_from(sorted(mentions))) if mentions else ""
    label = sorted({mention.label for mention in mentions.values()} | ({"pers"} if text.task == "entities" else set()))
    if kind in ("mark", "extent"):
        first = draw(st.integers(0, len(words) - 1))
        last = draw(st.integers(first, min(first + 3, len(words) - 1)))
        parts: tuple[Part, ...] = ((words[first][0], words[last][1]),)
        if last - first > 1 and draw(st.booleans()):
            parts = (words[first], words[last])
        if kind == "extent":
            mentions[name] = msgspec.structs.replace(mentions[name], parts=parts, order=0)
        else:
            chain = draw(st.sampled_from([*sorted(chains), "cnew"])) if text.task == "coref" else None
            mentions["mnew"] = Mention(parts=parts, chain=chain, label=draw(st.sampled_from(label or [""])))
            chains |= {chain: chains.get(chain, Chain())} if chain else {}
    elif kind == "move" and text.task == "coref":
        chains["cnew"] = Chain()
        chain = draw(st.sampled_from(sorted(chains)))
        mentions[name] = msgspec.structs.replace(mentions[name], chain=chain)
    else:
        del mentions[name]
    left = {mention.chain for mention in mentions.values()}
    remaining = {chain: record for chain, record in chains.items() if chain in left}
    relations = {
        item: record for item, record in state.relations.items() if {record.source, *record.targets} <= remaining.keys()
    }
    return State(mentions, remaining, relations)


@every_sample
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_an_edit_changes_only_its_own_markup(task: str, path: Path, data: Any) -> None:
    form = registry.format(task, format_of(path))
    if form.splice is None:
        return
    opened = texts(source_of(path), task, form.name)
    text, state = opened[data.draw(st.integers(0, len(opened) - 1))]
    if not text.tokens and not state.mentions:
        return
    edited = data.draw(edits(text, state))
    try:
        conversion = export_file(source_of(path), task, form.name, {text.id: edited})
    except UsageError as error:
        assert re.search("cross|cannot|hold", str(error))
        return
    if task == "coref":
        check_confined(form, path.read_bytes(), conversion.data)
        assert not any(map(unsound, form.read(source_of(path, conversion.data))))
    again = {item.id: (item, result) for item, result in texts(source_of(path, conversion.data), task, form.name)}
    worded = not path.name.startswith(("partition", "jsonlines-one", "jsonl-nervaluate"))
    if not conversion.lost:
        assert content(*again[text.id], worded) == content(text, edited, worded)
    for document, untouched in opened:
        if document.id != text.id:
            assert content(*again[document.id]) == content(document, untouched)


@every_sample
def test_every_imported_record_would_pass_as_an_event(task: str, path: Path) -> None:
    for text, state in texts(source_of(path), task, format_of(path)):
        changes: list[Any] = [
            (table, name, to_builtins(record))
            for table in ("chains", "mentions", "relations")
            for name, record in getattr(state, table).items()
        ]
        assert event_problems(text, State(), Event(id="e", operation="import", changes=tuple(changes))) == []


ASTRAL = "Zoé 😀 vit la 𝒢rande maison, cafe\u0301 noir. Elle l’aima."


def test_offsets_are_right_with_astral_and_combining_characters(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(ASTRAL, "utf-8")
    [(text, state)] = texts(source_of(path), "coref", "text")
    assert text.characters == ASTRAL
    assert len(text.characters) != len(text.characters.encode("utf-16-le")) // 2
    words = [text.characters[start:end] for start, end in text.words()]
    assert {"😀", "𝒢rande", "cafe\u0301"} <= set(words)
    wanted = ["Zoé", "😀", "𝒢rande maison", "cafe\u0301", "Elle"]
    starts = [ASTRAL.index(string) for string in wanted]
    mentions = {
        f"m-{number}": Mention(parts=((start, start + len(string)),), chain="c1")
        for number, (start, string) in enumerate(zip(starts, wanted, strict=True))
    }
    state = State(mentions, {"c1": Chain()})
    for name in export_formats("coref", "text"):
        conversion = export_file(source_of(path), "coref", "text", {text.id: state}, to=name)
        home = tmp_path / f"{name}.ann"
        for ending, data in conversion.beside.items():
            home.with_suffix(ending).write_bytes(data)
        if name == "partition":  # names alone
            continue
        [(again, result)] = texts(Source(str(home), conversion.data, home), "coref", name)
        strings = [mention_text(again, result.mentions[item]) for item in members(result)["c0"]]
        assert [unicodedata.normalize("NFC", item).replace(" ", "") for item in strings] == [
            unicodedata.normalize("NFC", item).replace(" ", "") for item in wanted
        ], name


def test_what_the_format_cannot_hold_is_listed_before() -> None:
    path = TASKS / "coref" / "formats" / "samples" / "conll2012-tabs.conll"
    (text, state), *_ = texts(source_of(path), "coref", "conll2012")
    words = list(text.words())
    changed = State(
        {
            **state.mentions,
            "m-1": Mention(parts=((words[1][0], words[1][1] - 1),), chain="c0", features={"kind": "name"}),
            "m-2": Mention(parts=((words[2][0], words[2][0]),), chain="c0"),
            "m-3": Mention(parts=(words[0], words[3]), chain="c9"),
            "m-4": Mention(parts=(words[4],)),
        },
        {**state.chains, "c9": Chain(name="Ann", notes="who is she?")},
    )
    lost = export_file(source_of(path), "coref", "conll2012", {text.id: changed}).lost
    assert lost["extents inside words"] == lost["zeros"] == lost["notes"] == lost["mentions not grouped yet"] == 1
    assert lost["discontinuous"] == 1
    assert lost["kinds"] == 1
    converted = export_file(source_of(path), "coref", "conll2012", {text.id: changed}, to="jsonlines").lost
    assert "discontinuous" not in converted


def test_discontinuous_nested_and_crossing_mentions_and_zeros_come_back() -> None:
    """CorefUD holds them all: a zero at the place of an empty node, as long as the node is there."""
    path = TASKS / "coref" / "formats" / "samples" / "corefud-empty-nodes.conllu"
    (text, state), *_ = texts(source_of(path), "coref", "corefud")
    zeros = [name for name, mention in state.mentions.items() if mention.is_zero]
    assert zeros
    words = list(text.words())
    changed = State(
        {
            **state.mentions,
            zeros[0]: msgspec.structs.replace(state.mentions[zeros[0]], chain="c-new"),
            "m-1": Mention(parts=(words[0], words[3]), chain="c-new"),
            "m-2": Mention(parts=((words[1][0], words[4][1]),), chain="c-new"),
            "m-3": Mention(parts=((words[3][0], words[5][1]),), chain="c-other"),
        },
        {**state.chains, "c-new": Chain(), "c-other": Chain()},
    )
    conversion = export_file(source_of(path), "coref", "corefud", {text.id: changed})
    (again, result), *_ = texts(source_of(path, conversion.data), "coref", "corefud")
    assert content(again, result) == content(text, changed)


def test_mentions_without_their_chains() -> None:
    path = TASKS / "coref" / "formats" / "samples" / "muc-two.sgm"
    opened = texts(source_of(path), "coref", "muc")
    conversion = export_file(source_of(path), "coref", "muc", {}, to="jsonlines", grouped=False)
    again = texts(Source("a.jsonl", conversion.data), "coref", "jsonlines")
    for (_, before), (_, after) in zip(opened, again, strict=True):
        assert len(after.mentions) == len(before.mentions) == len(after.chains)


def test_formats_that_are_only_read_are_converted() -> None:
    path = TASKS / "coref" / "formats" / "samples" / "litbank-brat.ann"
    assert "litbank" not in export_formats("coref", "litbank")
    [(text, state)] = texts(source_of(path), "coref", "litbank")
    fewer = State({name: mention for name, mention in state.mentions.items() if name != "m4"}, state.chains)
    with pytest.raises(UsageError, match="only read"):
        export_file(source_of(path), "coref", "litbank", {text.id: fewer})
    assert export_file(source_of(path), "coref", "litbank", {text.id: fewer}, to="brat").data
    with pytest.raises(UsageError, match="contains no text"):
        export_file(source_of(path), "coref", "litbank", {"other": fewer})


def test_a_plain_text_is_a_text_without_annotation() -> None:
    source = Source("story.txt", b'Ann saw her dog.\n\nIt barked! "Why?" she said.\n')
    assert recognise(source) == ("coref", "text")
    [(text, state)] = texts(source, "coref", "text")
    assert state == State()
    assert [text.characters[text.tokens[2 * first]] for first in text.sentences] == ["A", "I", '"', "s"]
    with pytest.raises(UsageError, match="choose a format"):
        export_file(source, "coref", "text", {text.id: state})
    with pytest.raises(InputError, match="empty file"):
        texts(Source("e.txt", b"  \n"), "coref", "text")
    [(bare, _)] = texts(source, "entities", "text")
    named = State({"m-1": Mention(parts=((0, 3),), label="pers")})
    assert b"pers" in export_file(source, "entities", "text", {bare.id: named}, to="jsonl").data


def test_a_systems_file_becomes_a_layer_of_the_text() -> None:
    """With the same words, with others, and with strings alone."""
    key = Source("key.txt", b"Ann Lee saw her dog. It barked.")
    same = b'{"doc_key": "key", "tokens": ["Ann", "Lee", "saw", "her", "dog", ".", "It", "barked", "."], "clusters": '
    same += b"[[[0, 1], [3, 3]]]}\n"
    states, notes = response_states(key, "coref", "text", Source("s.jsonl", same))
    [(text, _)] = texts(key, "coref", "text")
    assert [mention_text(text, mention) for mention in states["key"].mentions.values()] == ["Ann Lee", "her"]
    assert not notes
    other = same.replace(b'"her", "dog", "."', b'"her", "dog."').replace(b"barked", b"barks")
    states, _ = response_states(key, "coref", "text", Source("s.jsonl", other))
    assert [mention_text(text, mention) for mention in states["key"].mentions.values()] == ["Ann Lee", "her"]
    answer = [{"text": "Ann Lee", "chain": 1}, {"text": "her", "chain": 1}]
    strings = json.dumps({"id": "key", "answer": json.dumps(answer)}).encode()
    states, _ = response_states(key, "coref", "text", Source("s.jsonl", strings), "mentions_json")
    assert [mention_text(text, mention) for mention in states["key"].mentions.values()] == ["Ann Lee", "her"]
    two = Source("two.jsonl", same + same.replace(b'"key"', b'"b"'))
    with pytest.raises(InputError, match="found no document named"):
        response_states(
            Source("a.jsonl", (same + same).replace(b'"key"', b'"x"', 1).replace(b'"key"', b'"y"')),
            "coref",
            "jsonlines",
            two,
        )


def test_names_of_chains_are_kept_apart() -> None:
    path = TASKS / "coref" / "formats" / "samples" / "sacr-aesop.sacr"
    [(text, state)] = texts(source_of(path), "coref", "sacr")
    twice = State(state.mentions, {name: Chain(name="X") for name in state.chains})
    again = export_file(source_of(path), "coref", "sacr", {text.id: twice}, to="jsonlines")
    [(_, result)] = texts(Source("a.jsonl", again.data), "coref", "jsonlines")
    assert len(result.chains) == len(state.chains)


@pytest.mark.parametrize("form", ["corefud", "conllua"])
def test_new_zeros_become_empty_nodes_where_a_format_has_them(form: str) -> None:
    source = Source("story.txt", "Ana llegó. Vio a Eva. 😀 Rió.".encode())
    [(text, _)] = texts(source, "coref", "text")
    place = text.characters.index("Vio")
    state = State(
        {
            "m-1": Mention(parts=((0, 3),), chain="c1"),
            "m-2": Mention(parts=((place, place),), chain="c1"),
            "m-3": Mention(parts=((place, place),), order=1, chain="c2"),
            "m-4": Mention(parts=((text.characters.index("Eva"), text.characters.index("Eva") + 3),), chain="c2"),
            "m-5": Mention(parts=((text.characters.index("Rió"),) * 2,), chain="c2"),
        },
        {"c1": Chain(), "c2": Chain()},
    )
    conversion = export_file(source, "coref", "text", {text.id: state}, to=form)
    assert "zeros" not in conversion.lost
    [(again, result)] = texts(Source(f"a.{form}", conversion.data), "coref", form)
    assert [[mention_text(again, result.mentions[name]) for name in names] for names in members(result).values()] == [
        ["Ana", "∅"], ["∅", "Eva", "∅"],
    ]  # fmt: skip
    assert export_file(source, "coref", "text", {text.id: state}, to="conll2012").lost["zeros"] == 3


@every_sample
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_damaged_file_is_refused_or_opened_whole(task: str, path: Path, data: Any) -> None:
    """Whatever the bytes: a refusal with places, or records that would pass as events and the same bytes back."""
    plain_bytes = path.read_bytes()
    start = data.draw(st.integers(0, len(plain_bytes)))
    end = min(len(plain_bytes), start + data.draw(st.integers(0, 12)))
    inside = data.draw(
        st.sampled_from(
            [b"", b"(", b")", b"{", b"}", b"<", b"9", b"-1", b"\t", b"\n", b" ", b'"', b"0", "é😀".encode()]
        )
    )
    damaged = plain_bytes[:start] + inside + plain_bytes[end:]
    try:
        opened = texts(source_of(path, damaged), task, format_of(path))
    except InputError as error:
        assert error.problems
        return
    for text, state in opened:
        changes: list[Any] = [
            (table, name, to_builtins(record))
            for table in ("chains", "mentions", "relations")
            for name, record in getattr(state, table).items()
        ]
        assert event_problems(text, State(), Event(id="e", operation="import", changes=tuple(changes))) == []
    if len({text.id for text, _ in opened}) == len(opened):
        states = {text.id: state for text, state in opened}
        assert export_file(source_of(path, damaged), task, format_of(path), states).data == damaged


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("我们在北京。他说：「好！」他走了。\n", ["我们在北京。", "他说：「好！」", "他走了。"]),
        ("वह आया। वह गया।\n", ["वह आया। ", "वह गया।"]),
        ("Ann left. “Why?” he said.\n", ["Ann left. ", "“Why?” ", "he said."]),
    ],
)
def test_sentences_of_a_plain_text_in_any_script(text: str, sentences: list[str]) -> None:
    ((opened, _),) = texts(Source("plain.txt", text.encode()), "coref", "text")
    starts = [opened.tokens[2 * first] for first in opened.sentences]
    assert [text[a:b].rstrip("\n") for a, b in zip(starts, [*starts[1:], len(text)], strict=True)] == sentences


TWO_USERS = (
    '{"id": 1, "text": "Ann ran", "annotations": [{"label": "PER", "start_offset": 0, "end_offset": 3, "user": 2}]}\n'
    '{"id": 2, "text": "Ben 😀 sat", "annotations": [{"label": "PER", "start_offset": 0, "end_offset": 3, "user": 1},'
    ' {"label": "FUN", "start_offset": 4, "end_offset": 5, "user": 2}]}\n'
)
THREE_TASKS = json.dumps([
    {"id": name, "data": {"text": text}, "annotations": [
        {"completed_by": person, "result": [
            {"type": "labels", "value": {"start": 0, "end": 3, "text": text[:3], "labels": ["PER"]}}]}
        for person in people
    ]}
    for name, text, people in ((1, "Ann ran", [4]), (2, "Ben sat", [3]), (3, "Eva ate", []), (4, "Ida hid", [3, 4]))
], indent=1)  # fmt: skip


def make_annotation(name: str, text: str, form: str) -> tuple[Source, dict[str, dict[str, list[str]]]]:
    """A file, and the labels of every annotator of each of its texts."""
    source = Source(name, text.encode())
    labels = {
        item.text.id: {
            annotator: [mention.label for mention in state.mentions.values()]
            for annotator, state in item.states.items()
        }
        for item in annotated_texts(source, "entities", form)
    }
    return source, labels


def test_a_file_with_several_annotators_has_a_state_for_each() -> None:
    _, labels = make_annotation("a.jsonl", TWO_USERS, "doccano")
    assert labels == {"1": {"2": ["PER"], "1": []}, "2": {"2": ["FUN"], "1": ["PER"]}}


def test_texts_keep_the_order_of_the_file_and_those_that_nobody_annotated_are_counted() -> None:
    source, labels = make_annotation("a.json", THREE_TASKS, "label_studio")
    assert list(labels.items()) == [
        ("1", {"4": ["PER"]}), ("2", {"3": ["PER"]}), ("4", {"4": ["PER"], "3": ["PER"]})
    ]  # fmt: skip
    assert source.warnings == ["a.json: 1 text left out, which nobody annotated"]


def test_sets_of_gate_are_annotators_and_none_is_lost() -> None:
    text = (TASKS / "entities" / "formats" / "samples" / "gate-one.xml").read_text("utf-8")
    spans = '<Annotation Id="90" Type="Place" StartNode="0" EndNode="7"></Annotation>'
    pair = text.replace("</GateDocument>", f'<AnnotationSet Name="ben">{spans}</AnnotationSet></GateDocument>')
    source, labels = make_annotation("a.xml", pair, "gate")
    assert [len(states) for states in labels.values()] == [2]
    assert not any("Place" in warning or "Person" in warning for warning in source.warnings)


def test_a_file_with_one_annotation_has_one_state() -> None:
    path = TASKS / "entities" / "formats" / "samples" / "doccano-styles.jsonl"
    [*items] = annotated_texts(source_of(path), "entities", "doccano")
    assert [(item.text, item.states[""]) for item in items] == texts(source_of(path), "entities", "doccano")


def test_a_layer_of_a_file_with_several_annotators_is_exported_alone() -> None:
    """In the file's own format and in another one; a text without a state there has no annotation of the file."""
    source = Source("a.jsonl", TWO_USERS.encode())
    second = annotated_texts(source, "entities", "doccano")[1]
    own_part = export_file(source, "entities", "doccano", {"2": second.states["2"]})
    assert [json.loads(line)["label"] for line in own_part.data.decode().splitlines()] == [[], [[4, 5, "FUN"]]]
    other = export_text(source, "entities", "doccano", "2", second.states["1"], "jsonl")
    assert json.loads(other.data)["spans"] == [{"start": 0, "end": 3, "label": "PER"}]


def test_suggestions_of_several_annotators_are_told_apart() -> None:
    key = Source("key.jsonl", b'{"id": "1", "text": "Ann ran", "spans": []}\n{"id": "2", "text": "Ben", "spans": []}\n')
    other = Source("a.jsonl", TWO_USERS.splitlines()[0].replace("]", ', {"label": "X", "start_offset": 4,'
                   ' "end_offset": 7, "user": 5}]').encode())  # fmt: skip
    states, notes = response_states_by_annotator(key, "entities", "jsonl", other, "doccano")
    labels = {name: [mention.label for mention in state["1"].mentions.values()] for name, state in states.items()}
    assert labels == {"2": ["PER"], "5": ["X"]}
    assert notes == [f"{name}: a.jsonl: 1 text without a counterpart there, left alone" for name in "25"]


def test_a_file_with_several_annotators_reports_its_other_problems() -> None:
    source = Source("a.jsonl", TWO_USERS.replace('"end_offset": 5', '"end_offset": 50').encode())
    with pytest.raises(InputError, match="expected one inside 0 to 9"):
        annotated_texts(source, "entities", "doccano")


LINKED = (
    '{"id": "d", "text": "Ann founded Acme", "spans": [{"start": 0, "end": 3, "label": "PER", "features": '
    '{"case": "nom"}}, {"start": 12, "end": 16, "label": "ORG"}], '
    '"relations": [{"from": 0, "to": 1, "label": "made"}]}\n'
)


def test_features_and_relations_of_entities_are_shown_and_exported() -> None:
    """Changed ones too, in the file's own format and in others; a format that has none lists how many are lost."""
    source = Source("a.jsonl", LINKED.encode())
    [(_, state)] = texts(source, "entities", "jsonl")
    assert state.mentions["m0"].features == {"case": "nom"}
    assert [(link.kind, link.source, link.targets) for link in state.relations.values()] == [("made", "m0", ("m1",))]
    changed = State(
        {**state.mentions, "m1": msgspec.structs.replace(state.mentions["m1"], features={"sure": "yes"})},
        relations={"r9": Relation(kind="owned by", source="m1", targets=("m0",))},
    )
    rewritten = json.loads(export_file(source, "entities", "jsonl", {"d": changed}).data)
    assert rewritten["spans"][1]["features"] == {"sure": "yes"}
    assert rewritten["relations"] == [{"from": 1, "to": 0, "label": "owned by"}]
    for form in ("doccano", "label_studio", "uima", "webanno"):
        conversion = export_file(source, "entities", "jsonl", {"d": changed}, to=form)
        again = Source(f"d{registry.format('entities', form).suffixes[0]}", conversion.data)
        [(_, reopened)] = texts(again, "entities", form)
        assert [link.kind for link in reopened.relations.values()] == ["owned by"]
        assert conversion.lost.get("features", 0) == (2 if form == "doccano" else 0)
    conll = export_file(source, "entities", "jsonl", {"d": changed}, to="conll")
    assert (conll.lost["features"], conll.lost["relations"]) == (2, 1)
