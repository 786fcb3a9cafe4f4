"""Files are written whole, through what is no plain file, with their mode, and never over an input."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from aune import STDIN
from aune.errors import UsageError
from aune.files import (
    _remove_abandoned,
    check_target,
    create_once,
    file_transaction,
    fill_folder,
    parse_strict_json,
    parse_toml,
    replace_atomically,
    write_atomically,
)


def test_the_mode_is_kept_and_new_files_have_the_usual_one(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("old")
    secret.chmod(0o600)
    write_atomically(secret, b"new")
    assert secret.read_bytes() == b"new"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    fresh, usual = tmp_path / "fresh", tmp_path / "usual"
    write_atomically(fresh, b"x")
    usual.write_text("x")
    assert fresh.stat().st_mode == usual.stat().st_mode


KILLED = """
import os, pathlib, sys
from aune.files import create_once
owner, name = {"fsync": (os, "fsync"), "link": (os, "link"), "unlink": (pathlib.Path, "unlink")}[sys.argv[1]]
setattr(owner, name, lambda *_, **__: os.kill(os.getpid(), 9))
create_once(pathlib.Path(sys.argv[2]), b"whole")
"""


@pytest.mark.parametrize("step", ["fsync", "link", "unlink"])
def test_a_secret_is_whole_or_not_there_whenever_its_writer_is_killed(tmp_path: Path, step: str) -> None:
    target = tmp_path / "secret"
    assert subprocess.run([sys.executable, "-c", KILLED, step, target], check=False).returncode == -9
    first = target.read_bytes() if target.exists() else b""
    assert first == (b"whole" if step == "unlink" else b"")
    assert create_once(target, b"another") == (first or b"another") == target.read_bytes()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_of_many_who_make_a_secret_all_have_the_same(tmp_path: Path) -> None:
    heard: list[bytes] = []
    writers = [
        threading.Thread(
            target=lambda name: heard.append(create_once(tmp_path / "secret", name)), args=(b"%d" % number,)
        )
        for number in range(20)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(heard) == 20 and len(set(heard)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"through")
    reader.join(10)
    assert received == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_full_device_is_told() -> None:
    with pytest.raises(UsageError, match="/dev/full: cannot be written"):
        write_atomically(Path("/dev/full"), b"x")
    write_atomically(Path(os.devnull), b"x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_impossible_names_are_told_in_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as error:
        write_atomically(tmp_path / name, b"x")
    assert "\n" not in str(error.value)


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(UsageError, match="No space left"):
        write_atomically(tmp_path / "a", b"x")
    assert list(tmp_path.iterdir()) == []


def left_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("failure", [KeyboardInterrupt, SystemExit, MemoryError])
def test_of_several_files_all_are_written_or_none(tmp_path: Path, failure: type[BaseException]) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(failure), file_transaction() as files:
        for name in "abc":
            files.write(tmp_path / name, b"new")
        raise failure
    assert left_in(tmp_path) == {"a": "old"}
    with file_transaction() as files:
        for name in "abc":
            files.write(tmp_path / name, b"new")
    assert left_in(tmp_path) == dict.fromkeys("abc", "new")


@pytest.mark.parametrize("failing", range(3))
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_files_that_took_their_places_give_them_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, failure: BaseException
) -> None:
    for name in "ac":
        (tmp_path / name).write_text("old")
    replace, places = Path.replace, iter(range(9))

    def broken(self: Path, target: Path) -> Path:
        if next(places) == failing:
            raise failure
        return replace(self, target)

    with pytest.raises((UsageError, KeyboardInterrupt)), file_transaction() as files:
        for name in "abc":
            files.write(tmp_path / name, b"new")
        monkeypatch.setattr(Path, "replace", broken)
    assert left_in(tmp_path) == dict.fromkeys("ac", "old")


def test_two_files_are_never_written_over_each_other(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(UsageError, match="twice"), file_transaction() as files:
        for name in ("a", "link"):
            files.write(tmp_path / name, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


DYING = """
import os, pathlib, sys
from aune.files import file_transaction
with file_transaction() as files:
    for name in "abc":
        files.write(pathlib.Path(sys.argv[1], name), b"new")
    print("written", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_writer_left_is_swept_by_the_next_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / ".aune-settings").write_text("mine")
    command = [sys.executable, "-c", DYING, tmp_path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"written\n"
        parts = {path.name for path in tmp_path.glob(".aune-*.part")}
        assert len(parts) == 3
        _remove_abandoned.cache_clear()
        write_atomically(tmp_path / "other", b"x")
        assert parts < {path.name for path in tmp_path.iterdir()}  # their writer lives
        process.kill()
    _remove_abandoned.cache_clear()
    write_atomically(tmp_path / "other", b"y")
    assert left_in(tmp_path) == {".aune-settings": "mine", "other": "y"}


@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", "link"])
def test_what_is_open_already_is_written_through(tmp_path: Path, name: str) -> None:
    """Whoever opened it goes on writing there, and may have asked that nothing before is lost."""
    (tmp_path / "link").symlink_to("/dev/stdout")
    log = tmp_path / "log"
    log.write_text("before\n")
    writing = (
        "import pathlib, sys; from aune.files import write_atomically; "
        "write_atomically(pathlib.Path(sys.argv[1]), b'x\\n')"
    )
    with log.open("a") as opened:
        subprocess.run([sys.executable, "-c", writing, name], stdout=opened, cwd=tmp_path, check=True)
        opened.write("after\n")
    assert log.read_text() == "before\nx\nafter\n"


def test_a_file_that_may_not_be_changed_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may change every file
    with pytest.raises(UsageError, match="Permission denied"):
        write_atomically(tmp_path / "a", b"new")
    assert left_in(tmp_path) == {"a": "old"}


def test_what_comes_by_standard_input_is_no_target(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("old")
    writing = (
        "from pathlib import Path; from aune.files import check_not_input; check_not_input(Path('key'), [Path({!r})])"
    )
    with (tmp_path / "key").open() as file:
        ended = subprocess.run(
            [sys.executable, "-c", writing.format(STDIN)],
            stdin=file,
            cwd=tmp_path,
            check=False,
            capture_output=True,
            text=True,
        )
    assert "is one of the inputs" in ended.stderr


def test_an_input_is_no_target(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("x")
    other = tmp_path / "same"
    os.link(key, other)
    for target in (key, other):
        with pytest.raises(UsageError, match="is one of the inputs"):
            check_target(target, [key])
    with pytest.raises(UsageError, match="is one of the inputs"):
        check_target(key, [tmp_path])
    check_target(tmp_path / "new", [tmp_path])  # which overwrites nothing
    with pytest.raises(UsageError, match="is a folder"):
        check_target(tmp_path, [key])
    with pytest.raises(UsageError, match="there is no folder"):
        check_target(tmp_path / "no" / "file", [key])
    check_target(Path(os.devnull), [Path(os.devnull)])


def test_a_folder_is_filled_or_gone(tmp_path: Path) -> None:
    with fill_folder(tmp_path / "a" / "b") as folder:
        write_atomically(folder / "c", b"x")
    assert (tmp_path / "a" / "b" / "c").read_bytes() == b"x"
    with pytest.raises(UsageError, match="cannot be written"), fill_folder(tmp_path / "new" / "er") as folder:
        write_atomically(folder / "c", b"x")
        write_atomically(folder / ("x" * 300), b"x")
    with pytest.raises(UsageError), fill_folder(tmp_path / "a" / "b") as folder:
        write_atomically(folder / ("x" * 300), b"x")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["file/below", "x" * 300, "a\0b", "loop", "broken", "loop/below", "broken/below"])
def test_a_folder_that_cannot_be(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    for link, target in (("loop", "loop"), ("broken", "nothing")):
        (tmp_path / link).symlink_to(target)
    with pytest.raises(UsageError, match="cannot be written"), fill_folder(tmp_path / name):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken", "file", "loop"]


def test_an_empty_folder_is_filled_or_empty(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), fill_folder(tmp_path) as folder:
        (folder / "a").mkdir()
        (folder / "b").touch()
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(KeyboardInterrupt), replace_atomically(tmp_path / "a") as partial:
        partial.write_text("ne")
        raise KeyboardInterrupt
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
    with replace_atomically(tmp_path / "a") as partial:
        partial.write_text("new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize("text", ["a." * 60_000 + "a = 1", '"a" . ' * 20_000 + "a = 1", "a = " + "[" * 20_000])
def test_toml_that_would_take_memory_by_the_square_of_its_length(text: str) -> None:
    tracemalloc.start()
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_toml(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000


def test_no_link_of_the_system_is_followed(tmp_path: Path) -> None:
    """What runs is behind one of them: it was replaced by a result."""
    program = shutil.copy("/bin/sleep", tmp_path / "program")
    before = program.read_bytes()
    with subprocess.Popen([program, "60"]) as running:
        for name in ("exe", "nothing", "comm"):
            with pytest.raises(UsageError, match="cannot be written"):
                write_atomically(Path(f"/proc/{running.pid}/{name}"), b"x")
        running.kill()
    assert program.read_bytes() == before
    write_atomically(Path(f"/proc/self/root{tmp_path}/fine"), b"x")
    assert (tmp_path / "fine").read_bytes() == b"x"


def test_an_open_file_that_is_an_input_is_not_written(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("precious")
    with key.open("r+b") as opened, pytest.raises(UsageError, match="one of the inputs"):
        check_target(Path(f"/dev/fd/{opened.fileno()}"), [key])
    assert key.read_text() == "precious"
    check_target(Path(os.devnull), [Path(os.devnull)])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"word": 1, "word": 2}', "'word' stands twice"),
        ('{"edits": [{"word": 1, "tags": "A", "tags": "B"}]}', "'tags' stands twice"),
        ('{"word": NaN}', "not JSON compliant"),
        ('{"word": 1e400}', "not JSON compliant"),
        (r'{"tags": "\ud800"}', "surrogates"),
    ],
)
def test_what_cannot_be_stored_or_means_two_things_is_no_json(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_strict_json(text)


def test_strict_json_is_read_like_any_other() -> None:
    assert parse_strict_json(r'{"a": [1, 2.5, null, "\ud83d\ude00"]}') == {"a": [1, 2.5, None, "😀"]}
