"""Starting and stopping: the address printed, one line for what is wrong, nothing lost when killed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aune.server.site import Site, secret
from tests.foreign import Planted
from tests.server.serving import ROOT, Client, enter_server, event, free_port, layers_of, serving

TEXT = b"<DOC><DOCNO>kept</DOCNO><TEXT>Ann met Ben.</TEXT></DOC>\n"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself."""
    command = [sys.executable, "-m", "aune", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)


def test_stopped_and_started_again(tmp_path: Path) -> None:
    """Ctrl-C is no error; the next start has everything, and opens a file that it knows once."""
    file = tmp_path / "kept.sgm"
    file.write_bytes(TEXT)
    with serving(tmp_path / "site", file) as served:
        me = enter_server(served)
        (layer,) = layers_of(me, "kept").values()
        change = {"base": 0, "events": [event(["chains", "c1", {"name": "Ann"}])]}
        assert me.post(f"/api/layer/{layer}/events", change).status == 200
        assert served.stopped() == 0
        assert served.process.stderr is not None
        assert "everything that was saved is kept" in served.process.stderr.read()
    with serving(tmp_path / "site", file) as served:
        me = enter_server(served)
        assert layers_of(me, "kept") == {"kept.sgm": layer}
        assert me.get(f"/api/layer/{layer}/").json["state"]["chains"]["c1"]["name"] == "Ann"


def test_no_file_of_the_working_folder_is_run(tmp_path: Path) -> None:
    """Neither by the server nor by its worker, which are processes of their own."""
    planted = Planted(tmp_path)
    with serving(tmp_path / "site", folder=tmp_path) as served:
        enter_server(served)
    assert planted.ran() == []


def test_the_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    """An empty one, which an older server left when it was killed, is made anew."""
    path = tmp_path / "secret"
    path.touch()
    first = secret(Site(folder=str(tmp_path)))
    assert len(first) >= 64 and path.stat().st_mode & 0o777 == 0o600
    assert secret(Site(folder=str(tmp_path))) == first


def test_a_folder_is_opened(tmp_path: Path, samples: Path) -> None:
    """With the folders in it; what is no annotation and no text is left out."""
    inner = tmp_path / "texts" / "inner"
    inner.mkdir(parents=True)
    for name in ("brat-lee.ann", "brat-lee.txt", "sacr-aesop.sacr"):
        shutil.copy(samples / "coref" / "formats" / "samples" / name, inner)
    (inner.parent / "plain.txt").write_text("Ann met Ben.\n")
    (inner.parent / "LICENSE").write_text("Do as you like.\n")
    with serving(tmp_path / "site", tmp_path / "texts") as served:
        page = enter_server(served).get("/").text
    assert "inner/brat-lee.ann" in page and "brat-lee.txt" not in page
    assert "sacr-aesop.sacr" in page and "plain.txt" in page and "LICENSE" not in page


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["--port", "0"], "expected a number from 1 to 65535", 2),
        (["--listen", "0.0.0.0"], "add --accounts", 2),
        (["--public", "https://a.example"], "needs --accounts", 2),
        (["--database", "mysql://u:secret@h/d"], "expected postgresql://", 2),
        (["--database", "postgresql://u:secret@127.0.0.1:1/d"], "does not answer", 2),
        (["nowhere.sgm"], "No such file", 2),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, arguments: list[str], message: str, code: int) -> None:
    port = [] if "--port" in arguments else ["--port", str(free_port())]
    ended = run("serve", *arguments, *port, "--no-browser", "--site", tmp_path / "site")
    assert ended.returncode == code
    assert message in ended.stderr
    assert "secret" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = run("serve", "--port", str(port), "--no-browser", "--site", tmp_path / "site")
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        f"aune: 127.0.0.1:{port}: cannot be served (Address already in use): name another port with --port"
    ]
    assert not (tmp_path / "site").exists()


def test_a_bad_file_ends_it(tmp_path: Path) -> None:
    bad = tmp_path / "bad.conll"
    bad.write_text("#begin document (a); part 000\na 0 0 Ann x - - - - - * (1\n#end document\n")
    ended = run("serve", bad, "--port", str(free_port()), "--no-browser", "--site", tmp_path / "site")
    assert ended.returncode == 3
    assert "bad.conll:2" in ended.stderr


def test_killed_while_people_save(tmp_path: Path) -> None:
    """With −9, several times: every event that was acknowledged is there. The full size is `make soak`."""
    file = tmp_path / "kept.sgm"
    file.write_bytes(TEXT)
    acknowledged: list[str] = []
    for _ in range(2):
        with serving(tmp_path / "site", file) as served:
            me = enter_server(served)
            (layer,) = layers_of(me, "kept").values()
            api = f"/api/layer/{layer}/"
            killer = threading.Timer(0.7, served.killed)
            killer.start()
            _save_until_it_ends(me, api, acknowledged)
            killer.join()
    with serving(tmp_path / "site", file) as served:
        me = enter_server(served)
        layer_now = me.get(api).json
        remaining = [item["id"] for item in me.get(api + "history").json["events"]]
    assert acknowledged
    assert [identity for identity in remaining if identity in set(acknowledged)] == acknowledged
    assert len(layer_now["state"]["chains"]) == len(remaining)


def _save_until_it_ends(me: Client, api: str, acknowledged: list[str]) -> None:
    try:
        version = me.get(api).json["layer"]["version"]
        while True:
            item = event(["chains", f"c{version}-{len(acknowledged)}", {"name": "x"}])
            answer = me.post(api + "events", {"base": version, "events": [item]})
            assert answer.status == 200, answer.text
            version = answer.json["version"]
            acknowledged.append(item["id"])
    except OSError:
        pass


def test_django_is_for_serve_alone() -> None:
    """Other commands start without it."""
    code = "import sys; from aune.cli import run; run(['list', 'tasks']); sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


DAMAGED = """
import json
from django.db import DatabaseError
from django.test import RequestFactory
from aune.server import policy
answers = []
for path in ("/", "/api/layer/x/"):
    try:
        raise DatabaseError("database disk image is malformed")
    except DatabaseError:
        answer = policy.server_error(RequestFactory().get(path))
    answers.append([answer.status_code, answer.content.decode()])
print(json.dumps(answers))
"""


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    """A start is refused, a running server answers that nothing is saved, and both name the way to restore a backup."""
    with serving(tmp_path / "site") as served:
        for status, words in served.run_inside(DAMAGED):
            assert status == 500
            assert "aune site restore" in words
        served.stopped()
    database = tmp_path / "site" / "aune.sqlite"
    for log in ("-wal", "-shm"):
        database.with_name(database.name + log).unlink(missing_ok=True)
    database.write_bytes(b"damaged" * 20_000)
    done = run("serve", "--no-browser", "--port", str(free_port()), "--site", tmp_path / "site")
    assert done.returncode == 3, done.stderr
    assert "aune.sqlite" in done.stderr
    assert "aune site restore BACKUP FOLDER" in done.stderr
