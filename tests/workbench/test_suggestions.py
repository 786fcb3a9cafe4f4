"""Likely chains: by hand, the same after any history, and LitBank's key replayed key by key."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from aune.reading.source import file_source
from aune.workbench.files import texts
from aune.workbench.model import Chain, Mention, State, in_text_order
from aune.workbench.suggestions import Ranking, lexical, mention_wording, page_data
from tests.workbench.texts import text_of

CHARACTERS = "Mr Lee met his sister Ann . She smiled , and Lee saw that she was happy . Rain fell ."
SEARCHED = 5
"""Keys to find a chain that is not among the nine: / and some letters, then Enter."""


TEXT = text_of(CHARACTERS)


def mention(string: str, chain: str | None, after: int = 0) -> Mention:
    start = CHARACTERS.index(string, after)
    return Mention(parts=((start, start + len(string)),), chain=chain)


STATE = State(
    {
        "m1": mention("Mr Lee", "c1"),
        "m2": mention("his sister Ann", "c2"),
        "m3": mention("his", "c1"),
        "m4": mention("She", None),
        "m5": mention("Lee saw"[:3], None, 40),
        "m6": mention("she was"[:3], None, 50),
    },
    {"c1": Chain(), "c2": Chain()},
)


def test_a_name_goes_to_its_name_and_a_pronoun_to_what_agrees() -> None:
    ranking = Ranking(TEXT, STATE)
    assert [item.chain for item in ranking.chains("m5")] == ["c1", "c2"]
    assert ranking.chains("m5")[0].why == "shares words"
    assert [item.chain for item in ranking.chains("m4")] == ["c2", "c1"]


def test_what_words_say() -> None:
    words = lexical(TEXT)
    wording = mention_wording(TEXT, STATE.mentions["m1"], words)
    assert (wording.string, wording.pronoun, wording.traits.gender) == ("mr lee", False, "masculine")
    assert mention_wording(TEXT, STATE.mentions["m4"], words).pronoun
    message = Mention(parts=((0, 6),), features={"gender": "Fem", "number": "p"})
    assert mention_wording(TEXT, message, words).traits[:2] == ("feminine", "plural")
    assert mention_wording(TEXT, Mention(parts=((3, 3),)), words).pronoun
    assert page_data(words)["pronouns"]["she"][0] == "feminine"


def test_following_the_state_is_as_good_as_starting_anew() -> None:
    ranking = Ranking(TEXT, STATE)
    mentions = dict(STATE.mentions)
    for name, record in [
        ("m4", mention("She", "c2")),
        ("m2", None),
        ("m6", mention("she was"[:3], "c2", 50)),
        ("m7", mention("Rain", "c2")),
        ("m2", mention("his sister", "c2")),
    ]:
        if record is None:
            del mentions[name]
        else:
            mentions[name] = record
        state = State(dict(mentions), STATE.chains)
        ranking.update(state)
        afresh = Ranking(TEXT, state)
        assert [ranking.chains(item) for item in mentions] == [afresh.chains(item) for item in mentions]


@pytest.mark.parametrize("corpus", ["litbank/key", "fr-litbank/test.V2.gold"])
def test_replaying_a_key_needs_hardly_more_than_a_key_a_mention(
    data: Path, corpus: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Mentions are marked; each is grouped in the order of the text: 1–9, n for a new chain, or a search."""
    first = among = later = mentions = keys = 0
    for text, state in texts(file_source(data / "coref" / f"{corpus}.conll.gz"), "coref", "conll2012"):
        bare = {name: msgspec.structs.replace(item, chain=None) for name, item in state.mentions.items()}
        ranking = Ranking(text, State(dict(bare)))
        begun: dict[str, Chain] = {}
        for name in in_text_order(state.mentions):
            chain = state.mentions[name].chain
            assert chain is not None
            mentions += 1
            keys += 1
            if chain in begun:
                later += 1
                offered = [item.chain for item in ranking.chains(name)]
                first += offered[:1] == [chain]
                among += chain in offered
                keys += 0 if chain in offered else SEARCHED - 1
            begun[chain] = Chain()
            bare[name] = state.mentions[name]
            ranking.update(State(dict(bare), dict(begun)))
    with capsys.disabled():
        shares = f"right chain first {first / later:.1%}, among nine {among / later:.1%} of later mentions"
        print(f"\n{corpus}: {keys / mentions:.3f} keys a mention, {shares}")
    assert keys <= 1.1 * mentions
    assert among >= 0.97 * later
