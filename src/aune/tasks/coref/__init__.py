"""Reference resolution: which expressions of a text denote the same entity.

A key and a response group the mentions of a text into chains. Every measure looks at how the chains of one side fall
into those of the other. Two conventions settle what the measures leave open: `conll` (the default) gives the numbers
of the official CoNLL scorer, `partition` those of Popescu-Belis (1999).
"""

from __future__ import annotations

from aune.core.task import Listing, Task
from aune.tasks.coref.combination import combined, disagreements
from aune.tasks.coref.comparing import compare, told
from aune.tasks.coref.conventions import CONVENTIONS
from aune.tasks.coref.describe import describe
from aune.tasks.coref.errors import KINDS, corrected, errors
from aune.tasks.coref.holdings import holdings, lost
from aune.tasks.coref.judgements import judgements
from aune.tasks.coref.model import check, documents, empty
from aune.tasks.coref.passage import passage
from aune.tasks.coref.projections import by_chain, by_mention
from aune.tasks.coref.realignment import realigned
from aune.tasks.coref.universe import UNIVERSE
from aune.tasks.coref.view import confusion, view

TASK = Task(
    compare,
    documents,
    empty,
    annotation=("mention", lambda document: len(document) or document.listed),
    aliases=("coreference",),
    libraries=("scipy.optimize", "scipy.sparse.csgraph"),
    measures=("mentions", "muc", "b_cubed", "ceaf_e", "conll", "lea", "blanc"),
    conventions=CONVENTIONS,
    check=check,
    describe=describe,
    holdings=holdings,
    lost=lost,
    errors=errors,
    kinds=KINDS,
    corrected=corrected,
    view=view,
    confusion=confusion,
    judgements=judgements,
    universe=UNIVERSE,
    main="conll",
    told=told,
    realigned=realigned,
    passage=passage,
    listings={
        "chain": Listing(
            by_chain,
            {"muc": ("links_lost",), "core": ("core", "mentions_lost"), "exclusive_core": ("exclusive_core",)},
        ),
        "mention": Listing(by_mention, {"b_cubed": ("recall", "precision")}),
    },
    combined=combined,
    disagreements=disagreements,
)
