"""Named entities: which stretches of a text name something, and what kind of thing.

A key and a response label spans of a text: flat ones, nested ones, or trees of entities and their components. All
pairing of key and response spans is one-to-one and optimal for the measure that asks, so that the order of entities
never changes a score; the convention `hipe` gives the numbers of the HIPE scorer instead.
"""

from __future__ import annotations

from aune.contract.task import Agreement, Comparing, Explaining, Extras, Reading, Task
from aune.tasks.entities import batches
from aune.tasks.entities.alternatives import key_choices
from aune.tasks.entities.check import check
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.conventions import CONVENTIONS
from aune.tasks.entities.describe import describe, holdings
from aune.tasks.entities.losses import conversion_losses
from aune.tasks.entities.model import documents, empty, split_response
from aune.tasks.entities.notes import comparison_notes
from aune.tasks.entities.pairing.token_alignment import fit
from aune.tasks.entities.realignment import realign_responses


def _make_explaining() -> Explaining:
    from aune.tasks.entities.errors import ALL_KINDS, errors
    from aune.tasks.entities.view import confusion, view

    return Explaining(
        errors=errors,
        kinds=ALL_KINDS,
        view=view,
        confusion=confusion,
    )


def _make_agreement() -> Agreement:
    from aune.tasks.entities.judgements import count_differences, judgements, sentences, spans

    return Agreement(
        judgements=judgements,
        sentences=sentences,
        spans=spans,
        differences=count_differences,
    )


def _make_extras() -> Extras:
    from aune.tasks.entities.combination import combination_notes, combine, disagreements
    from aune.tasks.entities.small_worlds import UNIVERSE

    return Extras(
        small_worlds=UNIVERSE,
        usual_choices={
            "measures": ("f_measure", "macro(f_measure, by=label)", "ser", "token_accuracy.entity_accuracy"),
            "match": ("strict", "boundary", "type", "overlap"),
            "case": ("keep", "fold"),
            "pairing": ("optimal", "first"),
        },
        combine=combine,
        combination_notes=combination_notes,
        disagreements=disagreements,
    )


TASK = Task(
    reading=Reading(
        documents=documents,
        empty=empty,
        has_tag_sentences=True,
        annotation=("entity", lambda document: len(document) or document.listed),
        check=check,
        describe=describe,
        content_counts=holdings,
        count_losses=conversion_losses,
        realign=realign_responses,
    ),
    comparing=Comparing(
        compare=compare,
        measures=("f_measure", "ser", "eter"),
        conventions=CONVENTIONS,
        split_like_key=split_response,
        can_cut=fit,
        batches={"entities.f_measure": batches.f_measure},
        fact_texts=comparison_notes,
        key_choices=key_choices,
    ),
    make_explaining=_make_explaining,
    make_agreement=_make_agreement,
    make_extras=_make_extras,
)
