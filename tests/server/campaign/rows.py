"""The visibility matrix: which of five viewers gets an answer from which address, by which method, in which phase.

Every address of every room has a row for each of its methods; a name in braces is that of a thing in the campaign that
`world` makes. Who is in no row is refused: 404 where one has come in, at the door otherwise.
"""

from __future__ import annotations

from aune.campaign.campaign import takes_teams
from aune.campaign.protocol.phases import PHASES, has_reached

VISITOR, OTHER, OWN, ANNOTATOR, ORGANISER = "visitor", "other team", "own team", "annotator", "organiser"
VIEWERS = (VISITOR, OTHER, OWN, ANNOTATOR, ORGANISER)
TEAMS = (OTHER, OWN)
KNOWN = (*TEAMS, ANNOTATOR, ORGANISER)
WORKERS = (ANNOTATOR, ORGANISER)

Cells = dict[str, frozenset[str]]
"""Who, by phase."""


def always(*who: str) -> Cells:
    return dict.fromkeys(PHASES, frozenset(who))


def from_on(**first: str) -> Cells:
    """Who from which phase on; a blank is written _."""
    begins = {who.replace("_", " "): phase for who, phase in first.items()}
    return {phase: frozenset(who for who, begun in begins.items() if has_reached(phase, begun)) for phase in PHASES}


def teams_from(phase: str) -> dict[str, str]:
    return {"own_team": phase, "other_team": phase}


DECIDED = from_on(organiser="call", **teams_from("dry adjudication"), visitor="publication", annotator="publication")
TESTED = from_on(organiser="test", **teams_from("test adjudication"), visitor="publication", annotator="publication")
LISTED = from_on(organiser="call", **teams_from("publication"), visitor="publication", annotator="publication")
NOBODY = always()
REGISTERING = {phase: frozenset([VISITOR] if takes_teams(phase) else []) for phase in PHASES}

