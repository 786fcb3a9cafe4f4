"""Reference resolution: which expressions of a text denote the same entity.

A key and a response group the mentions of a text into chains. Every measure looks at how the chains of one side fall
into those of the other. Two conventions settle what the measures leave open: `conll` (the default) gives the numbers
of the official CoNLL scorer, `partition` those of Popescu-Belis (1999).
"""

from __future__ import annotations

from aune.contract.task import Agreement, Comparing, Explaining, Extras, Listing, Reading, Task
from aune.tasks.coref.alternatives import key_choices
from aune.tasks.coref.conventions import CONVENTIONS
from aune.tasks.coref.describe import describe
from aune.tasks.coref.losses import content_counts, lost_content
from aune.tasks.coref.model import check, documents, empty
from aune.tasks.coref.pair_comparison import compare, fact_notes
from aune.tasks.coref.passage import passage
from aune.tasks.coref.realignment import realign_pairs


def _make_explaining() -> Explaining:
    from aune.tasks.coref.errors import KINDS, correct_response, errors
    from aune.tasks.coref.projections import chain_rows, mention_rows
    from aune.tasks.coref.view import confusion, view

    return Explaining(
        errors=errors,
        kinds=KINDS,
        correct=correct_response,
        view=view,
        confusion=confusion,
        listings={
            "chain": Listing(
                chain_rows,
                {"muc": ("links_lost",), "core": ("core", "mentions_lost"), "exclusive_core": ("exclusive_core",)},
            ),
            "mention": Listing(mention_rows, {"b_cubed": ("recall", "precision")}),
        },
    )


def _make_agreement() -> Agreement:
    from aune.tasks.coref.judgements import count_differences, judgements, link_judgements

    return Agreement(
        judgements=judgements,
        further=link_judgements,
        differences=count_differences,
    )


def _make_extras() -> Extras:
    from aune.tasks.coref.combination import combination_notes, combine_documents, disagreements
    from aune.tasks.coref.small_worlds import UNIVERSE

    return Extras(
        small_worlds=UNIVERSE,
        usual_choices={
            "measures": ("conll", "lea", "muc", "b_cubed", "ceaf_e", "blanc"),
            "singletons": ("keep", "drop"),
            "mentions": ("conll", "complete"),
            "undefined": ("zero", "one"),
        },
        combine=combine_documents,
        combination_notes=combination_notes,
        disagreements=disagreements,
    )


TASK = Task(
    reading=Reading(
        documents=documents,
        empty=empty,
        annotation=("mention", lambda document: len(document) or document.listed),
        check=check,
        describe=describe,
        content_counts=content_counts,
        count_losses=lost_content,
        realign=realign_pairs,
        passage=passage,
    ),
    comparing=Comparing(
        compare=compare,
        measures=("mentions", "muc", "b_cubed", "ceaf_e", "conll", "lea", "blanc"),
        main="conll",
        conventions=CONVENTIONS,
        libraries=("scipy.optimize", "scipy.sparse.csgraph"),
        fact_texts=fact_notes,
        key_choices=key_choices,
    ),
    make_explaining=_make_explaining,
    make_agreement=_make_agreement,
    make_extras=_make_extras,
)
