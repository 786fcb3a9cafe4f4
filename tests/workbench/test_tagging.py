"""Tags as mentions of words: files are read, edited and written back, and nothing changes that nobody touched."""

from __future__ import annotations

import msgspec
import pytest

from aune.errors import UsageError
from aune.reading.source import Source
from aune.workbench.answers import compare_answers
from aune.workbench.events import event_problems
from aune.workbench.files import PLAIN, export_file, export_formats, response_states, texts
from aune.workbench.model import Event, Mention, State
from aune.workbench.schemas import violations_of

TSV = b"par\tSp\tB-Rgp\nexemple\tNcms\tI-Rgp\nla\tDa|Pp\t_\n\ndort\tVm\t_\n"
CONLLU = b"""# text = Au revoir.
1-2\tAu\t_\t_\t_\t_\t_\t_\t_\t_
1\t\xc3\xa0\t\xc3\xa0\tADP\t_\t_\t3\tcase\t_\t_
2\tle\tle\tDET\t_\t_\t3\tdet\t_\t_
3\trevoir\trevoir\tNOUN\t_\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""


def test_tags_compounds_and_ambiguity_are_mentions() -> None:
    [(text, state)] = texts(Source("a.tsv", TSV), "tagging", "tsv")
    answers = [(text.characters[mention.start : mention.end], mention.label) for mention in state.mentions.values()]
    assert answers == [
        ("par", "Sp"), ("exemple", "Ncms"), ("la", "Da"), ("la", "Pp"), ("dort", "Vm"), ("par exemple", "Rgp"),
    ]  # fmt: skip
    assert text.characters == "par exemple la\ndort" and text.task == "tagging"


@pytest.mark.parametrize(("name", "data"), [("tsv", TSV), ("conllu", CONLLU)])
def test_an_edit_changes_one_cell(name: str, data: bytes) -> None:
    source = Source(f"a.{name}", data)
    [(text, state)] = texts(source, "tagging", name)
    assert export_file(source, "tagging", name, {text.id: state}).data == data
    last = max(state.mentions, key=lambda id: (state.mentions[id].start, id))
    changed = State({**state.mentions, last: msgspec.structs.replace(state.mentions[last], label="ZZ")})
    written = export_file(source, "tagging", name, {text.id: changed})
    assert not written.lost
    different = [
        after for before, after in zip(data.split(b"\n"), written.data.split(b"\n"), strict=True) if before != after
    ]
    assert len(different) == 1 and b"\tZZ\t" in different[0] + b"\t"


def test_a_token_that_stands_for_several_words_has_their_tags() -> None:
    [(text, state)] = texts(Source("a.conllu", CONLLU), "tagging", "conllu")
    assert text.characters == "Au revoir." and text.typology == "upos"
    assert [mention.label for mention in state.mentions.values()] == ["ADP+DET", "NOUN", "PUNCT"]
    assert violations_of(text, state, None) == []
    source = Source("a.conllu", CONLLU)
    changed = State({**state.mentions, "m0": msgspec.structs.replace(state.mentions["m0"], label="ADP+PRON")})
    assert b"le\tle\tPRON" in export_file(source, "tagging", "conllu", {text.id: changed}).data
    odd = State({**state.mentions, "m0": msgspec.structs.replace(state.mentions["m0"], label="ADP")})
    written = export_file(source, "tagging", "conllu", {text.id: odd})
    assert written.lost == {"tags of tokens that stand for several words": 1}


def test_every_format_takes_tags_of_a_pasted_text_and_gives_them_back() -> None:
    source = Source("story.txt", b"Ann saw her by chance.\n")
    [(text, _)] = texts(source, "tagging", PLAIN, typology="upos")
    words = list(text.words())
    tags = {f"t{number}": Mention(parts=(word,), label="NOUN") for number, word in enumerate(words)}
    state = State({**tags, "c": Mention(parts=((words[3][0], words[4][1]),), label="ADV")})
    for form in export_formats("tagging", PLAIN):
        written = export_file(source, "tagging", PLAIN, {text.id: state}, to=form, typology="upos")
        again, _ = response_states(source, "tagging", PLAIN, Source(f"b.{form}", written.data), form, typology="upos")
        compared = compare_answers(text, state, again[text.id])
        assert len(compared.disagreements) == written.lost.get("compounds", 0), form
        assert compared.scores[0].values["accuracy"] == 1


def test_other_words_are_refused() -> None:
    source = Source("story.txt", b"Ann saw her.\n")
    with pytest.raises(UsageError, match="has other words"):
        response_states(source, "tagging", PLAIN, Source("b.tsv", b"Ann\tN\nsaw\tV\nhim\tP\n.\tX\n"), "tsv")


def test_a_word_needs_a_tag() -> None:
    [(text, state)] = texts(Source("a.tsv", TSV), "tagging", "tsv")
    event = Event(id="e", operation="mark", changes=(("mentions", "x", {"parts": [[0, 3]]}),))
    assert event_problems(text, state, event) == ["mentions x: found no label, expected a type or a tag"]


def test_answers_side_by_side() -> None:
    [(text, key)] = texts(Source("a.tsv", TSV), "tagging", "tsv")
    response = State(
        {
            **{name: mention for name, mention in key.mentions.items() if name != "m3"},  # one of two tags of a word
            "m4": msgspec.structs.replace(key.mentions["m4"], label="Nc"),
            "x": Mention(parts=((0, 14),), label="Cc"),
        }
    )
    result = compare_answers(text, key, response)
    assert [(disagreement.kind, disagreement.start) for disagreement in result.disagreements] == [
        ("insertion", 0),
        ("other tag", 12),
        ("other tag", 15),
    ]
    assert [twin.kind for twin in result.twins].count("correct") == 3
