"""Tagging: which part of speech, features and lemma each word of a text has.

A response may use other words than the key (its words are realigned by characters), other tags (projected through a
correspondence table), and several tags for a word it cannot decide. `precision_decision` measures all of that as the
GRACE campaign did; `ud_tokens` to `blex` are the numbers of the CoNLL 2018 scorer.
"""

from __future__ import annotations

from aune.core.task import Task
from aune.tasks.tagging import batches
from aune.tasks.tagging.alignment import fit
from aune.tasks.tagging.combination import combined, disagreements
from aune.tasks.tagging.comparison import compare
from aune.tasks.tagging.errors import KINDS, errors
from aune.tasks.tagging.judgements import judgements, sentences
from aune.tasks.tagging.model import check, describe, documents, empty, holdings, usual
from aune.tasks.tagging.notes import told
from aune.tasks.tagging.universe import UNIVERSE
from aune.tasks.tagging.view import confusion, view

TASK = Task(
    compare,
    documents,
    empty,
    annotation=("tag", lambda document: not all(column.says_nothing for column in document.columns.values())),
    aliases=("pos", "tags", "ud"),
    batches={"tagging.accuracy": batches.accuracy},
    measures=(
        *("precision_decision", "accuracy", "ud_tokens", "ud_sentences", "ud_words"),
        *("upos", "xpos", "feats", "all_tags", "lemmas", "uas", "las", "clas", "mlas", "blex"),
    ),
    check=check,
    describe=describe,
    errors=errors,
    kinds=KINDS,
    fit=fit,
    usual=usual,
    told=told,
    holdings=holdings,
    view=view,
    confusion=confusion,
    judgements=judgements,
    sentences=sentences,
    universe=UNIVERSE,
    combined=combined,
    disagreements=disagreements,
)
