"""A project from nothing to its export, with accounts, in a real browser; with AUNE_FULL=1 ten people and 200 texts."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import pytest

from tests.browsing import Visit
from tests.server.serving import Client, Served, accept_invitation, event, serving
from tests.web.benches import Bench, visit_page

FULL = bool(os.environ.get("AUNE_FULL"))
PEOPLE, TEXTS = (10, 200) if FULL else (3, 6)
SENTENCE = "Ann met Ben in town {}. She liked him.\n"
GUIDELINES = "# What is a mention\n\nMark *every* noun phrase:\n\n| form | mark |\n|---|---|\n| a name | yes |\n"


@dataclass
class Site:
    """A server with its leader, and the annotators who joined."""

    served: Served
    leader: Client
    people: list[Client] = field(default_factory=list)


@pytest.fixture(scope="module")
def site(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("projects") / "site", "--accounts") as served:
        yield Site(served, accept_invitation(served, served.printed, "Olga"))


class Counting:
    """Interactions of a leader with pages: what is typed into one field, chosen or clicked counts one."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.page, self.count = bench, bench.page, 0

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=False).first.fill(text)
        self.count += 1

    def click(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()
        self.count += 1

    def drop(self, files: list[dict[str, Any]]) -> None:
        self.page.locator("input[type=file]").set_input_files(files)
        self.count += 1


def test_a_project_is_set_up_annotated_adjudicated_and_exported(browser: Any, site: Site) -> None:
    with visit_page(browser, site.served, site.leader, "/", ready="main") as bench:
        home = set_up(bench, site)
        discuss_passage(browser, site, home)
        annotate_all(site)
        looked_at(bench, site, home)
        adjudicate_texts(bench, home)
        check_export(site.leader, home)
        bench.clean()


def set_up(bench: Bench, site: Site) -> str:
    """The address of a new project with people, texts and assignments; in fewer than ten interactions."""
    acts, page = Counting(bench), bench.page
    acts.fill("New project", "Towns")
    acts.click("Create")
    page.wait_for_url("**/project/*/")
    home = page.url.removeprefix(site.served.address)
    acts.drop(
        [{"name": f"town-{number:03}.txt", "mimeType": "text/plain", "buffer": SENTENCE.format(number).encode()}
         for number in range(TEXTS)]
    )  # fmt: skip
    acts.click("Open")
    page.wait_for_selector(".matrix", timeout=120_000)
    acts.fill("Names, one to a line", "\n".join(f"Person {number}" for number in range(PEOPLE)))
    acts.click("Make invitations")
    links = page.locator("td code").all_inner_texts()
    for number, link in enumerate(links):
        site.people.append(accept_invitation(site.served, link, f"Person {number}"))
    page.goto(site.served.address + home)
    acts.fill("Due", (date.today() + timedelta(days=30)).isoformat())
    acts.click("Assign, balanced")
    page.wait_for_selector(f".numbers dd:text-is('0 of {2 * TEXTS}')", timeout=120_000)
    assert acts.count < 10
    assert bench.count(".matrix tbody tr") == TEXTS
    assert "waits for Person" in page.locator(".matrix tbody tr").first.inner_text()
    page.get_by_text("Name, guidelines and members").click()
    page.get_by_label("Guidelines, in Markdown").fill(GUIDELINES)
    page.get_by_role("button", name="Save").click()
    page.wait_for_load_state("load")
    return home


def annotate_all(site: Site) -> None:
    """Everybody annotates all that is next; the last one links nothing."""
    for number, client in enumerate(site.people):
        client.get("/account")
        while (address := client.get("/next").headers["Location"]) != "/":
            api = f"/api{address}"
            words = client.get(api).json["text"]["characters"]
            last = number == PEOPLE - 1
            places = [words.index("Ann"), words.index("She")]
            chains = ["c0", "c1" if last else "c0"]
            changes = [["chains", chain, {"name": ""}] for chain in dict.fromkeys(chains)]
            changes += [
                ["mentions", f"m{place}", {"parts": [[place, place + 3]], "chain": chain}]
                for place, chain in zip(places, chains, strict=True)
            ]
            assert client.post(f"{api}events", {"base": 0, "events": [event(*changes)]}).status == 200
            assert client.post(f"{api}done", {"done": True}).status == 200


def discuss_passage(browser: Any, site: Site, home: str) -> None:
    """An annotator flags a passage; the leader finds it, answers and resolves it; other annotators see nothing."""
    person, other, *_ = site.people
    address = person.get("/next").headers["Location"]
    with visit_page(browser, site.served, person, address) as bench:
        page = bench.page
        page.wait_for_load_state("networkidle")  # the comments of the text are there
        bench.press("ArrowRight", "c")
        page.keyboard.type("Is a town a mention?")
        page.get_by_label("flag").check()
        page.get_by_role("button", name="comment", exact=True).click()
        page.wait_for_selector(".comments li:has-text('Is a town')")
        page.get_by_text("Guidelines", exact=True).click()
        assert page.locator(".guidelines").get_by_role("heading", name="What is a mention").is_visible()
        assert "Discussion: 1 open" in bench.text(".discussion summary") and "⚑" in bench.text(".comments li")
        assert bench.violations() == []
        bench.clean()
    with visit_page(browser, site.served, site.leader, home, ready="main") as bench:
        bench.page.get_by_role("link", name="Discussion").click()
        assert "Person 0: Is a town a mention?" in bench.text(".hits")
        looks(bench, "discussion")
    [comment] = person.get(f"/api{address}comments").json["comments"]
    person.get("/account")
    fields = {"start": 0, "end": 3, "body": "Yes.", "answers": comment["id"]}
    assert person.post(f"/api{address}comments", fields).status == 201
    assert person.post(f"/api{address}comments", {**fields, "end": 10_000}).status == 422
    other.get("/account")
    resolve = f"/api/comment/{comment['id']}/resolved"
    assert other.post(resolve, {"resolved": True}).status == 404
    assert "Is a town" not in other.get(f"{home}discussion").text
    site.leader.get("/account")
    assert site.leader.post(resolve, {"resolved": True}).json["resolver"] == "Olga"
    shown = site.leader.get(f"{home}discussion?of=resolved").text
    assert "Yes." in shown and "Is a town" not in site.leader.get(f"{home}discussion").text


def looked_at(bench: Bench, site: Site, home: str) -> None:
    """The page of the leader and its parts, wide and narrow, light and dark; an annotator's view of it."""
    page = bench.page
    page.goto(site.served.address + home)
    assert f"{2 * TEXTS} of {2 * TEXTS}" in page.locator(".numbers").inner_text()
    page.get_by_role("button", name="Show agreement").click()
    page.wait_for_selector("#agreement table", timeout=60_000)
    assert "krippendorff" in bench.text("#agreement p") and "muc" in bench.text("#agreement table")
    for summary in page.locator("main summary").all():
        summary.click()
    looks(bench, "project")
    person = site.people[0]
    with visit_page(browser_of(bench), site.served, person, "/", ready="main") as annotator:
        assert annotator.count("h2:text-is('My texts')") == 0 and f'"{home}"' not in annotator.page.content()
        annotator.page.get_by_role("link", name="guidelines").click()
        annotator.page.get_by_role("heading", name="What is a mention").wait_for()
        looks(annotator, "guidelines")
        annotator.page.goto(f"{site.served.address}/text/{first_text(site, home)}/")
        annotator.clean()


def browser_of(bench: Bench) -> Any:
    return bench.page.context.browser


def first_text(site: Site, home: str) -> str:
    return str(site.leader.get(f"/api{home}").json["texts"][0]["id"])


def looks(bench: Visit, name: str) -> None:
    """Wide and narrow, light and dark; barriers are looked for in two of these, in all with AUNE_FULL=1."""
    for width in (1400, 390):
        bench.page.set_viewport_size({"width": width, "height": 900})
        for turn in range(2):
            scheme = bench.page.evaluate("document.documentElement.dataset.theme")
            if FULL or turn == (width == 390):
                assert bench.violations() == [], (name, width, scheme)
            bench.keep(f"{name}-{width}-{scheme}")
            bench.page.evaluate("document.getElementById('theme').click()")
        assert bench.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"
    bench.page.set_viewport_size({"width": 1400, "height": 900})


def adjudicate_texts(bench: Bench, home: str) -> None:
    """Keys of all texts at once; the first is done in the browser."""
    page = bench.page
    page.get_by_role("button", name=re.compile("Begin the key of")).click()
    page.wait_for_selector(".matrix a:text-is('adjudicating')", timeout=60_000)
    assert page.locator(".matrix a:text-is('adjudicating')").count() == TEXTS
    page.locator(".matrix a:text-is('adjudicating')").first.click()
    page.wait_for_selector("body[data-ready]")
    layer = page.url.split("/")[-2]
    page.goto(page.url.replace(f"/adjudicate/{layer}/", f"/layer/{layer}/"))
    page.wait_for_selector("body[data-ready]")
    page.get_by_role("button", name="done").click()
    page.wait_for_url("**/text/**")


def check_export(leader: Client, home: str) -> None:
    """Every annotation of everybody, and the key that is done."""
    answer = leader.get(f"{home}export?of=done&format=conll2012")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        names = archive.namelist()
        listed = json.loads(archive.read("project.json"))
        assert archive.read("guidelines.md").decode() == GUIDELINES
        assert len([name for name in names if name.startswith("annotations/")]) == 2 * TEXTS
        [key] = [name for name in names if name.startswith("keys/key/")]
        assert "Ann" in archive.read(key).decode()
    assert {entry["file"] for entry in listed["files"]} == {name for name in names if "/" in name}
    assert all("lost" in entry for entry in listed["files"])
    assert leader.get(f"{home}export?of=nothing").status == 422


def test_what_is_reassigned_goes_to_the_other(site: Site) -> None:
    """What was not begun moves, what was begun stays or is continued; members alone see a closed project."""
    leader = site.leader
    leader.get("/account")
    home = leader.form("/projects", name="Closed").headers["Location"]
    project = home.split("/")[2]
    for name in ("one", "two"):
        assert leader.upload((f"closed-{name}.txt", f"Ann met Ben, {name}.\n".encode()), project=project).status == 302
    first, second, *_ = site.people
    ids = {name: account for account, name in accounts(leader, home)}
    assert leader.form(f"{home}settings", name="Closed", everyone="no", guidelines="").status == 302
    assert "closed-one" not in first.get("/").text
    assert leader.form(f"{home}assign", each="1", annotator=ids["Person 0"]).status == 302
    assert "closed-one" in first.get("/").text and "closed-one" not in second.get("/").text
    layer = first.get("/next").headers["Location"]
    change = ["mentions", "m0", {"parts": [[0, 3]]}]
    assert first.post(f"/api{layer}events", {"base": 0, "events": [event(change)]}).status == 200
    give = {"from": ids["Person 0"], "to": ids["Person 1"]}
    assert leader.form(f"{home}reassign", **give, begun="keep").status == 302
    assert assigned_texts(leader, home) == {("closed-one", "Person 0", 1), ("closed-two", "Person 1", 0)}
    assert leader.form(f"{home}reassign", **give, begun="continue").status == 302
    assert assigned_texts(leader, home) == {("closed-one", "Person 1", 1), ("closed-two", "Person 1", 0)}
    assert first.get(layer).status == 200, "what somebody did is never taken from them"
    assert first.get("/next").headers["Location"] == "/"
    assert leader.form(f"{home}due", due="2027-02-30").status == 422
    assert leader.form(f"{home}assign", each="9", annotator=ids["Person 0"]).status == 422
    assert second.get(home).status == 404 and second.form(f"{home}due", due="").status == 404


def accounts(leader: Client, home: str) -> list[tuple[str, str]]:
    page = leader.get(home).text
    return re.findall(r'name="annotator"\s+value="([\w-]+)"[^>]*> <bdi>(Person \d+)</bdi>', page)


def assigned_texts(leader: Client, home: str) -> set[tuple[str, str, int]]:
    return {
        (text["name"], work["annotator"], work["mentions"])
        for text in leader.get(f"/api{home}").json["texts"]
        for work in text["annotations"]
    }
