"""Small things that got in the way of annotators: sessions that end, full disks, scripts from right to left."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.server.serving import PASSPHRASE, Client, Served, accept_invitation, serving
from tests.web.benches import Bench, layer_of, upload_file, visit_page


def test_a_session_that_ended_elsewhere_is_renewed(browser: Any, tmp_path: Path) -> None:
    """The page stays, what waits is sent after somebody signed in again in another window."""
    with serving(tmp_path / "site", "--accounts") as served:
        olga = accept_invitation(served, served.printed, "Olga")
        upload_file(olga, "ended.txt", b"Ann met Ben.\n")
        with visit_page(browser, served, olga, layer_of(olga, "ended", "mine")) as bench:
            bench.press("ArrowRight", "n")
            bench.saved()
            elsewhere = served.stranger()
            elsewhere.get("/sign-in")
            assert elsewhere.form("/sign-in", name="Olga", passphrase=PASSPHRASE).status == 302
            elsewhere.get("/account")
            assert elsewhere.form("/sign-out").status == 302
            bench.press("f", "b", "n")
            bench.page.wait_for_selector('.status[data-state="signedout"]')
            assert "signed out: 1 unsent, kept here" in bench.text(".status")
            with bench.page.expect_popup() as opened:
                bench.page.get_by_role("link", name="sign in again").click()
            window = opened.value
            window.get_by_label("name").fill("Olga")
            window.get_by_label("passphrase").fill(PASSPHRASE)
            window.get_by_role("button", name="Sign in").click()
            window.wait_for_url("**/text/**")
            window.close()
            bench.page.get_by_role("button", name="go on").click()
            bench.saved()
            assert bench.marks() == [("Ann", "1"), ("Ben", "2")]
            assert bench.count(".notice:not([hidden])") == 0
            bench.page.reload()
            bench.page.wait_for_selector("body[data-ready]")
            assert bench.marks() == [("Ann", "1"), ("Ben", "2")]


def test_a_full_disk_is_no_network_that_is_away(browser: Any, workbench_site: Served, me: Client) -> None:
    upload_file(me, "full.txt", b"Ann met Ben; full.\n")
    with visit_page(browser, workbench_site, me, layer_of(me, "full", "mine")) as bench:
        bench.page.route("**/events", lambda route: route.fulfill(status=507, json={"problems": ["full"]}))
        bench.press("ArrowRight", "n")
        bench.page.wait_for_selector('.status[data-state="offline"]')
        assert bench.text(".status") == "no room left on the server: 1 unsent, kept here"
        bench.page.unroute("**/events")
        bench.saved()


ARABIC = "قابلت آن بن في المتحف. هي أحبت GitHub كثيرا في 2024 مرة ثانية.\n"


def test_right_to_left(browser: Any, workbench_site: Served, me: Client) -> None:
    """Arrows move as one sees it; badges and grips are beside the letters of their mention, numbers included."""
    upload_file(me, "arabic.txt", ARABIC.encode())
    with visit_page(browser, workbench_site, me, layer_of(me, "arabic", "mine")) as bench:
        bench.press("ArrowLeft", "ArrowLeft")
        assert bench.selected() == "آن"
        bench.press("Shift+ArrowLeft")
        assert bench.selected() == "آن بن"
        bench.press("Shift+ArrowRight", "n", "f", "G", "n", "f", "2", "n")
        assert bench.marks() == [("آن", "1"), ("GitHub", "2"), ("2024", "3")]
        for _ in range(3):
            letters, grips = letters_and_grips(bench)
            assert grips[0] <= letters[0] + 1, "the left grip is on the letters"
            assert grips[1] >= letters[1] - 1, "the right grip is on the letters"
            bench.press("k")
        assert badges_beside(bench) == [True, True, True]
        bench.saved()
        bench.clean()


def letters_and_grips(bench: Bench) -> tuple[list[float], list[float]]:
    """Where the letters of the mention begin and end on the page, and the outer grips."""
    letters: list[float] = bench.page.evaluate(
        """() => {
            const range = document.createRange();
            range.selectNodeContents(document.querySelector(".m.current"));
            const { left, right } = range.getBoundingClientRect();
            return [left, right];
        }"""
    )
    grips = sorted(
        (box["x"], box["x"] + box["width"])
        for grip in bench.page.locator(".grip").all()
        if (box := grip.bounding_box())
    )
    return letters, [grips[0][0], grips[1][1]]


def badges_beside(bench: Bench) -> list[bool]:
    """Whether the letters of each mention begin right of its left edge, where its badge is."""
    boxes: list[bool] = bench.page.evaluate(
        """() => [...document.querySelectorAll(".m[data-below]")].map((mark) => {
            const range = document.createRange();
            range.selectNodeContents(mark);
            return range.getBoundingClientRect().left > mark.getBoundingClientRect().left + 3;
        })"""
    )
    return boxes


def test_a_key_right_after_the_mouse(browser: Any, workbench_site: Served, me: Client) -> None:
    """The key acts on what the mouse has just selected, even where it comes before the page had time for it."""
    upload_file(me, "quick.txt", b"Ann met Ben! Quick.\n")
    with visit_page(browser, workbench_site, me, layer_of(me, "quick", "mine")) as bench:
        bench.press("ArrowRight")
        bench.page.evaluate(
            """() => {
                const sheet = document.querySelector(".sheet"), node = sheet.querySelector(".text").firstChild;
                sheet.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
                getSelection().setBaseAndExtent(node, 8, node, 11);
                sheet.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
                sheet.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
            }"""
        )
        bench.drawn()
        assert [words for words, _ in bench.marks()] == ["Ben"]
        bench.saved()


def test_a_digit_is_a_rank(browser: Any, workbench_site: Served, me: Client) -> None:
    """The menu of the mouse shows the key of each chain beside the chain's own number."""
    upload_file(me, "ranks.txt", b"Ann met Ben. Ben saw Kim.\n")
    with visit_page(browser, workbench_site, me, layer_of(me, "ranks", "mine")) as bench:
        bench.press("ArrowRight", "n", "f", "B", "n")
        bench.page.locator(".text").nth(1).dblclick(position={"x": 8, "y": 20})
        menu = bench.page.locator(".popover")
        assert re.split(r"\s+", menu.get_by_role("button").nth(1).inner_text().strip()) == ["1", "2", "Ben"]
        bench.press("1")
        assert bench.marks() == [("Ann", "1"), ("Ben", "2"), ("Ben", "2")]
        bench.saved()


