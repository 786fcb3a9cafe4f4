"""Anaphora resolution: which antecedent each anaphor has.

A key and a response give antecedents to the anaphors of a text, as pairs ⟨anaphor, antecedent⟩. The pairs are listed in
a file, or drawn from a file of coreference chains: pronouns with their closest antecedent, or with all of them. The
unit is the anaphor, so every score can be broken down by pronoun, gender, distance or any attribute.
"""

from __future__ import annotations

from aune.core.task import Task
from aune.tasks.anaphora.comparison import compare
from aune.tasks.anaphora.errors import KINDS, errors
from aune.tasks.anaphora.holdings import lost
from aune.tasks.anaphora.model import check, describe, documents, empty, holdings
from aune.tasks.anaphora.view import confusion, view

TASK = Task(
    compare,
    documents,
    empty,
    annotation=("antecedent", lambda document: any(anaphor.antecedents for anaphor in document.anaphors)),
    aliases=("pronouns",),
    measures=("accuracy", "graded", "pairs", "azzam", "mitkov"),
    check=check,
    describe=describe,
    errors=errors,
    kinds=KINDS,
    holdings=holdings,
    lost=lost,
    view=view,
    confusion=confusion,
)
