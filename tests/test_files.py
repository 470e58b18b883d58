"""Files and folders that are never half-written, whatever goes wrong and whoever else writes."""

import errno
import fcntl
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from topiceq import files
from topiceq.files import alone, alone_with, replacing, replacing_folder, told, write_text

Hold = Callable[[Path], AbstractContextManager[None]]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_text(path, "first")
    with pytest.raises(ValueError, match="full"), replacing(path) as partial:
        partial.write_text("half of the sec")
        raise ValueError("full")
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_two_processes_do_not_write_to_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with replacing(tmp_path / "file") as ours, replacing_folder(tmp_path / "folder") as our_folder:
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with replacing(tmp_path / "file") as theirs:
            assert theirs != ours
            theirs.write_text("theirs")
        with replacing_folder(tmp_path / "folder") as their_folder:
            assert their_folder != our_folder
        monkeypatch.undo()
        monkeypatch.setattr(platform, "node", lambda: "another machine")  # with the same numbers
        with replacing(tmp_path / "file") as theirs:
            assert theirs != ours
            theirs.touch()
        ours.write_text("ours")
    assert (tmp_path / "file").read_text() == "ours"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_link_stays_and_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "first")
    (tmp_path / "link").symlink_to("file")
    write_text(tmp_path / "link", "second")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_text() == "second"
    with pytest.raises(IsADirectoryError):
        write_text(tmp_path, "text")
    with replacing(Path("/dev/null")) as partial:
        assert partial == Path("/dev/null")


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder"
    for text in ("first", "second"):
        with replacing_folder(path) as partial:
            (partial / "inner").mkdir()
            (partial / "inner" / text).write_text(text)
            assert text == "first" or (path / "inner" / "first").exists()
    with pytest.raises(KeyboardInterrupt), replacing_folder(path) as partial:
        (partial / "third").write_text("half of the th")
        raise KeyboardInterrupt
    assert [file.name for file in path.rglob("*")] == ["inner", "second"]
    assert list(path.parent.iterdir()) == [path]


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rename = tmp_path / "folder", Path.rename
    path.mkdir()
    (path / "old").write_text("old")

    def failing(self: Path, target: Path) -> Path:
        if self.name.endswith("partial"):
            raise OSError("no space")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="no space"), replacing_folder(path):
        pass
    assert [file.name for file in tmp_path.rglob("*")] == ["folder", "old"]


def test_files_have_the_mode_that_the_umask_says(tmp_path: Path) -> None:
    with replacing(tmp_path / "file") as partial:
        partial.write_text("x")
        partial.chmod(0o600)
    with replacing_folder(tmp_path / "folder") as folder:
        (folder / "file").write_text("x")
        (folder / "file").chmod(0o600)
    plain = tmp_path / "plain"
    plain.write_text("x")
    modes = {path.stat().st_mode for path in (plain, tmp_path / "file", tmp_path / "folder/file")}
    assert len(modes) == 1


def dead() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_what_a_killed_process_has_left_is_swept_away(tmp_path: Path) -> None:
    node, gone, alive = platform.node(), dead(), os.getppid()
    for name in (f".file.{node}.{gone}.partial", f".file.{node}.{alive}.partial",
                 f".file.elsewhere.{gone}.partial", f".file.{node}.x.partial"):  # fmt: skip
        (tmp_path / name).write_text("half")
    (tmp_path / f".folder.{node}.{gone}.partial").mkdir()
    (tmp_path / f".folder.{node}.{gone}.partial" / "half").touch()
    write_text(tmp_path / "file", "whole")
    with replacing_folder(tmp_path / "folder"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["file", "folder", f".file.{node}.{alive}.partial", f".file.elsewhere.{gone}.partial",
         f".file.{node}.x.partial"]
    )  # fmt: skip


def test_a_folder_whose_process_was_killed_between_two_names_comes_back(tmp_path: Path) -> None:
    old = tmp_path / f".folder.{platform.node()}.{dead()}.old"
    old.mkdir()
    (old / "file").write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing_folder(tmp_path / "folder"):
        raise KeyboardInterrupt
    assert (tmp_path / "folder" / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


WRITER = """
import sys, time
from pathlib import Path
from topiceq.files import replacing_folder
while True:
    with replacing_folder(Path(sys.argv[1])) as folder:
        for number in range(20):
            (folder / str(number)).write_text(str(number))
"""


def test_a_folder_is_whole_whenever_its_process_is_killed(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    for number in range(8):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(target)])
        until = time.monotonic() + 60
        while not target.exists() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.01 * number)
        writer.kill()
        writer.wait()
        with pytest.raises(KeyboardInterrupt), replacing_folder(target):
            raise KeyboardInterrupt
        assert sorted(int(path.name) for path in target.iterdir()) == [*range(20)]
        assert [path.name for path in tmp_path.iterdir()] == ["folder"]


HOLDER = """
import sys, time
from pathlib import Path
from topiceq.files import alone, alone_with
with (alone if sys.argv[2] == "alone" else alone_with)(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("hold", [alone, alone_with])
def test_what_one_process_holds_no_other_has_until_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hold: Hold
) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    command = [sys.executable, "-c", HOLDER, str(path), hold.__name__]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    monkeypatch.setattr(files, "SECONDS", 0.1)
    with pytest.raises(BlockingIOError, match="another process is at work there: '.*folder'"):
        with hold(path):
            pass
    with hold(tmp_path):  # anything else
        pass
    holder.kill()
    holder.communicate()
    with hold(path):
        pass
    assert list(tmp_path.iterdir()) == [path]


def test_several_may_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SECONDS", 0.0)
    with alone(tmp_path, shared=True), alone(tmp_path, shared=True):
        with pytest.raises(BlockingIOError), alone(tmp_path):
            pass
    with alone(tmp_path), pytest.raises(BlockingIOError), alone(tmp_path, shared=True):
        pass


def test_who_waits_does_not_hold_what_was_removed(tmp_path: Path) -> None:
    """The file of the first is gone when the second has it; a third must not get another."""
    held, let_go = threading.Event(), threading.Event()

    def second() -> None:
        with alone_with(tmp_path / "x"):
            held.set()
            let_go.wait(60)

    waiting = threading.Thread(target=second)
    with alone_with(tmp_path / "x"):
        waiting.start()
        time.sleep(0.1)
        assert not held.is_set()
    assert held.wait(60) and (tmp_path / ".x.lock").exists()
    let_go.set()
    waiting.join()
    assert not list(tmp_path.iterdir())


def test_without_locks_nothing_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with alone(tmp_path), alone(tmp_path), alone_with(tmp_path / "x"), alone_with(tmp_path / "x"):
        pass


def test_an_error_says_of_which_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="full: '.*/file'"), replacing(tmp_path / "file"):
        raise OSError(errno.ENOSPC, "full")
    with pytest.raises(OSError, match="full: '.*/folder'"), replacing_folder(tmp_path / "folder"):
        raise OSError(errno.ENOSPC, "full")
    assert told(OSError(errno.ENOSPC, "full"), tmp_path) == f"Cannot write to '{tmp_path}': full."
    assert told(OSError(errno.EMFILE, "few", "/x"), tmp_path) == "Cannot read '/x': few."
