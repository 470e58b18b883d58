"""Files and folders that are never half-written: each gets its name when it is complete."""

import os
import platform
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UMASK = os.umask(0)
os.umask(UMASK)
MODE = 0o666 & ~UMASK  # of a file: as the user has asked for


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name to write to, which becomes `path` once its content is on the disk."""
    target = path.resolve()  # what a link points to is replaced, not the link
    if target.exists() and not target.is_file():  # /dev/stdout, or a folder, which says so itself
        yield path
        return
    partial = _beside(target, "partial")
    try:
        yield partial
        partial.chmod(MODE)  # whatever wrote it may have been shy
        _sync(partial)
        os.replace(partial, target)
        _sync(target.parent)
    finally:
        partial.unlink(missing_ok=True)


def user_cache(name: str) -> Path:
    """A folder for what can be made or fetched again, where the user's other programs have theirs.

    It need not exist, nor be possible to make.
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~"), ".cache")
    return Path(home, "topiceq", name)


def write_text(path: Path, text: str) -> None:
    """Write a text file, or leave the old one as it was."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A new folder to fill, which becomes `path` once all its files are on the disk."""
    target = path.resolve()
    partial, old = _beside(target, "partial"), _beside(target, "old")
    shutil.rmtree(partial, ignore_errors=True)  # of a process long dead that had this number
    try:
        partial.mkdir(parents=True)
        yield partial
        for part in (*partial.rglob("*"), partial):
            if part.is_file():
                part.chmod(MODE)
            _sync(part)
        if target.exists():
            target.rename(old)
        partial.rename(target)
        _sync(target.parent)
    finally:
        if old.exists() and not target.exists():  # the new one could not take its place
            old.rename(target)
        shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(partial, ignore_errors=True)


def _beside(path: Path, kind: str) -> Path:
    """A hidden name in the same folder, of this process alone, whatever machines write there."""
    return path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}.{kind}")


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
