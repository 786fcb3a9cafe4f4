"""Remote files are read when an address is typed, and only then; http from a server on this machine."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from aune import InputError, evaluate
from aune.core import streams
from tests.core.test_streams import corpus, everything, written

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")


class Handler(SimpleHTTPRequestHandler):
    """Files of a folder, with ranges of bytes."""

    def log_message(self, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        path = Path(self.translate_path(self.path))
        if not asked or not path.is_file():
            super().do_GET()
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        data = path.read_bytes()
        part = data[int(first) : int(last or len(data) - 1) + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(tmp_path))) as served:
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


def test_http(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech")
    paths = written(tmp_path, "key", key), written(tmp_path, "a", response)
    expected = everything(evaluate("speech", paths[0], {"A": paths[1]}, measures=["wer"]))
    monkeypatch.setattr(streams, "PIECE", 600)
    found = everything(evaluate("speech", f"{server}/key.jsonl", {"A": f"{server}/a.jsonl"}, measures=["wer"]))
    assert found["rows"] == expected["rows"]
    assert [one["sha256"] for one in found["envelope"]["inputs"]] == [
        one["sha256"] for one in expected["envelope"]["inputs"]
    ]
    with pytest.raises(InputError, match="check the address"):
        evaluate("speech", f"{server}/nothing.jsonl", {"A": f"{server}/a.jsonl"})


def test_nothing_is_imported_unasked(tmp_path: Path) -> None:
    paths = written(tmp_path, "key", corpus("speech")[0]), written(tmp_path, "a", corpus("speech")[1])
    code = (
        "import sys, aune\n"
        "aune.evaluate('speech', sys.argv[1], {'A': sys.argv[2]})\n"
        "aune.accumulate('speech').add(['a'], ['b']).result()\n"
        "print(sorted({'dask', 'distributed', 'fsspec', 'pyarrow', 'aiohttp'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
