"""Table 4 for texts in columns, and passages of about so many mentions."""

from __future__ import annotations

from pathlib import Path

from aune.contract import registry
from aune.reading.source import file_source
from aune.workbench.files import texts
from aune.workbench.model import Chain, Mention, Relation, State, Text
from aune.workbench.statistics import cut_out, passages, pooled_profile, profile
from tests.workbench.texts import partition, text_of, text_of_mentions


def test_a_text_in_one_column() -> None:
    text = text_of("Ann saw her dog . It barked .")
    words = list(text.words())
    state = State(
        {
            "m1": Mention(parts=(words[0],), chain="c1", features={"kind": "name"}),
            "m2": Mention(parts=(words[2],), chain="c1", features={"kind": "pronoun"}),
            "m3": Mention(parts=((words[2][0], words[3][1]),), chain="c2"),
            "m4": Mention(parts=(words[5],)),
            "m5": Mention(parts=((0, 0),)),
            "m6": Mention(parts=(words[0], words[2])),
        },
        {"c1": Chain(), "c2": Chain()},
        {"r1": Relation(kind="part", source="c1", targets=("c2",))},
    )
    result = profile(text, state)
    assert (result.words, result.mentions, result.chains, result.rate) == (6, 6, 5, 1.2)
    assert (result.ungrouped, result.zeros, result.discontinuous) == (3, 1, 1)
    assert result.kinds == {"name": 1, "noun": 0, "pronoun": 1, "unanalysed": 4}
    assert result.sizes["1"] == 4
    assert result.relations == {"part": 1}
    guessed = profile(text, state, by_rule=True).kinds
    assert guessed["pronoun"] == 2
    assert guessed["unanalysed"] == 0


def test_the_same_numbers_as_describe(data: Path) -> None:
    path = data / "coref" / "litbank" / "key.conll.gz"
    opened = texts(file_source(path), "coref", "conll2012")
    whole = pooled_profile([profile(text, state) for text, state in opened])
    form = registry.format("coref", "conll2012")
    describe = registry.task("coref").reading.describe
    assert describe is not None
    expected = describe(list(form.read(file_source(path))))
    assert (whole.words, whole.mentions, whole.chains) == tuple(
        expected[name] for name in ("words", "mentions", "chains")
    )
    assert whole.rate == expected["mentions per chain"]
    assert whole.sizes["1"] == expected["singletons"]


def test_passages_end_with_sentences_near_the_number() -> None:
    text = text_of_mentions(12)
    cut = Text(id="t", characters=text.characters, tokens=text.tokens, sentences=[0, 2, 5, 9])
    state = partition(cut, [range(1, 13)])
    assert [passage.mentions for passage in passages(cut, state, 5)] == [5, 4, 3]
    assert [passage.mentions for passage in passages(cut, state, 3)] == [2, 3, 4, 3]
    assert [passage.mentions for passage in passages(cut, state, 100)] == [12]
    start, end, _ = passages(cut, state, 5)[1]
    piece, inside = cut_out(cut, state, start, end)
    assert [piece.characters[a:b] for a, b in piece.words()] == ["w6", "w7", "w8", "w9"]
    assert {mention.parts[0] for mention in inside.mentions.values()} == set(piece.words())
    assert piece.sentences == [0]
    assert passages(Text(id="e", characters=""), State(), 5) == [(0, 0, 0)]


def test_entities_have_labels_instead_of_chains() -> None:
    text = Text(id="t", characters="Ann saw Rome", tokens=[0, 3, 4, 7, 8, 12], task="entities")
    state = State({"m0": Mention(parts=((0, 3),), label="pers"), "m1": Mention(parts=((8, 12),), label="loc")})
    result = profile(text, state)
    assert result.labels == {"pers": 1, "loc": 1}
    assert result.chains == 0
    assert result.rate is None


def test_entities_beside_chains_do_not_change_their_rate() -> None:
    """A column of all texts divides the mentions that chains hold by the chains, whatever else is there."""
    text = text_of_mentions(5)
    chained = profile(text, partition(text, [{1, 2, 3}, {4, 5}]))
    named = Text(id="t", characters="Ann", tokens=[0, 3], task="entities")
    entities = profile(named, State({"m0": Mention(parts=((0, 3),), label="pers")}))
    assert pooled_profile([chained, entities]).rate == chained.rate == 2.5
