"""Remote files are read when an address is typed, and only then; http from a server on this machine."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from aune import InputError, evaluate
from aune.evaluation import streaming
from aune.reading import pieces, remote
from tests.evaluation.test_streaming import corpus, everything, write_text

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")


class Handler(SimpleHTTPRequestHandler):
    """Files of a folder, with ranges of bytes."""

    def log_message(self, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        requested_range = self.headers.get("Range")
        path = Path(self.translate_path(self.path))
        if not requested_range or not path.is_file():
            super().do_GET()
            return
        first, _, last = requested_range.removeprefix("bytes=").partition("-")
        data = path.read_bytes()
        part = data[int(first) : int(last or len(data) - 1) + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with serving(Handler, tmp_path) as address:
        yield address


@contextmanager
def serving(handler: type[SimpleHTTPRequestHandler], folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as served:
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


def test_http(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech")
    paths = write_text(tmp_path, "key", key), write_text(tmp_path, "a", response)
    expected = everything(evaluate("speech", paths[0], {"A": paths[1]}, measures=["wer"]))
    monkeypatch.setattr(streaming, "PIECE", 600)
    found = everything(evaluate("speech", f"{server}/key.jsonl", {"A": f"{server}/a.jsonl"}, measures=["wer"]))
    assert found["rows"] == expected["rows"] and digests_in(found) == digests_in(expected)
    with pytest.raises(InputError, match="check the address"):
        evaluate("speech", f"{server}/nothing.jsonl", {"A": f"{server}/a.jsonl"})


class WithoutRanges(SimpleHTTPRequestHandler):
    """Files as `python -m http.server` gives them: always whole, and here without their length."""

    def log_message(self, *arguments: object) -> None:
        pass

    def send_header(self, keyword: str, value: str) -> None:
        if keyword != "Content-Length" or not self.path.startswith("/key"):
            super().send_header(keyword, value)


def test_a_server_that_gives_no_parts_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech")
    paths = write_text(tmp_path, "key", key), write_text(tmp_path, "a", response)
    expected = everything(evaluate("speech", paths[0], {"A": paths[1]}, measures=["wer"]))
    monkeypatch.setattr(streaming, "PIECE", 600)
    monkeypatch.setattr(remote, "CHUNK_SIZE", 1000)
    monkeypatch.setattr(pieces, "MOST_IN_MEMORY", 1000)
    with serving(WithoutRanges, tmp_path) as server:
        found = everything(evaluate("speech", f"{server}/key.jsonl", {"A": f"{server}/a.jsonl"}, measures=["wer"]))
        assert found["rows"] == expected["rows"] and digests_in(found) == digests_in(expected)
        with pytest.raises(InputError, match="check the address"):
            evaluate("speech", f"{server}/keys-not-there.jsonl", {"A": f"{server}/a.jsonl"})


def digests_in(result: dict[str, Any]) -> list[str]:
    return [entry["sha256"] for entry in result["envelope"]["inputs"]]


def test_nothing_is_imported_unasked(tmp_path: Path) -> None:
    paths = write_text(tmp_path, "key", corpus("speech")[0]), write_text(tmp_path, "a", corpus("speech")[1])
    code = (
        "import sys, aune\n"
        "from aune.cli import main\n"
        "paths = sys.argv[1:]\n"
        "aune.evaluate('speech', paths[0], {'A': paths[1]})\n"
        "aune.accumulate('speech').add(['a'], ['b']).result()\n"
        "for words in (['--help'], ['score', 'speech', *paths, '--ci', '--quiet'], ['score', '--help']):\n"
        "    sys.argv[1:] = words\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as ended:\n"
        "        assert not ended.code\n"
        "print(sorted({'dask', 'distributed', 'fsspec', 'pyarrow', 'aiohttp'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
