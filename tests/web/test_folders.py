"""Folders are dropped on a page or chosen there: every file of every sub-folder becomes a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.server.serving import Client, Served
from tests.web.benches import visit_page

FILES = {
    "novel/one/01.txt": "Ann met Ben in the first folder.\n",
    "novel/two/01.txt": "Ann met Ben in the second folder.\n",
    "novel/two/deep/a.ann": "T1\tPER 0 3\tAnn\n",
    "novel/two/deep/a.txt": "Ann left.\n",
    "novel/.git/config": "[core]\n",
    "novel/.DS_Store": "\0\1",
}
OPENED = ["novel/one/01.txt", "novel/two/01.txt", "two/deep/a.ann"]
DROP = """() => {
    const event = new DragEvent("drop", { bubbles: true, cancelable: true });
    const file = (entry) => ({ isFile: true, isDirectory: false, ...entry });
    const tree = (path, names) => {
        const inside = [...new Set(names.map((name) => name.split("/")[0]))].map((name) => {
            const within = names.filter((other) => other.startsWith(`${name}/`));
            const below = within.map((other) => other.slice(name.length + 1));
            const place = `${path}/${name}`;
            if (below.length) return tree(place, below);
            const bytes = new File([window.dropped[place.slice(1)]], name);
            return file({ fullPath: place, file: (done) => done(bytes) });
        });
        let read = 0; // a reader gives its entries in parts
        return {
            isFile: false, isDirectory: true, fullPath: path,
            createReader: () => ({ readEntries: (done) => done(inside.slice(read, read += 1)) }),
        };
    };
    const entry = tree("/novel", Object.keys(window.dropped).map((name) => name.slice("novel/".length)));
    Object.defineProperty(event, "dataTransfer", { value: { items: [{ webkitGetAsEntry: () => entry }], files: [] } });
    document.body.dispatchEvent(event);
}"""


def opened_files(me: Client, home: str) -> list[str]:
    return sorted(text["file"] for text in me.get(f"/api{home}").json["texts"])


def test_a_folder_is_dropped_with_its_folders(browser: Any, workbench_site: Served, me: Client) -> None:
    me.get("/")
    home = me.form("/projects", name="Dropped").headers["Location"]
    with visit_page(browser, workbench_site, me, home, ready="main") as bench:
        bench.page.evaluate("files => { window.dropped = files; }", FILES)
        with bench.page.expect_event("load"):
            bench.page.evaluate(DROP)
        bench.page.wait_for_selector(".matrix")
        assert bench.count(".matrix tbody tr") == 3
        names = bench.page.locator(".matrix tbody th").all_inner_texts()
        assert [" ".join(name.split()) for name in names] == ["01 novel/one", "01 novel/two", "a"]
        bench.clean()
    assert opened_files(me, home) == OPENED


def test_a_folder_is_chosen(browser: Any, workbench_site: Served, me: Client, tmp_path: Path) -> None:
    for name, content in FILES.items():
        file = tmp_path / name.replace("novel", "tale")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    me.get("/")
    home = me.form("/projects", name="Chosen").headers["Location"]
    with visit_page(browser, workbench_site, me, home, ready="main") as bench:
        with bench.page.expect_file_chooser() as chooser:
            bench.page.get_by_role("button", name="Choose a folder").click()
        chooser.value.set_files(tmp_path / "tale")
        bench.page.get_by_role("button", name="Open", exact=True).click()
        bench.page.wait_for_selector(".matrix")
        bench.clean()
    assert opened_files(me, home) == [name.replace("novel", "tale") for name in OPENED]


def test_files_of_the_same_name_are_all_opened(me: Client) -> None:
    me.get("/")
    home = me.form("/projects", name="Twice").headers["Location"]
    files = [("same.txt", b"Ann met Ben.\n"), ("same.txt", b"Ben met Ann.\n")]
    assert me.upload(*files, project=home.split("/")[2]).status == 302
    assert opened_files(me, home) == ["same-2.txt", "same.txt"]
