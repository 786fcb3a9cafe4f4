"""The public page, its form and the organiser's, in a real browser, on a phone and on a screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.publication.public_face import attach_file, set_description, set_doi
from aune.campaign.scaffold import create_campaign
from tests.server.campaign.conftest import Hosted, fill_campaign
from tests.server.campaign.test_browser import Person
from tests.server.serving import serving

DESCRIPTION = """# Tags for everybody

A task of *tagging*, with two data sets and [a page elsewhere](https://example.org).

| data | words |
|---|---|
| training | 12 |

1. Ask to take part.
2. Get the texts.
"""


@pytest.fixture(scope="module")
def hosted_campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("looks") / "campaign"
    campaign = create_campaign(folder, "demo", "tagging")
    protocol = folder / "campaign.toml"
    text = protocol.read_text("utf-8").replace('registration = "invitation"', 'registration = "approval"')
    text += '\n[[metadata]]\nname = "resources"\ntitle = "Training data and other resources"\n'
    protocol.write_text(text.replace("# contact", "contact"), "utf-8")
    set_description(campaign, DESCRIPTION)
    attach_file(campaign, "guide", "guidelines.pdf", [b"%PDF"], title="The guidelines")
    set_doi(campaign, "10.5281/zenodo.1234567")
    with serving(folder, "--accounts") as served:
        yield fill_campaign(served, folder)


def test_from_the_public_page_to_a_primary_run(browser: Any, hosted_campaign: Hosted, tmp_path: Path) -> None:
    """Somebody asks to take part, is invited, and sends two runs, of which the first is made primary."""
    visitor, organiser = (
        Person(browser, hosted_campaign.served.address, client) for client in (None, hosted_campaign.organiser)
    )
    visitor.go("/campaign/")
    assert visitor.sees("Tags for everybody") and visitor.sees("organisers@example.org")
    visitor.looks_right("public")
    visitor.click("Ask to take part")
    for field, value in (("team", "Les Bleus"), ("country", "FR"), ("email", "ann@example.org")):
        visitor.page.fill(f"input[name={field}]", value)
    visitor.looks_right("apply")
    visitor.press("Ask")
    assert visitor.sees("Thank you")
    organiser.go("/campaign/public")
    organiser.looks_right("manage-public")
    organiser.press("Invite")
    link = re.search(r"http\S+/invitation/[\w-]+", organiser.page.content())
    assert link
    visitor.take(link[0], "Annabel")
    visitor.page.fill("input[name=name]", "Les Bleus")
    visitor.press("Register")
    visitor.press("We accept the licence")
    for phase in ("training", "dry run"):
        hosted_campaign.phase(phase)
    key = tmp_path / "run.tsv"
    key.write_bytes((hosted_campaign.folder / "keys/try.tsv").read_bytes())
    for run in ("first", "second"):
        visitor.click("Your team")
        visitor.page.fill("input[name=run]", run)
        visitor.page.fill("textarea[name=meta-resources]", f"the resources of {run}")
        visitor.page.locator("input[name=file]").set_input_files(key)
        visitor.press("Submit")
        visitor.waits_for(": valid")
    visitor.click("Your team")
    visitor.looks_right("team-with-metadata")
    visitor.page.locator("tr", has_text="first").get_by_role("link").click()
    visitor.waits_for("About this run")
    visitor.press("Make it our primary run")
    visitor.waits_for("as the primary run of its team")
    visitor.looks_right("run")
    organiser.go("/campaign/submissions")
    organiser.page.locator("tr", has_text="second").get_by_role("link").click()
    organiser.page.get_by_text("Disqualify this run").click()
    organiser.page.fill("input[name=reason]", "trained on the test")
    organiser.press("Disqualify it")
    organiser.waits_for("The organiser disqualified this run: trained on the test")
    organiser.looks_right("disqualified")
    for person in (visitor, organiser):
        person.is_clean()
