"""Who may see what, and when: one table, and one function that all other code calls.

A column is a phase, and a row is a thing. A cell says who may see it from that phase on; the organiser always may:

    v  everyone           p  every participant team          t  the team that owns the thing
    a  annotators         .  only the organiser

The protocol (`[public]` in campaign.toml) can only publish things later than this table, never earlier.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from aune.campaign.protocol.phases import PHASES, has_reached

ORGANISER, ANNOTATOR, PARTICIPANT, VISITOR = "organiser", "annotator", "participant", "visitor"
ROLES = (ORGANISER, ANNOTATOR, PARTICIPANT, VISITOR)

VISIBILITY_TABLE = """
thing                    call  training  dry-run  dry-adjudication  test  test-adjudication  publication  archive  open
protocol                 v     v         v        v                 v     v                  v            v        v
heads of the ledger      v     v         v        v                 v     v                  v            v        v
commitments              v     v         v        v                 v     v                  v            v        v
licence                  v     v         v        v                 v     v                  v            v        v
description              v     v         v        v                 v     v                  v            v        v
public files             v     v         v        v                 v     v                  v            v        v
team files               pa    pa        pa       pa                pa    pa                 pa           pa       pa
training texts           .     p         p        p                 p     p                  p            p        p
dry run texts            .     .         pa       pa                pa    pa                 pa           pa       pa
test texts               .     .         .        .                 pa    pa                 pa           pa       pa
open texts               .     .         .        .                 .     .                  .            .        pa
training key             a     pa        pa       pa                pa    pa                 pa           pa       pa
dry run key              a     a         a        pa                pa    pa                 pa           v        v
test key                 .     .         .        .                 .     pa                 pa           v        v
open key                 .     .         .        .                 .     .                  .            .        v
receipts                 t     t         t        t                 t     t                  t            t        t
validity                 t     t         t        t                 t     t                  t            t        t
dry run scores           .     .         t        p                 p     p                  p            p        p
test scores              .     .         .        .                 .     p                  v            v        v
open scores              .     .         .        .                 .     .                  .            .        v
agreement                a     a         a        pa                pa    pa                 v            v        v
own disputes             .     .         .        t                 .     t                  t            t        t
decisions                .     .         .        p                 p     p                  v            v        v
participants             .     .         .        .                 .     .                  v            v        v
names                    .     .         .        .                 .     .                  .            v        v
runs                     t     t         t        t                 t     t                  t            v        v
archive                  .     .         .        .                 .     .                  .            v        v
teams                    .     .         .        .                 .     .                  .            .        .
downloads                .     .         .        .                 .     .                  .            .        .
impact                   .     .         .        .                 .     .                  .            .        .
"""

HELD_BACK = ("test scores", "names", "participants", "test key", "dry run key", "agreement", "decisions", "runs")
"""The things that the protocol may withhold from the public until a later phase."""
NEVER = "never"
"""Used instead of a phase: the thing is never published, as the key of a licensed corpus; who saw it still sees it."""
NEVER_PUBLIC = ("test key", "dry run key", "runs")
"""The things that may never be published: without them results can still be published, but not recomputed."""


def _table_cells() -> Mapping[str, tuple[str, ...]]:
    lines = [line.split() for line in VISIBILITY_TABLE.strip().split("\n")[1:]]
    width = len(PHASES)
    return MappingProxyType({" ".join(line[:-width]): tuple(line[-width:]) for line in lines})


CELLS = _table_cells()
THINGS = tuple(CELLS)


class Viewer(NamedTuple):
    """The person who looks: a role, and the team of a participant."""

    role: str
    team: str = ""


EVERYBODY = Viewer(VISITOR)
THE_ORGANISER = Viewer(ORGANISER)


def may_see(
    viewer: Viewer, thing: str, phase: str, owner: str = "", public: Mapping[str, str] = MappingProxyType({})
) -> bool:
    """Whether a viewer may see a thing in a phase; `owner` is its team, `public` says what the protocol withholds.

    >>> may_see(Viewer("participant", "t1"), "validity", "test", owner="t1")
    True
    >>> may_see(Viewer("participant", "t1"), "validity", "test", owner="t2")
    False
    >>> may_see(EVERYBODY, "test scores", "publication", public={"test scores": "archive"})
    False
    """
    if viewer.role == ORGANISER:
        return True
    cell = _cell(thing, phase, public)
    if "v" in cell:
        return True
    if viewer.role == ANNOTATOR:
        return "a" in cell
    is_owner = bool(owner) and owner == viewer.team
    return viewer.role == PARTICIPANT and ("p" in cell or (is_owner and "t" in cell))


def _cell(thing: str, phase: str, public: Mapping[str, str]) -> str:
    """Who may see a thing; what is withheld from the public stays visible to those who saw it before."""
    until_now = CELLS[thing][: PHASES.index(phase) + 1]
    if thing in public and (public[thing] == NEVER or not has_reached(phase, public[thing])):
        return next((cell for cell in reversed(until_now) if "v" not in cell), "")
    return until_now[-1]
