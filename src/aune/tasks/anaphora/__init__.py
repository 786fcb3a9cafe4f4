"""Anaphora resolution: which antecedent each anaphor has.

A key and a response give antecedents to the anaphors of a text, as pairs ⟨anaphor, antecedent⟩. The pairs are listed in
a file, or drawn from a file of coreference chains: pronouns with their closest antecedent, or with all of them. The
unit is the anaphor, so every score can be broken down by pronoun, gender, distance or any attribute.
"""

from __future__ import annotations

from aune.contract.task import Agreement, Comparing, Explaining, Extras, Reading, Task
from aune.tasks.anaphora.comparison import compare
from aune.tasks.anaphora.losses import conversion_losses
from aune.tasks.anaphora.model import check, describe, documents, empty, holdings


def _make_explaining() -> Explaining:
    from aune.tasks.anaphora.errors import KINDS, errors
    from aune.tasks.anaphora.view import confusion, view

    return Explaining(
        errors=errors,
        kinds=KINDS,
        view=view,
        confusion=confusion,
    )


def _make_agreement() -> Agreement:
    from aune.tasks.anaphora.judgements import count_unjudged, judgements, listing_judgements

    return Agreement(
        judgements=judgements,
        further=listing_judgements,
        unjudged=count_unjudged,
    )


def _make_extras() -> Extras:
    from aune.tasks.anaphora.small_worlds import UNIVERSE

    return Extras(
        small_worlds=UNIVERSE,
        usual_choices={
            "measures": ("accuracy.chain", "accuracy.strict", "graded", "pairs", "azzam"),
            "anaphors": ("pronouns", "all"),
            "antecedents": ("closest", "all"),
        },
    )


TASK = Task(
    reading=Reading(
        documents=documents,
        empty=empty,
        annotation=("antecedent", lambda document: any(anaphor.antecedents for anaphor in document.anaphors)),
        check=check,
        describe=describe,
        content_counts=holdings,
        count_losses=conversion_losses,
    ),
    comparing=Comparing(
        compare=compare,
        measures=("accuracy", "graded", "pairs", "azzam", "mitkov"),
    ),
    make_explaining=_make_explaining,
    make_agreement=_make_agreement,
    make_extras=_make_extras,
)
