"""Named entities: which stretches of a text name something, and what kind of thing.

A key and a response label spans of a text: flat ones, nested ones, or trees of entities and their components. All
pairing of key and response spans is one-to-one and optimal for the measure that asks, so that the order of entities
never changes a score; the convention `hipe` gives the numbers of the HIPE scorer instead.
"""

from __future__ import annotations

from aune.core.task import Task
from aune.tasks.entities import batches
from aune.tasks.entities.check import check
from aune.tasks.entities.combination import combined, disagreements
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.conventions import CONVENTIONS
from aune.tasks.entities.describe import describe, holdings
from aune.tasks.entities.errors import ALL_KINDS, errors
from aune.tasks.entities.judgements import judgements, sentences, spans
from aune.tasks.entities.losses import lost
from aune.tasks.entities.model import documents, empty, fitted
from aune.tasks.entities.notes import told
from aune.tasks.entities.pairing.positions import fit
from aune.tasks.entities.realignment import realigned
from aune.tasks.entities.universe import UNIVERSE
from aune.tasks.entities.view import confusion, view

TASK = Task(
    compare,
    documents,
    empty,
    annotation=("entity", lambda document: len(document) or document.listed),
    aliases=("ner", "entity"),
    batches={"entities.f_measure": batches.f_measure},
    measures=("f_measure", "ser", "eter"),
    conventions=CONVENTIONS,
    check=check,
    describe=describe,
    errors=errors,
    kinds=ALL_KINDS,
    fit=fit,
    fitted=fitted,
    holdings=holdings,
    lost=lost,
    view=view,
    confusion=confusion,
    judgements=judgements,
    sentences=sentences,
    spans=spans,
    universe=UNIVERSE,
    told=told,
    realigned=realigned,
    combined=combined,
    disagreements=disagreements,
)