def test_home_is_paged(browser: Any, workbench_site: Served, me: Client) -> None:
    files = [(f"paged-{number:03}.txt", f"Text {number}.\n".encode()) for number in range(60)]
    with visit_page(browser, workbench_site, me, "/", ready="main") as bench:
        bench.page.locator("input[type=file]").set_input_files(
            [{"name": name, "mimeType": "text/plain", "buffer": data} for name, data in files]
        )
        bench.page.evaluate("document.querySelector('.sending').dataset.before = 'yes'")
        bench.page.get_by_role("button", name="Open").click()
        bench.page.wait_for_selector(".sending:not([data-before])", state="attached")
        bench.page.get_by_role("link", name="next").click()
        bench.page.wait_for_url("**/?page=2")
        assert bench.count("tbody tr") <= 50
        bench.page.get_by_label("Find a text").fill("paged-0")
        bench.page.get_by_role("button", name="Find").click()
        bench.page.wait_for_url("**/?name=paged-0")
        bench.page.get_by_role("link", name="next").click()
        bench.page.wait_for_url("**/?name=paged-0&page=2")
        assert bench.count("tbody tr") == 10
        bench.clean()


def test_progress_of_an_upload(browser: Any, workbench_site: Served, me: Client) -> None:
    """What htmx reports of a request is shown, and hidden when it is over."""
    with visit_page(browser, workbench_site, me, "/", ready="main") as bench:
        report = "(name, detail) => document.getElementById('drop').dispatchEvent(new CustomEvent(name, { detail }))"
        bench.page.evaluate(f"({report})('htmx:xhr:progress', {{ loaded: 25, total: 100 }})")
        assert bench.text(".drop .sending").strip() == "25 % sent"
        bench.page.evaluate(f"({report})('htmx:xhr:progress', {{ loaded: 100, total: 100 }})")
        assert bench.text(".drop .sending").strip() == "sent; the server is reading…"
        bench.page.evaluate(f"({report})('htmx:afterRequest', {{}})")
        assert bench.count(".drop .sending[hidden]") == 1
