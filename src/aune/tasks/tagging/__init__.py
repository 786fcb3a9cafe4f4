"""Tagging: which part of speech, features and lemma each word of a text has.

A response may use other words than the key (its words are realigned by characters), other tags (projected through a
correspondence table), and several tags for a word it cannot decide. `precision_decision` measures all of that as the
GRACE campaign did; `ud_tokens` to `blex` are the numbers of the CoNLL 2018 scorer.
"""

from __future__ import annotations

from aune.contract.task import Agreement, Comparing, Explaining, Extras, Reading, Task
from aune.tasks.tagging import batches
from aune.tasks.tagging.alignment import has_same_text
from aune.tasks.tagging.comparison import compare
from aune.tasks.tagging.model import check, content_counts, default_measures, describe, documents, empty
from aune.tasks.tagging.notes import comparison_notes


def _make_explaining() -> Explaining:
    from aune.tasks.tagging.errors import KINDS, errors
    from aune.tasks.tagging.view import confusion, view

    return Explaining(
        errors=errors,
        kinds=KINDS,
        view=view,
        confusion=confusion,
    )


def _make_agreement() -> Agreement:
    from aune.tasks.tagging.further_judgements import further_judgements
    from aune.tasks.tagging.judgements import count_differences, count_unjudged, judgements, sentences

    return Agreement(
        judgements=judgements,
        further=further_judgements,
        sentences=sentences,
        unjudged=count_unjudged,
        differences=count_differences,
    )


def _make_extras() -> Extras:
    from aune.tasks.tagging.combination import combination_notes, combine_taggings, disagreements
    from aune.tasks.tagging.small_worlds import UNIVERSE

    return Extras(
        small_worlds=UNIVERSE,
        usual_choices={
            "measures": ("accuracy", "kappa.kappa", "f_measure", "macro(f_measure, by=tag)"),
            "ambiguous": ("wrong", "share", "any"),
            "cases": ("words", "minimal"),
        },
        combine=combine_taggings,
        combination_notes=combination_notes,
        disagreements=disagreements,
    )


TASK = Task(
    reading=Reading(
        documents=documents,
        empty=empty,
        has_tag_sentences=True,
        annotation=("tag", lambda document: not all(column.is_blank for column in document.columns.values())),
        check=check,
        describe=describe,
        content_counts=content_counts,
    ),
    comparing=Comparing(
        compare=compare,
        measures=(
            *("precision_decision", "accuracy", "ud_tokens", "ud_sentences", "ud_words"),
            *("upos", "xpos", "feats", "all_tags", "lemmas", "uas", "las", "clas", "mlas", "blex"),
            *("elas", "eulas"),
        ),
        usual_measures=default_measures,
        can_cut=has_same_text,
        batches={"tagging.accuracy": batches.accuracy},
        fact_texts=comparison_notes,
    ),
    make_explaining=_make_explaining,
    make_agreement=_make_agreement,
    make_extras=_make_extras,
)
