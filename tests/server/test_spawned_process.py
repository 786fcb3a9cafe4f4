"""Work in a spawned process: answers, a limit of time, and a new process after one that ended."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from aune.errors import InputError, UsageError
from aune.sandbox import Limits
from aune.server import fork_server
from aune.server.fork_server import Outcome, run_work
from aune.server.spawned_process import SpawnedProcess
from aune.server.workbench.sandbox_tasks import WORK, ReadRequest

SLEEP, END, FAIL = b"__import__('time').sleep(60)", b"__import__('os')._exit(1)", b"1 / 0"


@pytest.fixture
def process() -> Iterator[SpawnedProcess]:
    """A process that answers a Python expression with its value; `eval` can be imported in any process."""
    process = SpawnedProcess(eval)
    yield process
    process.stop()


def test_one_process_answers_until_it_ends(process: SpawnedProcess) -> None:
    assert process.request(b"b'first'", 60) == b"first"
    number = process._process.pid
    assert process.request(b"b'x' * 3_000_000", 60) == b"x" * 3_000_000 and process._process.pid == number
    assert process.request(END, 60) is None
    assert process.request(b"b'again'", 60) == b"again" and process._process.pid != number
    assert process.request(FAIL, 60) is None


def test_a_process_that_takes_too_long_is_replaced(process: SpawnedProcess) -> None:
    with pytest.raises(TimeoutError):
        process.request(SLEEP, 0.3)
    wanted = iter([True, False])
    assert process.request(SLEEP, 60, lambda: next(wanted)) is None
    assert process.request(b"b'again'", 60) == b"again"


def run_spawned(monkeypatch: pytest.MonkeyPatch, process: Any, name: str, content: bytes) -> bytes:
    spawned = fork_server._SpawnedSandbox(process, Limits(seconds=60), None)
    monkeypatch.setattr(fork_server, "_spawned", spawned)
    request = ReadRequest(name="text.sgm", task="coref", format="muc")
    with run_work(WORK, name, request, [io.BytesIO(content)]) as output:
        return output.read()


def test_the_sandbox_where_nothing_can_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same output and the same refusals as in this process."""
    text = b"<DOC><DOCNO>a</DOCNO><TEXT><P>Ann met Ben.</P></TEXT></DOC>\n"
    process = SpawnedProcess(partial(fork_server._answer_task, partial(dict, WORK)))
    try:
        output = run_spawned(monkeypatch, process, "read", text)
        with pytest.raises(InputError, match=r"text\.sgm:1:"):
            run_spawned(monkeypatch, process, "read", text.replace(b"<TEXT>", b'<TEXT><COREF ID="1">'))
    finally:
        process.stop()
    monkeypatch.setattr(fork_server, "_spawned", None)
    request = ReadRequest(name="text.sgm", task="coref", format="muc")
    with run_work(WORK, "read", request, [io.BytesIO(text)]) as usual:
        assert usual.read() == output


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (None, "the process that reads this ended"),
        (Outcome(is_too_much=True), "more memory to read than there is"),
        (Outcome(refusal="choose another format"), "choose another format"),
        (TimeoutError(), "more than 60 seconds to read: send it in parts"),
    ],
    ids=["ended", "memory", "refused", "time"],
)
def test_what_becomes_of_a_task_is_reported(
    outcome: Outcome | TimeoutError | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def request(task: bytes, seconds: float) -> bytes | None:
        if isinstance(outcome, TimeoutError):
            raise outcome
        return msgspec.msgpack.encode((outcome, b"")) if outcome else None

    with pytest.raises(UsageError, match=message):
        run_spawned(monkeypatch, SimpleNamespace(request=request), "read", b"")
