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
from tests.server.campaign.conftest import Heard, Hosted, fill_campaign, send_messages, team, token_of
from tests.server.campaign.rows import READ
from tests.server.serving import Client, invite_person, serving

CODE = re.compile(rb"<code>[\w-]+:[\w-]+:[\w-]+</code>")  # of one's own team, with the time
ADDRESSES = [address for address in READ if not re.search("{|texts", address)]  # downloads are logged


@pytest.fixture(scope="module")
def hosted_campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("hidden") / "campaign"
    create_campaign(folder, "demo", "tagging")
    with serving(folder, "--accounts") as served:
        yield fill_campaign(served, folder)


def hear_answer(client: Client, address: str) -> Heard:
    answer = Heard.of(client.get(f"/{address}"))
    return answer._replace(body=CODE.sub(b"", answer.body))


def everything(hosted: Hosted, *arguments: str) -> dict[tuple[str, str], Heard]:
    """What those hear who are not the team that acts, at every address: a visitor, an annotator and another team, which
    has addresses of its own.
    """
    viewers = {"visitor": hosted.visitor, "annotator": hosted.annotator, "team": hosted.two}
    result = {(who, address): hear_answer(viewer, address) for who, viewer in viewers.items() for address in ADDRESSES}
    return {**result, **{("team", address): hear_answer(hosted.two, address) for address in arguments}}


def unheard(hosted: Hosted, *acts: Callable[[], object], own_part: tuple[str, ...] = ()) -> None:
    """That some acts make no difference to anybody else."""
    before = everything(hosted, *own_part)
    for act in acts:
        act()
    after = everything(hosted, *own_part)
    assert [f"{who}: {address}" for (who, address), answer in before.items() if after[who, address] != answer] == []


def run_of(hosted: Hosted, dataset: str, wrong: bytes) -> bytes:
    return (hosted.folder / f"keys/{dataset}.tsv").read_bytes().replace(b"NOUN", wrong, 1)


def post_form(client: Client, path: str, **fields: str) -> None:
    assert client.form(path, **fields).status == 302, path


def test_what_a_team_does_is_heard_by_nobody_else(hosted_campaign: Hosted) -> None:
    first, second, organiser = hosted_campaign.one, hosted_campaign.two, hosted_campaign.organiser
    new: list[Client] = []
    unheard(
        hosted_campaign,
        lambda: new.append(team(hosted_campaign.served, organiser, "Nina", "Canary Birds")),
        lambda: invite_person(organiser, "participant"),
        lambda: token_of(first),
        lambda: post_form(first, "/campaign/notices/address", email="canary@example.org"),
    )
    hosted_campaign.phase("training")
    hosted_campaign.phase("dry run")
    hosted_campaign.submit(second, "try", run_of(hosted_campaign, "try", b"ADJ"))
    unheard(
        hosted_campaign,
        lambda: hosted_campaign.submit(first, "try", run_of(hosted_campaign, "try", b"VERB")),
        lambda: post_form(first, "/campaign/team/consent", consent="anonymous"),
    )
    hosted_campaign.phase("dry adjudication")
    hosted_campaign.board(second, "try")
    claim = {"dataset": "try", "document": "try", "claim": "reference", "place": "1", "value": "PROPN"}
    unheard(
        hosted_campaign,
        lambda: post_form(first, "/campaign/claim", **claim, argument="a canary"),
        lambda: post_form(
            organiser, "/campaign/manage/rename", team="Canary Labs", name="The Laboratory of the Canaries"
        ),
    )
    assert len(hosted_campaign.campaign.state.disputes) == 1
    assert "why the campaign goes on all the same" in organiser.get("/campaign/manage").text
    assert organiser.form("/campaign/manage/phase", phase="test").status == 422, "a dispute waits"
    hosted_campaign.phase("test", reason="it comes again with the test")
    assert "it comes again with the test" in second.get("/campaign/changes").text
    own_part = hosted_campaign.submit(second, "final", run_of(hosted_campaign, "final", b"ADJ"))
    unheard(
        hosted_campaign,
        lambda: hosted_campaign.submit(first, "final", (hosted_campaign.folder / "keys/final.tsv").read_bytes()),
        lambda: post_form(new[0], "/campaign/team/withdraw", reason="canary"),
        own_part=(f"campaign/submission/{own_part}", f"api/campaign/submission/{own_part}"),
    )
    assert sum(bool(item.withdrawn) for item in hosted_campaign.campaign.state.teams.values()) == 1
    a_run_of_the_test_tells_its_team_nothing_by_its_size(hosted_campaign)
    refusals_are_alike(hosted_campaign)
    a_taken_name_is_not_told(hosted_campaign)


def a_run_of_the_test_tells_its_team_nothing_by_its_size(hosted: Hosted) -> None:
    """A good run and a bad one of the same length have receipts of the same length, as pages and as data."""
    sizes = set()
    key = (hosted.folder / "keys/final.tsv").read_bytes()
    for number, data in enumerate((key, key.replace(b"NOUN", b"VERB"))):
        name = f"s{number}"
        submission = hosted.submit(hosted.two, "final", data, name=f"{name}.tsv", run=name)
        place = str(hosted.campaign.state.submissions[submission].position)
        page, message = (hosted.two.get(f"{where}/campaign/submission/{submission}") for where in ("", "/api"))
        sizes.add((len(page.body) - len(place), len(message.body) - len(place), message.json["state"]))
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
    assert send_messages(client, "/campaign/submit/none", "run.tsv", b"x", run="x").status == 404
