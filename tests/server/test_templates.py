"""Pages of a team, and what the pages of texts do, in a real browser; all looks of these are in tests/web."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browsing  # type: ignore[import-not-found] # as tests/conftest.py loads it
import pytest

from tests.server.serving import Client, Served, layers_of, serving, text_of
from tests.server.workbench.test_analysis_api import TEXT

if TYPE_CHECKING:
    from tests.server.conftest import Team

LOOKS = [(390, "dark"), (1400, "light")]


@contextmanager
def visit(browser: Any, client: Client, width: int, scheme: str) -> Iterator[Any]:
    """A window of somebody who is in already."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.add_cookies([{"name": item.name, "value": item.value, "url": client.address} for item in client.jar])
    page = context.new_page()
    shown = browsing.Visit(page)
    page.on("console", lambda message: shown.complaints.append(message.text))
    page.on("pageerror", lambda error: shown.complaints.append(str(error)))
    page.on("request", lambda request: shown.requests.append(request.url))
    yield shown
    context.close()


def clean(shown: Any, address: str) -> None:
    assert shown.violations() == [], address
    assert shown.complaints == [], address
    assert [
        request for request in shown.requests if not request.startswith((shown.page.url.split("/", 3)[0], "data:"))
    ] == []
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{address} is too wide"


@pytest.fixture(scope="module")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Client]]:
    with serving(tmp_path_factory.mktemp("pages") / "site") as served:
        client = served.stranger()
        client.get(served.printed)
        client.get("/")
        client.upload(("page.sgm", TEXT % b"page" + TEXT % b"another"))
        yield served, client


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_pages_of_a_team(browser: Any, team: Team, width: int, scheme: str) -> None:
    with visit(browser, team.organiser, width, scheme) as shown:
        for address in ("/people", "/account", "/sign-in"):
            shown.page.goto(team.served.address + address)
            clean(shown, address)


def test_files_are_dropped_and_refused(browser: Any, own_site: tuple[Served, Client], tmp_path: Path) -> None:
    """A good file opens its text; a bad one is told on the page, which stays."""
    served, client = own_site
    (tmp_path / "bad.conll").write_text("nonsense\n\n")
    (tmp_path / "dropped.sgm").write_bytes(TEXT % b"dropped")
    with visit(browser, client, 1400, "light") as shown:
        page = shown.page
        page.goto(served.address)
        page.set_input_files("input[type=file]", tmp_path / "bad.conll")
        page.click("button:text-is('Open')")
        page.wait_for_selector("#refusal .warning")
        assert "bad.conll" in page.inner_text("#refusal")
        assert [complaint for complaint in shown.complaints if "422" not in complaint] == []
        page.evaluate(
            """text => {
                const data = new DataTransfer();
                data.items.add(new File([text], "dropped.sgm"));
                document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
            }""",
            (tmp_path / "dropped.sgm").read_text(),
        )
        page.wait_for_url(re.compile("/text/"))
        assert page.inner_text("h1") == "dropped"


def test_losses_follow_the_format(browser: Any, own_site: tuple[Served, Client]) -> None:
    served, client = own_site
    key = layers_of(client, "page")["page.sgm"]
    with visit(browser, client, 1400, "light") as shown:
        shown.page.goto(f"{served.address}/layer/{key}/export?losses=1")
        assert "Nothing is lost." in shown.page.inner_text("#losses")
        shown.page.select_option("select[name=format]", "brat")  # which holds one text
        shown.page.wait_for_selector("#losses .warning")
        shown.page.select_option("select[name=of]", "this")
        shown.page.wait_for_selector("#losses a:has-text('.txt')")
        shown.page.select_option("select[name=format]", "partition")
        shown.page.wait_for_selector("#losses li")
        with shown.page.expect_download() as waiting:
            shown.page.click("#losses a.main")
        assert waiting.value.suggested_filename.startswith("page.")
        assert [complaint for complaint in shown.complaints if "422" not in complaint] == []


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1400, "light"), (1400, "dark")])
def test_a_pasted_text_is_exported_from_its_page(
    browser: Any, own_site: tuple[Served, Client], width: int, scheme: str
) -> None:
    """From the link of the text to a file: every format is offered, and what one loses is shown before."""
    served, client = own_site
    name = f"pasted-{width}-{scheme}"
    client.upload((f"{name}.txt", f"我们在GitHub上见面。Ann left 👩‍👩‍👧‍👦 {name}.\n".encode()))
    with visit(browser, client, width, scheme) as shown:
        page = shown.page
        page.goto(served.address + text_of(client, name))
        page.click("a:text-is('Export')")
        assert "Nothing is lost." in page.inner_text("#losses")
        clean(shown, "export")
        offered = page.eval_on_selector_all("select[name=format] option", "nodes => nodes.map((node) => node.value)")
        assert "text" not in offered and {"jsonlines", "muc", "sacr", "corefud"} <= set(offered)
        page.select_option("select[name=format]", "muc")
        page.wait_for_selector("#losses li:has-text('blanks and line ends of the text')")
        with page.expect_download() as waiting:
            page.click("#losses a.main")
        assert waiting.value.suggested_filename == f"{name}.sgm"


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1400, "light"), (1400, "dark")])
def test_the_convention_of_agreement_is_named_and_changed(
    browser: Any, own_site: tuple[Served, Client], width: int, scheme: str
) -> None:
    served, client = own_site
    layers = layers_of(client, "another")
    if "bare" not in layers:
        client.form(f"{text_of(client, 'another')}layers", name="bare", start=layers["page.sgm"], keep="mentions")
    with visit(browser, client, width, scheme) as shown:
        page = shown.page
        page.goto(served.address + text_of(client, "another"))
        page.click("button:text-is('Show agreement')")
        page.wait_for_selector("#agreement strong:text-is('partition')")
        page.select_option("select[name=convention]", "conll")
        page.click("button:text-is('Show agreement')")
        page.wait_for_selector("#agreement strong:text-is('conll')")
        page.click("#agreement summary")
        assert "coref." in page.inner_text("#agreement code >> nth=0")
        clean(shown, "agreement")
