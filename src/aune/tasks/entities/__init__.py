"""Named entities: which stretches of a text name something, and what kind of thing.

A key and a response label spans of a text: flat ones, nested ones, or trees of entities and their components. All
pairing of key and response spans is one-to-one and optimal for the measure that asks, so that the order of entities
never changes a score.
"""

from __future__ import annotations

from aune.task import Task
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.conventions import CONVENTIONS
from aune.tasks.entities.model import documents, empty, fitted

TASK = Task(
    compare,
    documents,
    empty,
    measures=("f_measure",),
    conventions=CONVENTIONS,
    fitted=fitted,
)
