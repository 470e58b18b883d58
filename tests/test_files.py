"""Files and folders that are never half-written, whatever goes wrong and whoever else writes."""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest

from topiceq.files import replacing, replacing_folder, write_text


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
