"""What a hidden act changes in no answer: neither by a word nor by its size.

Every address that a viewer may see is asked before and after something that the viewer may not know of: another team
registers, sends, agrees, disputes, or is scored better. What comes back is the same, byte for byte, but for the token
of its forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from aune.campaign.jobs import work
from aune.campaign.starting import founded
from tests.server.campaign.conftest import Hosted, peopled, sent, team
from tests.server.campaign.test_visibility import SEEN
from tests.server.serving import Answer, Client, serving

TOKEN = re.compile(rb'(name="csrfmiddlewaretoken" value|name="csrf" content)="\w+"')
CODE = re.compile(rb"<code>[\w-]+:[\w-]+:[\w-]+</code>")  # of one's own team, with the time
CHANGING = {"Date", "Set-Cookie", "Expires"}


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("hidden") / "campaign"
    founded(folder, "demo", "tagging")
    with serving(folder, "--accounts") as served:
        yield peopled(served, folder)


def heard(answer: Answer) -> tuple[int, dict[str, str], bytes]:
    """An answer without what is new in every answer, which always has the same length."""
    kept = {name: value for name, value in answer.headers.items() if name not in CHANGING}
    return answer.status, kept, CODE.sub(b"", TOKEN.sub(rb'\1=""', answer.body))


def everything(hosted: Hosted) -> dict[tuple[str, str], tuple[int, dict[str, str], bytes]]:
    """What those hear who are not the team that acts: a visitor, an annotator and another team, at every address."""
    viewers: dict[str, Client] = {"visitor": hosted.visitor, "annotator": hosted.annotator, "team": hosted.two}
    addresses = [address for address in SEEN if not re.search("TRY|FINAL|texts", address)]  # downloads are logged
    return {(who, address): heard(one.get(f"/{address}")) for who, one in viewers.items() for address in addresses}


def unheard(hosted: Hosted, act: Callable[[], object]) -> None:
    """That an act makes no difference to anybody else."""
    everything(hosted)  # whatever is made when it is asked for first
    before = everything(hosted)
    act()
    after = everything(hosted)
    differing = [f"{who}: {address}" for (who, address), answer in before.items() if after[who, address] != answer]
    assert differing == []


def run_of(hosted: Hosted, dataset: str, wrong: bytes) -> bytes:
    return (hosted.folder / f"keys/{dataset}.tsv").read_bytes().replace(b"NOUN", wrong, 1)


def test_what_a_team_does_is_heard_by_nobody_else(hosted: Hosted) -> None:
    new: list[Client] = []
    unheard(hosted, lambda: new.append(team(hosted.served, hosted.organiser, "Nina", "Canary Birds")))
    hosted.phase("training")
    hosted.phase("dry run")
    unheard(hosted, lambda: hosted.submit(hosted.one, "try", run_of(hosted, "try", b"VERB")))
    hosted.one.get("/campaign/team")
    unheard(hosted, lambda: hosted.one.form("/campaign/team/consent", consent="anonymous"))
    hosted.phase("dry adjudication")
    hosted.board(hosted.two, "try")
    claim = {"dataset": "try", "document": "try", "claim": "reference", "place": "1", "value": "PROPN"}
    unheard(hosted, lambda: hosted.one.form("/campaign/claim", **claim, argument="a canary"))
    assert len(hosted.campaign.state.disputes) == 1
    assert "why the campaign goes on all the same" in hosted.organiser.get("/campaign/manage").text
    assert hosted.organiser.form("/campaign/manage/phase", phase="test").status == 422, "a dispute waits"
    hosted.phase("test", reason="it comes again with the test")
    assert "it comes again with the test" in hosted.two.get("/campaign/changes").text
    unheard(hosted, lambda: hosted.submit(hosted.one, "final", run_of(hosted, "final", b"VERB")))
    unheard(hosted, lambda: new[0].form("/campaign/team/withdraw", reason="canary"))
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
        work(hosted.campaign)
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
    client = team(hosted.served, hosted.organiser, "Nora", "Canary Labs")
    assert sent(client, "/campaign/submit/none", "run.tsv", b"x", run="x").status == 404
