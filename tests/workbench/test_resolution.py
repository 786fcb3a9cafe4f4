"""Simple systems as layers, and the activation resolver stepped forwards and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune import baselines
from aune.reading.source import file_source
from aune.workbench.files import texts
from aune.workbench.model import Chain, Mention, State, Text, members
from aune.workbench.resolution import losses, resolution_order, resolvers, run_resolver, state_at_step, steps
from tests.workbench.texts import text_of

TEXT = text_of("Mr. Darcy met Mrs. Ann . He liked her house . The house was old . Darcy bought it .")
WORDS = list(TEXT.words())
PLACES = [(0, 2), (3, 5), (6, 7), (8, 10), (8, 9), (11, 13), (16, 17), (18, 19)]
STATE = State(
    {
        f"m{number}": Mention(parts=((WORDS[first][0], WORDS[after - 1][1]),), chain="c")
        for number, (first, after) in enumerate(PLACES)
    },
    {"c": Chain()},
)


def groups(state: State) -> set[frozenset[str]]:
    return {frozenset(names) for names in members(state).values()}


@pytest.mark.parametrize("name", sorted(resolvers()))
def test_every_simple_system_groups_the_marked_mentions(name: str) -> None:
    result = run_resolver(TEXT, STATE, name)
    assert result.mentions.keys() == STATE.mentions.keys()
    assert {mention.parts for mention in result.mentions.values()} == {
        mention.parts for mention in STATE.mentions.values()
    }
    assert {mention.chain for mention in result.mentions.values()} == result.chains.keys()


def test_the_resolver_step_by_step() -> None:
    every = steps(TEXT, STATE, 0, 8)
    assert [item.mention for item in every] == resolution_order(TEXT, STATE)
    assert every[0].new
    assert every[0].because == "it is the first: it begins a chain"
    he = every[2]
    assert (he.mention, he.kind, he.traits["gender"], he.chosen) == ("m2", "pronoun", "masculine", "c0")
    assert [(candidate.chain, candidate.compatible) for candidate in he.candidates] == [("c0", True), ("c1", False)]
    assert he.candidates[1].gender == 0.0
    assert he.because == "the only compatible chain"
    again = every[6]
    assert (again.mention, again.chosen, again.candidates[0].last) == ("m6", "c0", "m2")


@pytest.mark.parametrize("off", [(), ("gender",), ("semantics", "activation")])
def test_stepping_leads_where_the_resolver_goes(off: tuple[str, ...]) -> None:
    end = run_resolver(TEXT, STATE, "activation", off=off)
    assert groups(state_at_step(TEXT, STATE, 8, off=off)) == groups(end)
    for step in steps(TEXT, STATE, 0, 8, off=off):
        before, after = (
            state_at_step(TEXT, STATE, step.step, off=off),
            state_at_step(TEXT, STATE, step.step + 1, off=off),
        )
        assert before.mentions[step.mention].chain is None
        assert after.mentions[step.mention].chain == step.chosen
        assert step.new == (step.chosen not in before.chains)
        assert steps(TEXT, STATE, step.step, off=off) == [step]  # one alone, as when going back


def test_stepping_agrees_with_the_baseline_on_novels(data: Path) -> None:
    text, state = texts(file_source(data / "coref" / "litbank" / "key.conll.gz"), "coref", "conll2012")[0]
    count = len(state.mentions)
    walked = steps(text, state, 0, count)
    assert groups(run_resolver(text, state, "activation")) == groups(state_at_step(text, state, count))
    assert len(walked) == count
    for step in walked:
        compatible = [candidate for candidate in step.candidates if candidate.compatible]
        assert step.new == (not compatible)
        if compatible:
            assert step.chosen == compatible[0].chain


def test_the_table_of_losses() -> None:
    key = run_resolver(TEXT, STATE, "same_head")
    table = losses(TEXT, key)
    groups_of_rules = baselines.baseline("coref", "activation").groups
    assert len(table) == 1 + 4 + 6
    assert [item.off for item in table[:3]] == [[], [groups_of_rules[0]], [groups_of_rules[1]]]
    assert table[0].loss == 0
    assert set(table[0].scores) >= {"coref.muc", "coref.b_cubed"}


def test_an_empty_text() -> None:
    assert steps(Text(id="e", characters=""), State(), 0, 5) == []
    assert run_resolver(Text(id="e", characters=""), State(), "activation") == State()
