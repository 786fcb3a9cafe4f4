"""Bridging: anaphors, antecedent mentions and antecedent entities, against the definition pair by pair."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.tasks.coref.model import Document, Mention, Relation, make_document

Pairs = dict[int, int]
CHAIN = [0, 0, 1, 1, 2, 3]
"""Six mentions of both sides, in four chains."""


def text(pairs: Pairs, chains: list[int] = CHAIN, extra: tuple[Relation, ...] = ()) -> list[Document]:
    mentions = [Mention(place, place + 1, chain) for place, chain in enumerate(chains)]
    links = [Relation("bridge", anaphor, antecedent) for anaphor, antecedent in pairs.items()]
    return [make_document("d", mentions, relations=[*links, *extra])]


def counts(key: list[Document], response: list[Document]) -> tuple[int, ...]:
    [result] = aune.score("coref", key, response, measures=["bridging"])
    return tuple(int(number) for number in result.counts.values())


def test_by_hand() -> None:
    # 4 bridges to 0; the response says 1, another mention of that entity, and makes 5 an anaphor
    assert counts(text({4: 0}), text({4: 1, 5: 2})) == (1, 0, 1, 1, 2)
    [result] = aune.score("coref", text({4: 0}), text({4: 1, 5: 2}), measures=["bridging"])
    assert (result.recall, result.precision, result.anaphor_precision, result.mention_f1) == (1, 1 / 2, 1 / 2, 0)


def test_the_entity_is_the_key_s() -> None:
    """What the response thinks of chains does not matter."""
    assert counts(text({4: 0}), text({4: 1}, chains=[0, 1, 2, 3, 4, 5])) == (1, 0, 1, 1, 1)
    assert counts(text({4: 0}), text({4: 2}, chains=[0, 1, 0, 3, 4, 5])) == (1, 0, 0, 1, 1)


def test_split_antecedents_are_no_bridges() -> None:
    assert counts(text({}, extra=(Relation("split", 4, 0),)), text({})) == (0, 0, 0, 0, 0)


def test_one_antecedent_of_several_is_enough() -> None:
    assert counts(text({4: 0}, extra=(Relation("part", 4, 5),)), text({4: 5})) == (1, 1, 1, 1, 1)


PAIRS = st.dictionaries(st.integers(0, 5), st.integers(0, 5), max_size=5)


@settings(max_examples=80)
@given(PAIRS, PAIRS)
def test_agrees_with_the_scorer_s_counting(key: Pairs, response: Pairs) -> None:
    """True positives, misses and false alarms of each level, as the Universal Anaphora scorer counts them."""
    pair = key.keys() & response.keys()
    mention = sum(key[anaphor] == response[anaphor] for anaphor in pair)
    entity = sum(CHAIN[key[anaphor]] == CHAIN[response[anaphor]] for anaphor in pair)
    assert counts(text(key), text(response)) == (len(pair), mention, entity, len(key), len(response))
