"""One annotation of chains out of several: a slow second implementation, the lattice of partitions, real systems."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import evaluate
from aune.cli import run
from aune.contract.registry import task
from aune.errors import UsageError
from aune.reading.corpus import read
from aune.tasks.coref.combination import combine_documents, disagreements
from aune.tasks.coref.model import Mention, documents, make_document

CHAINS = st.dictionaries(st.integers(1, 6), st.integers(0, 3))
SYSTEMS = st.lists(CHAINS, min_size=1, max_size=4)


def _clusters(chains: dict[int, int]) -> list[set[int]]:
    return [{m for m, c in chains.items() if c == chain} for chain in sorted(set(chains.values()))]


def _slow(systems: list[dict[int, int]], weights: list[int], least: float) -> set[frozenset[int]]:
    """Every pair asked for its votes, and chains grown until nothing changes."""

    def stays(votes: list[bool]) -> bool:
        own_total, total = sum(w for w, vote in zip(weights, votes, strict=True) if vote), sum(weights)
        return own_total > least * total or own_total == total

    remaining = [m for m in range(1, 7) if stays([m in system for system in systems])]
    linked = {
        (a, b)
        for a, b in combinations(remaining, 2)
        if stays([a in system and b in system and system[a] == system[b] for system in systems])
    }
    result = [{mention} for mention in remaining]
    while True:
        for a, b in linked:
            (item,), (other,) = ([chain for chain in result if m in chain] for m in (a, b))
            if item is not other:
                result.remove(other)
                item |= other
                break
        else:
            return set(map(frozenset, result))


def _combine_systems(systems: list[dict[int, int]], **options: object) -> set[frozenset[int]]:
    arguments = {str(number): documents(_clusters(system)) for number, system in enumerate(systems)}
    (made,) = combine_documents(arguments["0"], arguments, **options)  # type: ignore[arg-type]
    return {frozenset(start for start, _ in chain) for chain in made.clusters()}


@given(SYSTEMS, st.data(), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
def test_votes_are_counted_as_in_the_slow_way(systems: list[dict[int, int]], data: st.DataObject, least: float) -> None:
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(systems), max_size=len(systems)))
    named = {str(number): float(weight) for number, weight in enumerate(weights)}
    assert _combine_systems(systems, weights=named, least=least) == _slow(systems, weights, least)


@given(SYSTEMS)
def test_all_is_the_meet_and_any_is_the_join(systems: list[dict[int, int]]) -> None:
    common = set.intersection(*map(set, systems))
    meet: dict[tuple[int, ...], set[int]] = {}
    for mention in common:
        meet.setdefault(tuple(item[mention] for item in systems), set()).add(mention)
    assert _combine_systems(systems, least=1.0) == set(map(frozenset, meet.values()))
    join = _combine_systems(systems, least=0.0)
    for system in systems:
        assert all(any(chain <= larger for larger in join) for chain in _clusters(system))


@given(CHAINS, st.integers(1, 4))
def test_systems_that_agree_are_what_they_say(chains: dict[int, int], count: int) -> None:
    assert _combine_systems([chains] * count) == set(map(frozenset, _clusters(chains)))


def test_what_is_known_of_mentions_stays_and_another_text_is_refused() -> None:
    tokens = ["Ann", "said", "she", "left"]
    document = make_document(
        "d", [Mention(0, 1, "a", features={"kind": "name"}, head=0), Mention(2, 3, "a")], tokens=tokens
    )
    made = combine_documents([document], {"a": [document], "b": [document]})[0]
    assert made.features["kind"] == ["name", ""] and made.heads.tolist() == [0, -1] and made.tokens == tokens
    other = make_document("d", [], tokens=["Bob"])
    with pytest.raises(UsageError, match="another text"):
        combine_documents([document], {"a": [document], "b": [other]})
    rows = disagreements([document], {"a": [document], "b": [make_document("d", [Mention(0, 1, "a")], tokens=tokens)]})
    assert rows[1:] == [["d", "mention", "2-2", "", "0.500", "yes", "no", "she", ""],
                        ["d", "link", "2-2", "0-0", "0.500", "yes", "no", "she", "Ann"]]  # fmt: skip


def test_from_the_command_line(tmp_path: Path) -> None:
    texts = {"a": "(0)\n-\n(0)\n", "b": "(0)\n-\n(0)\n", "c": "(0)\n(0)\n(1)\n"}
    for name, column in texts.items():
        rows = "".join(f"d 0 {n} w{n} {cell}\n" for n, cell in enumerate(column.split()))
        (tmp_path / f"{name}.conll").write_text(f"#begin document (d); part 000\n{rows}#end document\n")
    files = [str(tmp_path / f"{name}.conll") for name in texts]
    assert run(["combine", "coref", *files, "-o", str(tmp_path / "out.conll")]) == 0
    (made,) = read(task("coref"), str(tmp_path / "out.conll")).documents
    assert made.clusters() == [[(0, 1), (2, 3)]]


def test_real_systems(data: Path) -> None:
    folder = data / "coref" / "litbank"
    responses = {path.name.split(".")[0]: str(path) for path in sorted(folder.glob("s[1-3]*.conll.gz"))}
    if len(responses) < 3:
        pytest.skip("no three responses to LitBank")
    systems = {name: read(task("coref"), path).documents for name, path in responses.items()}
    made = combine_documents(next(iter(systems.values())), systems)
    result = evaluate("coref", str(folder / "key.conll.gz"), {**systems, "voted": made}, measures=["conll"])
    assert result["voted", "conll"].f1 > min(result[name, "conll"].f1 for name in systems)
