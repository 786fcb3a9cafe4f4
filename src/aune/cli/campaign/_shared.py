"""What the commands of `aune campaign` share: the application, their headings, and their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import App, Group, Parameter

from aune.cli._inputs import Workers
from aune.cli._output import put_text, warn

if TYPE_CHECKING:
    from aune.campaign.campaign import Campaign
    from aune.campaign.protocol.visibility import Viewer

HEADINGS = ("Prepare", "Take part", "Score and discuss", "Publish and keep")
PREPARE, TAKE_PART, SCORE, PUBLISH = (Group(name, sort_key=place) for place, name in enumerate(HEADINGS))
app = App(
    name="campaign",
    help="Run an evaluation campaign from a folder: call, dry run, test, adjudication, publication, archive.",
    help_format="plaintext",
    group_commands="Commands of campaigns",
)


def _open_campaign(kind: Any, tokens: Sequence[Any]) -> Campaign:
    from aune.campaign.scaffold import open_campaign

    return open_campaign(Path(tokens[0].value), lambda note: warn([note]))


if TYPE_CHECKING:
    OpenCampaign: TypeAlias = Campaign
else:
    OpenCampaign = Annotated[
        Any,
        Parameter(
            name="folder",
            converter=_open_campaign,
            n_tokens=1,
            help="The folder of the campaign.",
            allow_leading_hyphen=False,
        ),
    ]
Data: TypeAlias = Annotated[str, Parameter(help="The data: a name in campaign.toml.")]
TeamName: TypeAlias = Annotated[str, Parameter(help="The team: its name, or its id.")]
ViewerName: TypeAlias = Annotated[
    str, Parameter(name=["--as"], help="Who looks: visitor, annotator, organiser, or the name of a team.")
]
EngineName: TypeAlias = Annotated[
    str, Parameter(help="Where large corpora are counted: processes, dask or dask=ADDRESS. Numbers are the same.")
]
Processes: TypeAlias = Annotated[Workers, Parameter(help="How many processes count.")]
Correspondence: TypeAlias = Annotated[
    Path | None, Parameter(help="The correspondence table of a tagger that does not use the pivot's tags.")
]


def viewer_of(campaign: Campaign, name: str) -> Viewer:
    """Who looks: a role, or the name of a team."""
    from aune.campaign.protocol.visibility import ANNOTATOR, ORGANISER, PARTICIPANT, VISITOR, Viewer

    if name in (ORGANISER, ANNOTATOR, VISITOR):
        return Viewer(name)
    return Viewer(PARTICIPANT, campaign.team(name).id)


def put_rows(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    from aune.reports.tabular import one_line
    from aune.reports.text import align_columns

    cells = [tuple(header), *(tuple(one_line(str(cell)) for cell in row) for row in rows)]
    put_text("\n".join(align_columns(cells)) + "\n", None)


def format_number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
