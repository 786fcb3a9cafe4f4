"""The public page, applications, invitations in bulk and messages, on a server without a mail server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from aune.campaign.scaffold import create_campaign
from aune.server.campaign.markdown_text import render_markdown
from tests.server.campaign.conftest import Hosted, fill_campaign, send_messages
from tests.server.serving import accept_invitation, serving

LONG = ".".join(["w" * 60] * 5)


@pytest.fixture(scope="module")
def hosted_campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("public") / "campaign"
    create_campaign(folder, "demo", "tagging")
    protocol = folder / "campaign.toml"
    text = protocol.read_text("utf-8").replace('registration = "invitation"', 'registration = "approval"')
    protocol.write_text(text.replace("# contact", "contact"), "utf-8")
    with serving(folder, "--accounts") as served:
        yield fill_campaign(served, folder)


def test_the_page_that_everybody_sees(hosted_campaign: Hosted) -> None:
    organiser, visitor = hosted_campaign.organiser, hosted_campaign.visitor
    organiser.get("/campaign/public")
    text = "# The task\n\n<script>x</script> [safe](https://example.org) [not](javascript:x) ![p](http://x/y.png)"
    assert organiser.form("/campaign/public/about", text=text).status == 302
    fields = {"name": "guide", "title": "Guidelines & more", "audience": "everybody", "phase": "call"}
    assert send_messages(organiser, "/campaign/public/attach", "guide.pdf", b"%PDF", {}, **fields).status == 302
    page = visitor.get("/campaign/").text
    assert "<h2>The task</h2>" in page and "organisers@example.org" in page and "Guidelines &amp; more" in page
    assert "<script>x" not in page and 'href="javascript' not in page and "<img" not in page
    file = visitor.get("/campaign/files/guide")
    assert file.body == b"%PDF" and file.headers["Content-Type"] == "application/octet-stream"
    assert 'filename="guide.pdf"' in file.headers["Content-Disposition"]
    assert organiser.form("/campaign/public/detach", name="guide").status == 302
    assert visitor.get("/campaign/files/guide").status == 404


def test_who_asks_is_invited_or_forgotten(hosted_campaign: Hosted) -> None:
    organiser, visitor = hosted_campaign.organiser, hosted_campaign.visitor
    assert "Ask to take part" in visitor.get("/campaign/").text
    visitor.get("/campaign/apply")
    for email, team in (("no address", "Les Bleus"), ("a@example.org", " ")):
        assert visitor.form("/campaign/apply", email=email, team=team).status == 422
    for team, email in (("Les Bleus", "ann@example.org"), ("Spam <b>", "spam@example.org")):
        assert "Thank you" in visitor.form("/campaign/apply", email=email, team=team, text="we\nare").text
    page = organiser.get("/campaign/public").text
    assert "Les Bleus" in page and "ann@example.org" in page and "Spam &lt;b&gt;" in page
    ids = re.findall(r'name="application" value="([\w-]+)"', page)
    assert organiser.form("/campaign/public/decline", application=ids[2]).status == 302
    link = re.search(r"http\S+/invitation/[\w-]+", organiser.form("/campaign/public/approve", application=ids[0]).text)
    assert link
    accept_invitation(hosted_campaign.served, link[0], "Annabel")
    assert "None waits" in organiser.get("/campaign/public").text, "who was answered is forgotten"
    for number in range(6):
        answer = visitor.form("/campaign/apply", email=f"more{number}@example.org", team="More")
    assert answer.status == 429


def test_many_are_invited_by_a_table(hosted_campaign: Hosted) -> None:
    organiser = hosted_campaign.organiser
    organiser.get("/campaign/public")
    wrong = organiser.form("/campaign/public/invite", people="x,participant\nann@example.org,king")
    assert wrong.status == 422 and "line 1" in wrong.text and "line 2" in wrong.text
    for people, problem in (('"ann@example.org', "line 1"), ("a@example.org\nA@example.org", "line 2"),
                            (f"ann@{LONG}.org", "letters")):  # fmt: skip
        assert problem in organiser.form("/campaign/public/invite", people=people).text
    before = organiser.get("/people").text.count("Revoke")
    table = "email,role,note\nann@example.org,participant,Les Bleus\nben@example.org,annotator,\n"
    page = organiser.form("/campaign/public/invite", people=table).text
    links = re.findall(r"http\S+/invitation/[\w-]+", page)
    assert len(links) == 2 and organiser.get("/people").text.count("Revoke") == before + 2
    assert accept_invitation(hosted_campaign.served, links[1], "Benedikt").get("/campaign/annotate").status == 200


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_of_spreadsheets_are_understood(hosted_campaign: Hosted, separator: str) -> None:
    rows = [["email", "role", "note"], ["zoe@example.org", "annotator", f"by {ord(separator)}"]]
    hosted_campaign.organiser.get("/campaign/public")
    table = "\ufeff" + "\r\n".join(map(separator.join, rows))
    page = hosted_campaign.organiser.form("/campaign/public/invite", people=table).text
    assert f"zoe@example.org,annotator,by {ord(separator)},http" in page


def test_an_address_longer_than_any_is_refused(hosted_campaign: Hosted) -> None:
    for client, page, form in ((hosted_campaign.visitor, "/campaign/apply", "/campaign/apply"),
                               (hosted_campaign.one, "/campaign/notices", "/campaign/notices/address")):  # fmt: skip
        client.get(page)
        refused = client.form(form, email=f"ann@{LONG}.org", team="Les Bleus")
        assert refused.status == 422 and "letters" in refused.text, refused.text


def test_messages_reach_teams(hosted_campaign: Hosted) -> None:
    organiser = hosted_campaign.organiser
    organiser.get("/campaign/public")
    assert organiser.form("/campaign/public/message", team="", subject="A room", text="It is B 12.").status == 302
    assert organiser.form("/campaign/public/message", team="", subject="", text="x").status == 422
    for client in (hosted_campaign.one, hosted_campaign.two):
        assert "A room" in client.get("/campaign/notices").text
    assert "A room" not in hosted_campaign.annotator.get("/campaign/notices").text


@pytest.mark.parametrize(
    "text",
    ["[x](javascript:alert(1))", "[x]( JaVaScRiPt:x)", "<https://a><img src=x>", "[x](data:text/html,y)", "[x](//evil)",
     "[x]: vbscript:y\n\n[x]", "![x](https://evil/p.png)", "<a href=javascript:x>", "[x](\\\\evil)"],
)  # fmt: skip
def test_markdown_runs_nothing(text: str) -> None:
    html = str(render_markdown(text))
    assert not re.search(r'(?:href|src)="\s*(?!https?://|mailto:|/[^/\\]|#)', html, re.IGNORECASE), html
    assert "<img" not in html and not re.search(r"<(?!/?(?:p|a|h\d|em|strong|code|ul|ol|li|br)\b)", html), html
