"""New mentions right beside marked ones, and ends that are moved on purpose: with the mouse, and with a finger."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.retyping import Pointer
from tests.server.serving import Client, Served
from tests.web.benches import Bench, layer_of, upload_file, visit_page

FRENCH = "C'est lui qu'elle m'a dit."
CHINESE = "我们在北京看见了他。"
ARABIC = "رأى(بن)آن."


def place_items(bench: Bench) -> list[list[int]]:
    """The mentions that the server has, in the order of the text."""
    bench.saved()
    answer = bench.page.evaluate("fetch(document.querySelector('main').dataset.api).then((one) => one.json())")
    return sorted(part for mention in answer["state"]["mentions"].values() for part in mention["parts"])


def tokens(pointer: Pointer) -> list[list[int]]:
    return [list(item) for item in zip(pointer.tokens[::2], pointer.tokens[1::2], strict=True)]


@pytest.mark.parametrize(
    ("script", "text"),
    [("french", FRENCH), ("chinese", CHINESE), ("arabic", ARABIC)],
    ids=["french", "chinese", "arabic"],
)
def test_every_word_beside_a_marked_one(
    browser: Any, workbench_site: Served, me: Client, script: str, text: str
) -> None:
    """From its first pixel to its last, and back, while its neighbour is the mention one is at."""
    upload_file(me, f"beside-{script}.txt", f"{text}\n".encode())
    for way in ("forwards", "backwards"):
        with visit_page(browser, workbench_site, me, layer_of(me, f"beside-{script}", way)) as bench:
            pointer = Pointer(bench.page)
            words = tokens(pointer)
            for word in range(len(words)) if way == "forwards" else reversed(range(len(words))):
                pointer.select(word, word + 1, way == "backwards")
                bench.page.get_by_role("button", name="mark only").click()
                bench.drawn()
            assert place_items(bench) == words
            bench.keep(f"beside-{script}")
            bench.clean()


def test_the_last_line_of_the_window(browser: Any, workbench_site: Served, me: Client) -> None:
    """What is dragged there is selected, and the page stays where it is."""
    upload_file(me, "window.txt", b"Ann met Ben.\n" * 60)
    with visit_page(browser, workbench_site, me, layer_of(me, "window", "mine")) as bench:
        pointer = Pointer(bench.page)
        rows = bench.page.locator(".sheet .text")
        place = bench.page.evaluate(
            "[...document.querySelectorAll('.sheet .text')]"
            ".findLastIndex((row) => row.getBoundingClientRect().bottom < innerHeight)"
        )
        box = rows.nth(place).bounding_box()
        pointer.drag((box["x"] + 1, box["y"] + 20), (box["x"] + 60, box["y"] + 20))
        bench.page.wait_for_selector(".popover:not([hidden])")
        assert bench.page.evaluate("scrollY") == 0
        assert bench.selected() in ("Ann met", "Ann")
        bench.clean()


def test_what_is_not_seen_is_not_selected(browser: Any, workbench_site: Served, me: Client) -> None:
    """A click beside the words leaves the selection, on the page and for the keys; a new extent waits for its words."""
    upload_file(me, "beside-words.txt", b"Ann met Ben.\n")
    with visit_page(browser, workbench_site, me, layer_of(me, "beside-words", "mine")) as bench:
        pointer = Pointer(bench.page)
        blank = pointer.ends(3, 4)[1]
        pointer.select(0, 1)
        bench.page.mouse.click(blank[0] + 200, blank[1])
        bench.becomes(".popover:not([hidden])", 0)
        bench.press("n")
        assert bench.marks() == []
        pointer.select(0, 1)
        bench.page.get_by_role("button", name="new chain", exact=True).first.click()
        bench.page.get_by_role("button", name="add a part").click()
        bench.page.mouse.click(blank[0] + 200, blank[1])
        pointer.select(2, 3)
        bench.page.locator(".popover").get_by_role("button", name="add as a part of it").click()
        bench.becomes(".sheet .m.parted", 2)
        bench.clean()


def test_an_end_is_moved_on_purpose(browser: Any, workbench_site: Served, me: Client) -> None:
    """Over a neighbour that is marked and back; the grips lie under the letters."""
    upload_file(me, "grips.txt", f"{CHINESE}\n{FRENCH}\n".encode())
    with visit_page(browser, workbench_site, me, layer_of(me, "grips", "mine")) as bench:
        pointer = Pointer(bench.page)
        words = tokens(pointer)
        for word in (1, 2):
            pointer.select(word, word + 1)
            bench.page.get_by_role("button", name="mark only").click()
            bench.drawn()
        pull(bench, pointer, 0, pointer.ends(0, 1)[0])
        assert place_items(bench) == [[words[0][0], words[2][1]], words[1]]
        pull(bench, pointer, 0, pointer.ends(2, 3)[0])
        pull(bench, pointer, 1, pointer.ends(4, 5)[1])
        assert place_items(bench) == [words[1], [words[2][0], words[4][1]]]
        bench.keep("grips")
        bench.clean()


def pull(bench: Bench, pointer: Pointer, end: int, to: tuple[float, float]) -> None:
    """Drag a grip as far as its end of the mention has to go."""
    pointer.drag(*way(bench, end, to))
    bench.drawn()


def way(bench: Bench, end: int, to: tuple[float, float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """From the middle of a grip to where it holds its end at a place."""
    box = bench.page.locator(".grip").nth(end).bounding_box()
    half, y = box["width"] / 2, box["y"] + box["height"] / 2
    return (box["x"] + half, y), (to[0] + (half if end else -half), y)


def test_with_a_finger(browser: Any, workbench_site: Served, me: Client) -> None:
    """A tap selects a word right beside a marked one; the grips make it longer.

    Buttons are clicked: where the machine is slow, a tap on one lasts so long that the browser takes it for a press.
    """
    upload_file(me, "finger.txt", f"{FRENCH}\n{CHINESE}\n".encode())
    with visit_page(browser, workbench_site, me, layer_of(me, "finger", "mine"), width=390, touch=True) as bench:
        pointer = Pointer(bench.page)
        words = tokens(pointer)
        for marked, word in enumerate((3, 4, 2)):  # qu' elle lui
            tap(bench, pointer, word)
            bench.page.locator(".popover").get_by_role("button", name="mark only").click()
            bench.becomes(".sheet .m", marked + 1)
        assert place_items(bench) == words[2:5]
        tap(bench, pointer, 6)
        swipe(bench, 1, pointer.ends(7, 8)[1])
        bench.becomes(".quoted:has-text('a dit')", 1)
        bench.keep("finger")
        bench.page.locator(".popover").get_by_role("button", name="new chain").click()
        bench.becomes(".sheet .m.current", 1)
        assert place_items(bench) == [*words[2:5], [words[6][0], words[7][1]]]
        swipe(bench, 0, pointer.ends(5, 6)[0])
        bench.becomes('.m.current:text-is("m\'a dit")', 1)
        assert place_items(bench) == [*words[2:5], [words[5][0], words[7][1]]]
        tap(bench, pointer, 7)  # the mention is the one we are at: a word inside it
        bench.page.locator(".popover").get_by_role("button", name="mark only").click()
        bench.becomes(".sheet .m .m.current", 1)
        assert words[7] in place_items(bench)
        bench.clean()


def tap(bench: Bench, pointer: Pointer, word: int) -> None:
    (left, top), (right, _) = pointer.ends(word, word + 1)
    bench.page.touchscreen.tap((left + right) / 2, top)
    bench.page.wait_for_selector(".popover:not([hidden])")


def swipe(bench: Bench, end: int, to: tuple[float, float]) -> None:
    """Pull a grip with the finger, once the page has dealt with the tap before (`touched` in mouse.js)."""
    bench.page.wait_for_timeout(500)
    bench.drawn()
    (x, y), (place, _) = way(bench, end, to)
    session = bench.page.context.new_cdp_session(bench.page)
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": (x + place) / 2, "y": y}]),
        ("touchMove", [{"x": place, "y": y}]),
        ("touchEnd", []),
    ):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.detach()
