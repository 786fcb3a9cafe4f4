"""Run simple systems on the annotated mentions: their answer as a layer, and the activation resolver step by step.

A resolver sees the mentions of a state but not its chains (except baselines that are made from the key's profile). Its
answer has the same mentions with the same ids.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from aune.baselines import baseline, names
from aune.baselines.coref import activation
from aune.baselines.differential import Ablation, ablations
from aune.workbench.documents import state_document
from aune.workbench.model import Chain, State, Text


def resolvers() -> dict[str, list[str]]:
    """The simple systems by name, each with the names of its options."""
    return {name: list(baseline("coref", name).options) for name in names("coref")}


def run_resolver(text: Text, state: State, name: str, **options: Any) -> State:
    """The answer of a simple system for the mentions of a state."""
    made = state_document(text, state)
    [answer] = baseline("coref", name)([made.document], **options)
    return _regroup(state, dict(zip(made.mentions, answer.chains.tolist(), strict=True)))


def _regroup(state: State, chains: dict[str, int]) -> State:
    """The same mentions in other chains; mentions without a chain stay ungrouped."""
    mentions = {
        name: msgspec.structs.replace(mention, chain=f"c{chains[name]}" if name in chains else None)
        for name, mention in state.mentions.items()
    }
    return State(mentions, {f"c{number}": Chain() for number in sorted(set(chains.values()))})


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A chain as the resolver sees it at a mention, with the shares of members that agree (1 if nothing is known)."""

    chain: str
    size: int
    last: str
    """Its last mention."""
    gender: float
    number: float
    sense: float
    activation: float
    compatible: bool


class ResolverStep(msgspec.Struct, frozen=True, kw_only=True):
    """The step of the resolver at one mention."""

    step: int
    mention: str
    kind: str
    traits: dict[str, str]
    candidates: list[Candidate]
    """The compatible chains, the most active first; then the others, the most active first."""
    chosen: str
    new: bool
    """Whether the mention begins a chain, because no candidate is compatible."""
    because: str


def steps(
    text: Text, state: State, first: int = 0, count: int = 1, *, off: Sequence[str] = (), language: str = "auto"
) -> list[ResolverStep]:
    """Several steps of the activation resolver: candidates, compatibility, activation and choice."""
    return list(_steps(text, state, first, count, off, language))


def _steps(
    text: Text, state: State, first: int, count: int, off: Sequence[str], language: str
) -> Iterator[ResolverStep]:
    made = state_document(text, state)
    with _open_walk(made.document, off, language) as walk:
        latest = dict(zip(walk.choices(first), made.mentions, strict=False))  # the last mention of a chain wins
        for step in walk.steps(first, first + count):
            name = made.mentions[step.mention]
            yield ResolverStep(
                step=step.mention,
                mention=name,
                kind=step.kind,
                traits={trait: value for trait, value in step.traits._asdict().items() if value},
                candidates=[
                    Candidate(
                        chain=f"c{candidate.number}", size=candidate.size, last=latest[candidate.number],
                        gender=candidate.gender, number=candidate.number_agreement, sense=candidate.sense,
                        activation=candidate.activation, compatible=candidate.compatible,
                    )
                    for candidate in step.candidates
                ],
                chosen=f"c{step.chosen}",
                new=step.new,
                because=_reason(step, "activation" in off),
            )  # fmt: skip
            latest[step.chosen] = name


@contextmanager
def _open_walk(document: Any, off: Sequence[str], language: str) -> Iterator[activation.ResolverWalk]:
    """The cached walk of the resolver over a document, or a new one; used by one thread at a time."""
    settings = (frozenset(off), language)
    with _LOCK:
        walk = next(
            (
                walk
                for known_document, known_settings, walk in _WALKS
                if known_document is document and known_settings == settings
            ),
            None,
        )
        walk = walk or activation.ResolverWalk(document, language=language, off=off)
        _WALKS[:] = [(document, settings, walk), *(entry for entry in _WALKS if entry[2] is not walk)][:MAX_WALKS]
        yield walk


MAX_WALKS = 4  # documents whose walks are cached
_WALKS: list[tuple[Any, tuple[frozenset[str], str], activation.ResolverWalk]] = []
_LOCK = threading.Lock()


def _reason(step: activation.Step, by_recency: bool) -> str:
    """A sentence that explains the choice of a chain."""
    compatible = sum(candidate.compatible for candidate in step.candidates)
    if step.new:
        return "no chain is compatible: it begins one" if step.classes else "it is the first: it begins a chain"
    if compatible == 1:
        return "the only compatible chain"
    return f"the {'one used last' if by_recency else 'most active'} of {compatible} compatible chains"


def state_at_step(text: Text, state: State, step: int, *, off: Sequence[str] = (), language: str = "auto") -> State:
    """The resolver's answer after `step` mentions; the others are not in a chain yet."""
    made = state_document(text, state)
    with _open_walk(made.document, off, language) as walk:
        return _regroup(state, dict(zip(made.mentions, walk.choices(step), strict=False)))


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """The resolver without some groups of rules: its scores, and the average loss."""

    off: list[str]
    scores: dict[str, float | None]
    mean: float | None
    loss: float | None


def losses(text: Text, key: State, *, most: int = 2, **options: Any) -> list[Loss]:
    """The complete activation resolver, then without one and two of its rule groups, scored against a key."""
    document = state_document(text, key).document
    return [_loss(ablation) for ablation in ablations("coref", [document], "activation", most=most, **options)]


def _loss(ablation: Ablation) -> Loss:
    return Loss(off=list(ablation.off), scores=dict(ablation.scores), mean=ablation.mean, loss=ablation.loss)


def resolution_order(text: Text, state: State) -> list[str]:
    """The mentions in the order in which the resolver processes them."""
    return state_document(text, state).mentions
