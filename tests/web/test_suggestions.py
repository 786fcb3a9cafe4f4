"""The page and the JSON API rank by one formula: whatever is marked, and after every event, the lists are the same."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import aune
from aune.reading.source import Source
from aune.workbench import suggestions
from aune.workbench.files import texts
from aune.workbench.model import State, Text
from aune.workbench.suggestions import Ranking, lexical, page_data
from tests.web.test_modules import HOST, serve_file

SCRIPT = """async ({ text, state, lexical, moves }) => {
    const { Ranking } = await import('/src/aune/web/workbench/suggestions.js');
    const { Passage } = await import('/src/aune/web/workbench/session.js');
    const { State } = await import('/src/aune/web/workbench/state.js');
    const { attach } = await import('/src/aune/web/workbench/operations.js');
    const layer = new State(state);
    const ranking = new Ranking(new Passage(text), layer, lexical);
    const likely = (id) => ranking.chains(layer.mention(id), id).slice(0, 9);
    const all = () => Object.fromEntries(layer.order.map((id) => [id, likely(id)]));
    const first = all();
    for (const [id, chain] of moves) ranking.follow(layer.fold(attach(layer, [id], chain)));
    return [first, all()];
}"""


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context()
    opened = context.new_page()
    opened.route(f"{HOST}/**", serve_file)
    opened.goto(f"{HOST}/")
    yield opened
    context.close()


def rank_chains(text: Text, state: State) -> dict[str, list[dict[str, Any]]]:
    ranking = Ranking(text, state)
    return {name: [chain._asdict() for chain in ranking.chains(name)] for name in state.mentions}


def move_items(state: State, moves: list[tuple[str, str]]) -> State:
    mentions = dict(state.mentions)
    for name, chain in moves:
        mentions[name] = msgspec.structs.replace(mentions[name], chain=chain)
    return State(mentions, state.chains, state.relations)


def agree(page: Any, text: Text, state: State) -> None:
    names, chains = sorted(state.mentions), sorted(state.chains)
    moves = [(name, chains[place % len(chains)]) for place, name in enumerate(names) if place % 7 == 0]
    request = {"text": text, "state": state, "lexical": page_data(lexical(text)), "moves": moves}
    first, second = page.evaluate(SCRIPT, msgspec.to_builtins(request))
    for response_value, key_value in (
        (first, rank_chains(text, state)),
        (second, rank_chains(text, move_items(state, moves))),
    ):
        assert response_value.keys() == key_value.keys()
        for name, likely in key_value.items():
            shown = [(its["chain"], its["why"]) for its in response_value[name]]
            assert shown == [(suggestion["chain"], suggestion["why"]) for suggestion in likely], name
            assert [its["score"] for its in response_value[name]] == pytest.approx(
                [suggestion["score"] for suggestion in likely], abs=2e-6
            )


def example(examples: Path) -> list[tuple[Text, State]]:
    path = examples / "coref" / "key.conll"
    return [*texts(Source(path.name, path.read_bytes(), path), "coref", "conll2012")]


def test_the_example(page: Any, examples: Path) -> None:
    for text, state in example(examples):
        agree(page, text, state)


def test_no_number_of_the_formula_is_in_the_script() -> None:
    script = Path(aune.__file__).with_name("web") / "workbench" / "suggestions.js"
    code = re.sub(r"//.*|/\*.*?\*/", "", script.read_text("utf-8"))
    assert {*re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)", code)} <= {"0", "1", "2"}


def test_the_page_has_no_formula_of_its_own(page: Any, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the numbers are, the page ranks with those that it gets."""
    usual = suggestions.FORMULA
    other = usual._replace(
        before=7, after=2, similar=3, smoothing=0.25,
        pronoun={name: weight * 3 for name, weight in usual.pronoun.items()},
        other={name: -weight for name, weight in usual.other.items()},
        reasons={name: reason[::-1] for name, reason in usual.reasons.items()},
    )  # fmt: skip
    monkeypatch.setattr(suggestions, "FORMULA", other)
    for text, state in example(examples):
        agree(page, text, state)


def test_a_novel(page: Any, data: Path) -> None:
    """The first text of LitBank: some 300 mentions, nested and far apart."""
    path = data / "coref" / "litbank" / "key.conll.gz"
    first = gzip.decompress(path.read_bytes()).split(b"#end document")[0] + b"#end document\n"
    ((text, state),) = texts(Source("litbank.conll", first), "coref", "conll2012")
    agree(page, text, state)