READ: dict[str, Cells] = {
    # Of those who run the server.
    "health": always(*VIEWERS),
    "metrics": always(ORGANISER),
    # The doors.
    "enter": NOBODY,  # for servers without accounts
    "sign-in": always(*VIEWERS),
    "invitation/{invitation}": always(*VIEWERS),
    # Accounts.
    "account": always(*KNOWN),
    "people": always(ORGANISER),
    "people/{organiser}/data": always(ORGANISER),
    # The campaign, for everybody.
    "campaign/": always(*VIEWERS),
    "campaign/protocol": always(*VIEWERS),
    "campaign/licence": always(*VIEWERS),
    "campaign/files/guide": always(*VIEWERS),
    "campaign/files/audio": from_on(organiser="call", annotator="training", **teams_from("training")),
    "campaign/apply": REGISTERING,
    "campaign/public": always(ORGANISER),
    "campaign/participants": LISTED,
    "campaign/participants?format=csv": LISTED,
    "campaign/changes": DECIDED,
    "campaign/results/try": from_on(organiser="dry run", **teams_from("dry adjudication")),
    "campaign/results/try?format=csv": from_on(organiser="dry run", **teams_from("dry adjudication")),
    "campaign/results/final": TESTED,
    "campaign/results/final?format=csv": TESTED,
    "campaign/results/final?format=latex": TESTED,
    "campaign/results/final?format=json": TESTED,
    "campaign/results/final-open": from_on(**dict.fromkeys([who.replace(" ", "_") for who in VIEWERS], "open")),
    "campaign/results/final-open?format=json": from_on(
        **dict.fromkeys([who.replace(" ", "_") for who in VIEWERS], "open")
    ),
    "campaign/archive": from_on(**dict.fromkeys([who.replace(" ", "_") for who in VIEWERS], "archive")),
    "api/campaign/": always(*VIEWERS),
    # Of teams.
    "campaign/team": always(*TEAMS),
    "campaign/texts/train": from_on(organiser="training", **teams_from("training")),
    "campaign/texts/try": from_on(organiser="dry run", **teams_from("dry run"), annotator="dry run"),
    "campaign/texts/final": from_on(organiser="test", **teams_from("test"), annotator="test"),
    "campaign/texts/final-open": from_on(organiser="open", **teams_from("open"), annotator="open"),
    "campaign/submission/{opened}": from_on(own_team="open", organiser="open"),
    "api/campaign/submission/{opened}": from_on(own_team="open", organiser="open"),
    "campaign/submission/{tried}": from_on(own_team="dry run", organiser="dry run"),
    "campaign/submission/{tested}": from_on(own_team="test", organiser="test"),
    "api/campaign/submission/{tried}": from_on(own_team="dry run", organiser="dry run"),
    "api/campaign/submission/{tested}": from_on(own_team="test", organiser="test"),
    "campaign/report/{tried}": from_on(own_team="dry adjudication", organiser="dry run", other_team="archive"),
    "campaign/report/{tested}": from_on(
        own_team="test adjudication", organiser="test", other_team="archive", visitor="archive", annotator="archive"
    ),
    "campaign/report/{opened}": from_on(**dict.fromkeys([who.replace(" ", "_") for who in VIEWERS], "open")),
    "campaign/notices": always(*KNOWN),
    "campaign/notices/confirm/{confirmation}": always(OWN),
    # Of keys and disputes.
    "campaign/key/try": from_on(organiser="dry run", annotator="dry run", **teams_from("dry adjudication")),
    "campaign/key/final": from_on(organiser="test", annotator="test adjudication", **teams_from("test adjudication")),
    "campaign/disputes?effects=1": always(*TEAMS, ORGANISER),
    "campaign/drawn/{drawing}": from_on(own_team="test adjudication"),
    "campaign/doubts/try": from_on(organiser="dry run"),
    "campaign/rescored/try": from_on(organiser="dry run"),
    "campaign/keys": always(ORGANISER),
    "campaign/keys/final?layer={key}": always(ORGANISER),
    # Of those who annotate and lead.
    "campaign/annotate": always(*WORKERS),
    "campaign/manage": always(ORGANISER),
    "campaign/submissions": always(ORGANISER),
    # The workbench.
    "": always(*KNOWN),
    "next": always(*WORKERS),
    "project/{project}/": always(ORGANISER),
    "project/{project}/agreement": always(ORGANISER),
    "project/{project}/export": always(ORGANISER),
    "project/{project}/discussion": always(*WORKERS),
    "project/{project}/guidelines": always(*WORKERS),
    "project/{project}/schema": always(ORGANISER),
    "project/{project}/search?q=herlabel&in=labels": always(*WORKERS),  # in the layers that each sees
    "api/projects": always(*WORKERS),
    "api/project/{project}/": always(ORGANISER),
    "text/{text}/": always(*WORKERS),
    "text/{text}/statistics": always(*WORKERS),
    "text/{text}/agreement": always(*WORKERS),
    "text/{text}/compare?key={layer}&response={layer}": always(ANNOTATOR),
    "layer/{layer}/": always(ANNOTATOR),
    "layer/{layer}/export": always(ANNOTATOR),
    "layer/{layer}/passages": always(ANNOTATOR),
    "resolve/{layer}/": always(ANNOTATOR),
    "compare/{layer}/{layer}/": always(ANNOTATOR),
    "api/layer/{layer}/": always(ANNOTATOR),
    "api/layer/{layer}/broken": always(ANNOTATOR),
    "api/layer/{layer}/comments": always(ANNOTATOR),
    "api/layer/{layer}/predictions": always(ANNOTATOR),
    "api/layer/{layer}/edits": always(ANNOTATOR),
    "api/layer/{layer}/history": always(ANNOTATOR),
    "api/layer/{layer}/inverse/1": always(ANNOTATOR),
    "api/layer/{layer}/suggestions/m0": always(ANNOTATOR),
    "api/layer/{layer}/scores?against={layer}": always(ANNOTATOR),
    "api/layer/{layer}/compare/{layer}": always(ANNOTATOR),
    "api/layer/{layer}/steps": always(ANNOTATOR),
    "api/layer/{layer}/losses": always(ANNOTATOR),
    "adjudicate/{key}/": always(ORGANISER),
    "api/layer/{key}/adjudication": always(ORGANISER),
    "api/layer/{key}/adjudication/questions": always(ORGANISER),
    "api/layer/{key}/adjudication/decisions": always(ORGANISER),
    "api/layer/{key}/key": always(ORGANISER),
    "layer/{drawing}/": from_on(own_team="test adjudication"),
    "api/layer/{drawing}/": from_on(own_team="test adjudication"),
    "statistics/": always(*KNOWN),  # of the texts that one sees, which may be none
    "doubts/": always(*WORKERS),  # a list that one has oneself
    "skeleton/": always(*KNOWN),  # chains that one types oneself
    "api/skeleton": always(*KNOWN),
}

