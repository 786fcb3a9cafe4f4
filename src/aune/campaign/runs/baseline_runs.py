"""Baselines of aune and systems of the organisers, each entered in one step and displayed separately."""

from __future__ import annotations

from typing import Any

from aune.baselines import baseline, names
from aune.campaign.campaign import Campaign, Newcomer, Receipt
from aune.campaign.keys.key_files import key_reader_options
from aune.campaign.keys.texts import format_to_write, usual_ending
from aune.campaign.ledger.state import BASELINE, ORGANISERS
from aune.campaign.runs.submission_checks import Run, read_texts
from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import read


def enter_baseline(campaign: Campaign, name: str, dataset: str, **options: Any) -> Receipt:
    """Submit the response of a baseline to a dataset, like any other submission.

    A baseline gets what participants get; baselines of coreference also need the mentions of the key.
    """
    plan, state = campaign.plan_of(dataset), campaign.state
    if not state.version(dataset):
        raise UsageError(f"{dataset} has no key yet: its phase has not begun")
    system = baseline(plan.task, name)
    texts = state.texts[dataset]
    corpus = read_texts(plan, texts.name, campaign.store.get(texts.digest), texts.format)
    if plan.task == "coref":
        path = campaign.folder / campaign.dataset(dataset).key
        corpus = read(
            registry.task(plan.task), str(path), campaign.dataset(dataset).format or None, **key_reader_options(plan)
        )
    answers = system(corpus.documents, **_with_training(campaign, dataset, system.options, options))
    form = format_to_write(plan.task, corpus.format)
    assert form.write is not None
    data = "".join(form.write(answers)).encode()
    return campaign.receive(Newcomer(name, BASELINE), dataset, name, f"{name}{usual_ending(form)}", data)


def enter_system(campaign: Campaign, name: str, dataset: str, run: str, sent: Run) -> Receipt:
    """Submit a run of a system of the organisers, which is scored like any other, for information."""
    if not campaign.state.version(campaign.dataset(dataset).name):
        raise UsageError(f"{dataset} has no key yet: its phase has not begun")
    team = Newcomer(name, ORGANISERS)
    return campaign.receive(team, dataset, run, sent.name, sent.data, table=sent.table, table_name=sent.table_name)


def _with_training(campaign: Campaign, dataset: str, known: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options; a baseline that learns also gets the training key of the same track."""
    track = campaign.dataset(dataset).track
    training = [known_data for known_data in campaign.protocol.datasets_in("training") if known_data.track == track]
    if "training" not in known or "training" in options or not training:
        return options
    return {**options, "training": str(campaign.folder / training[0].key)}


def baseline_names(campaign: Campaign) -> tuple[str, ...]:
    """The names of the baselines for the campaign's tasks."""
    return tuple(sorted({name for task in campaign.protocol.tasks for name in names(task)}))
