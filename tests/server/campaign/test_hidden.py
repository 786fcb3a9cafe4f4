"""What a hidden act changes in no answer: neither by a word nor by its size.

Every address that a viewer may see is asked before and after something that the viewer may not know of: another team
registers, sends, agrees, disputes, is renamed, or is scored better. What comes back is the same, byte for byte, but for
the token of its forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from aune.campaign.scaffold import create_campaign
from tests.server.campaign.conftest import Heard, Hosted, peopled, sent, team, token_of
from tests.server.campaign.rows import READ
from tests.server.serving import Client, invited, serving

CODE = re.compile(rb"<code>[\w-]+:[\w-]+:[\w-]+</code>")  # of one's own team, with the time
ADDRESSES = [address for address in READ if not re.search("{|texts", address)]  # downloads are logged


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("hidden") / "campaign"
    create_campaign(folder, "demo", "tagging")
    with serving(folder, "--accounts") as served:
        yield peopled(served, folder)


def heard(client: Client, address: str) -> Heard:
    answer = Heard.of(client.get(f"/{address}"))
    return answer._replace(body=CODE.sub(b"", answer.body))


def everything(hosted: Hosted, *own: str) -> dict[tuple[str, str], Heard]:
    """What those hear who are not the team that acts, at every address: a visitor, an annotator and another team, which
    has addresses of its own.
    """
    viewers = {"visitor": hosted.visitor, "annotator": hosted.annotator, "team": hosted.two}
    found = {(who, address): heard(one, address) for who, one in viewers.items() for address in ADDRESSES}
    return {**found, **{("team", address): heard(hosted.two, address) for address in own}}


def unheard(hosted: Hosted, *acts: Callable[[], object], own: tuple[str, ...] = ()) -> None:
    """That some acts make no difference to anybody else."""
    before = everything(hosted, *own)
    for act in acts:
        act()
    after = everything(hosted, *own)
    assert [f"{who}: {address}" for (who, address), answer in before.items() if after[who, address] != answer] == []


def run_of(hosted: Hosted, dataset: str, wrong: bytes) -> bytes:
    return (hosted.folder / f"keys/{dataset}.tsv").read_bytes().replace(b"NOUN", wrong, 1)


def done(client: Client, path: str, **fields: str) -> None:
    assert client.form(path, **fields).status == 302, path


def test_what_a_team_does_is_heard_by_nobody_else(hosted: Hosted) -> None:
    one, two, organiser = hosted.one, hosted.two, hosted.organiser
    new: list[Client] = []
    unheard(
        hosted,
        lambda: new.append(team(hosted.served, organiser, "Nina", "Canary Birds")),
        lambda: invited(organiser, "participant"),
        lambda: token_of(one),
        lambda: done(one, "/campaign/notices/address", email="canary@example.org"),
    )
    hosted.phase("training")
    hosted.phase("dry run")
    hosted.submit(two, "try", run_of(hosted, "try", b"ADJ"))
    unheard(
        hosted,
        lambda: hosted.submit(one, "try", run_of(hosted, "try", b"VERB")),
        lambda: done(one, "/campaign/team/consent", consent="anonymous"),
    )
    hosted.phase("dry adjudication")
    hosted.board(two, "try")
    claim = {"dataset": "try", "document": "try", "claim": "reference", "place": "1", "value": "PROPN"}
    unheard(
        hosted,
        lambda: done(one, "/campaign/claim", **claim, argument="a canary"),
        lambda: done(organiser, "/campaign/manage/rename", team="Canary Labs", name="The Laboratory of the Canaries"),
    )
    assert len(hosted.campaign.state.disputes) == 1
    assert "why the campaign goes on all the same" in organiser.get("/campaign/manage").text
    assert organiser.form("/campaign/manage/phase", phase="test").status == 422, "a dispute waits"
    hosted.phase("test", reason="it comes again with the test")
    assert "it comes again with the test" in two.get("/campaign/changes").text
    own = hosted.submit(two, "final", run_of(hosted, "final", b"ADJ"))
    unheard(
        hosted,
        lambda: hosted.submit(one, "final", (hosted.folder / "keys/final.tsv").read_bytes()),
        lambda: done(new[0], "/campaign/team/withdraw", reason="canary"),
        own=(f"campaign/submission/{own}", f"api/campaign/submission/{own}"),
    )
    assert sum(bool(one.withdrawn) for one in hosted.campaign.state.teams.values()) == 1
    a_run_of_the_test_tells_its_team_nothing_by_its_size(hosted)
    refusals_are_alike(hosted)
    a_taken_name_is_not_told(hosted)


def a_run_of_the_test_tells_its_team_nothing_by_its_size(hosted: Hosted) -> None:
    """A good run and a bad one of the same length have receipts of the same length, as pages and as data."""
    sizes = set()
    key = (hosted.folder / "keys/final.tsv").read_bytes()
    for number, data in enumerate((key, key.replace(b"NOUN", b"VERB"))):
        name = f"s{number}"
        submission = hosted.submit(hosted.two, "final", data, name=f"{name}.tsv", run=name)
        place = str(hosted.campaign.state.submissions[submission].position)
        page, told = (hosted.two.get(f"{where}/campaign/submission/{submission}") for where in ("", "/api"))
        sizes.add((len(page.body) - len(place), len(told.body) - len(place), told.json["state"]))
    assert len(sizes) == 1 and next(iter(sizes))[2] == "scored"


def refusals_are_alike(hosted: Hosted) -> None:
    """What is hidden and what never was have the same answer, for every kind."""
    pairs = [("results/final", "results/none"), ("key/final", "key/none"), ("texts/none", "texts/never"),
             ("participants", "drawn/none"), ("archive", "drawn/none"), ("changes", "drawn/none"),
             ("manage", "drawn/none"), ("keys", "drawn/none"), ("submissions", "drawn/none")]  # fmt: skip
    for hidden, missing in pairs:
        for client in (hosted.visitor, hosted.annotator):
            first, second = (client.get(f"/campaign/{address}") for address in (hidden, missing))
            assert first.status == second.status == 404
            assert len(first.body) == len(second.body), (hidden, missing)
            assert set(first.headers) == set(second.headers)


def a_taken_name_is_not_told(hosted: Hosted) -> None:
    client = team(hosted.served, hosted.organiser, "Nora", "The Laboratory of the Canaries")
    assert sent(client, "/campaign/submit/none", "run.tsv", b"x", run="x").status == 404