WRITTEN: dict[str, Cells] = {
    "another": NOBODY,  # for servers without accounts
    "sign-in": always(*VIEWERS),
    "sign-out": always(*KNOWN),
    "invitation/{invitation}": always(*VIEWERS),
    "account/passphrase": always(*KNOWN),
    "account/tokens": always(*KNOWN),
    "account/tokens/{token}/delete": always(OWN),
    "people/invite": always(ORGANISER),
    "people/{organiser}/close": always(ORGANISER),
    "people/{organiser}/forget": always(ORGANISER),
    "people/invitations/{revocable}/revoke": always(ORGANISER),
    "campaign/register": NOBODY,  # they all have a team, or can have none
    "campaign/join": NOBODY,
    "campaign/team/leave": always(*TEAMS),
    "campaign/submit/final": always(*TEAMS),
    "api/campaign/submit/final": always(*TEAMS),
    "campaign/submit/final-open": always(*TEAMS),
    "campaign/submission/{opened}/describe": from_on(own_team="open"),
    "campaign/submission/{opened}/withdraw": from_on(own_team="open"),
    "campaign/submission/{tested}/describe": from_on(own_team="test"),
    "campaign/submission/{tested}/disqualify": from_on(organiser="test"),
    "campaign/apply": always(VISITOR),
    "campaign/public/message": always(ORGANISER),
    "campaign/notices/address": always(*KNOWN),
    "campaign/notices/confirm/{confirmation}": always(OWN),
    "campaign/notices/send": always(ORGANISER),
    "campaign/claim": always(*TEAMS, ORGANISER),
    "campaign/disputes/{dispute}/decide": always(ORGANISER),
    "campaign/draw/final": from_on(organiser="test", **teams_from("test adjudication")),
    "campaign/drawn/{drawing}/claim": from_on(own_team="test adjudication"),
    "campaign/keys/final/take": always(ORGANISER),
    "campaign/rekey/final": always(ORGANISER),
    "campaign/doubts/final": from_on(organiser="test"),
    "campaign/annotate/assign": always(ORGANISER),
    "campaign/manage/phase": always(ORGANISER),
    "files": always(ORGANISER),
    "source/{source}/forget": always(ORGANISER),
    "projects": always(ORGANISER),
    "project/{project}/settings": always(ORGANISER),
    "project/{project}/assign": always(ORGANISER),
    "project/{project}/due": always(ORGANISER),
    "project/{project}/reassign": always(ORGANISER),
    "project/{project}/invite": always(ORGANISER),
    "project/{project}/adjudicate": always(ORGANISER),
    "project/{project}/predictions": always(ORGANISER),
    "api/project/{project}/schema": always(ORGANISER),
    "api/text/{text}/segmentation": always(*WORKERS),
    "text/{other_text}/layers": always(*WORKERS),
    "text/{text}/import": always(*WORKERS),
    "text/{text}/adjudicate": always(ORGANISER),
    "layer/{layer}/done": always(ANNOTATOR),
    "layer/{layer}/delete": always(ANNOTATOR),
    "layer/{layer}/passage": NOBODY,  # for organisers, who do not see it before it is done
    "resolve/{layer}/run": always(ANNOTATOR),
    "api/layer/{layer}/events": always(ANNOTATOR),
    "api/layer/{layer}/comments": always(ANNOTATOR),
    "api/comment/{comment}/resolved": always(*WORKERS),
    "api/layer/{layer}/copy": always(ANNOTATOR),
    "api/layer/{layer}/done": always(ANNOTATOR),
    "api/layer/{key}/adjudication": always(ORGANISER),
    "api/skeleton": always(*KNOWN),
    "skeleton/export": always(*KNOWN),
    "doubts/key": always(*WORKERS),
}

FIELDS: dict[str, dict[str, str]] = {
    "campaign/notices/address": {"email": "no address"},
    "campaign/keys/final/take": {"layer": "{key}"},
    "skeleton/export": {"side": "neither"},
    "text/{other_text}/layers": {"start": "{mine}"},
}
"""What is posted, where nothing would do too much or too little: what is refused as wrong, after who asks is known."""

TOLD: dict[str, tuple[str, ...]] = {
    "files": (*TEAMS, ANNOTATOR),
    "text/{text}/adjudicate": (ANNOTATOR,),
    "layer/{layer}/passage": (ANNOTATOR,),
}
"""Who sees a thing and is told that something is not theirs to do with it, by 403."""

JSON = ("api/project/", "api/text/", "api/layer", "api/skeleton", "api/comment")
"""Addresses that take JSON, and refuse the form that is posted."""

ANSWERS: dict[str, set[int]] = {
    "GET": {200},
    "POST": {302, 422},
    "GET ": {200, 302},  # teams go on to the campaign
    "GET next": {302},
    "GET campaign/keys/final?layer={key}": {422},  # one of its layers was taken up again
    "GET text/{text}/agreement": {422},  # likewise
    "GET text/{text}/compare?key={layer}&response={layer}": {302},
    "GET api/layer/{layer}/steps": {422},  # entities have no chains
    "GET api/layer/{layer}/losses": {422},
    "GET api/layer/{key}/key": {422},
    "POST account/tokens": {200},
    **{f"POST {address}": {400} for address in WRITTEN if address.startswith(JSON)},
}
"""What is an answer: by method, and where it is another, by method and address."""

ROWS = [("GET", address, cells) for address, cells in READ.items()]
ROWS += [("POST", address, cells) for address, cells in WRITTEN.items()]
