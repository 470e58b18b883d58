"""Files and folders that are never half-written: each gets its name when it is complete.

And the reading of small files that a stranger may have written: of plain files alone, not without
end, and not deeper than can be read.
"""

import errno
import glob
import json
import os
import platform
import shutil
import stat
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

try:
    import fcntl
except ImportError:  # where the system has no such locks, nothing is held
    fcntl = None  # type: ignore[assignment]

Kind = TypeVar("Kind")

UMASK = os.umask(0)
os.umask(UMASK)
MODE = 0o666 & ~UMASK  # of a file: as the user has asked for
MAX_TEXT = 64 << 20  # bytes of names or facts
MAX_TOML = 4 << 20  # bytes of settings
SECONDS = 3.0  # that a process which is being ended may take to let go
OF_MACHINE = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}
MAX_DOTS = 1_000  # in a line of settings: the time that a key takes grows with their square


@contextmanager
def replacing(path: Path, *, follow: bool = True) -> Iterator[Path]:
    """A temporary name to write to, which becomes `path` once its content is on the disk.

    What a link points to is replaced, not the link; unless `follow`, as in folders that others may
    have made: there the link is.
    """
    target = _target(path, follow)
    if target.exists() and not target.is_file():  # /dev/stdout, or a folder, which says so itself
        yield path
        return
    _sweep(target)
    partial = _beside(target, "partial")
    try:
        yield partial
        partial.chmod(MODE)  # whatever wrote it may have been shy
        _sync(partial)
        os.replace(partial, target)
        _sync(target.parent)
    except OSError as error:
        _name(error, target)
        raise
    finally:
        with suppress(OSError):  # such as a folder that is gone
            partial.unlink()


def user_cache(name: str) -> Path:
    """A folder for what can be made or fetched again, where the user's other programs have theirs.

    It need not exist, nor be possible to make.
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~"), ".cache")
    return Path(home, "topiceq", name)


def write_text(path: Path, text: str, *, follow: bool = True) -> None:
    """Write a text file, or leave the old one as it was."""
    with replacing(path, follow=follow) as partial:
        partial.write_text(text, encoding="utf-8")


@contextmanager
def replacing_folder(path: Path, *, follow: bool = True) -> Iterator[Path]:
    """A new folder to fill, which becomes `path` once all its files are on the disk."""
    target = _target(path, follow)
    _sweep(target)
    partial, old = _beside(target, "partial"), _beside(target, "old")
    try:
        partial.mkdir(parents=True)
        yield partial
        for part in (*partial.rglob("*"), partial):
            if part.is_file():
                part.chmod(MODE)
            _sync(part)
        if target.exists() or target.is_symlink():
            target.rename(old)
        partial.rename(target)
        _sync(target.parent)
    except OSError as error:
        _name(error, target)
        raise
    finally:
        if old.exists() and not target.exists():  # the new one could not take its place
            old.rename(target)
        _remove(old)
        _remove(partial)


@contextmanager
def alone(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold a folder that is filled where it is; BlockingIOError if another process holds it.

    Several may hold it `shared`. Whatever ends a process, the system then lets go for it.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        _hold(handle, folder, shared)
        yield
    finally:
        os.close(handle)


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Hold a name that is going to be given to something new; BlockingIOError as above.

    What has the name is replaced, so a hidden file beside it is held, and removed afterwards.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    lock = target.parent / f".{target.name}.lock"
    handle = _lock(lock, path)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(handle)


def told(error: OSError, folder: Path) -> str:
    """What went wrong while a folder was filled: a sentence for a message."""
    where = Path(str(error.filename or folder))
    what = "write to" if where.is_relative_to(folder) else "read"
    return f"Cannot {what} '{where}': {error.strerror or error}."


def of_machine(error: OSError) -> bool:
    """Whether something fails for want of what the machine has, whatever file it is about."""
    return error.errno in OF_MACHINE


def check_plain(path: Path) -> None:
    """OSError for what is there and is no file, and may wait or go on for ever."""
    if not path.is_file() and path.exists():
        raise OSError(f"'{path}' is not a plain file")


def read_text(path: Path, most: int = MAX_TEXT) -> str:
    """The text of a plain file; OSError if it is none or has more than `most` bytes."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would wait for its other end
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"'{path}' is not a plain file")
        if os.fstat(handle).st_size > most:
            raise OSError(f"'{path}' is larger than {most >> 20} MB")
        return file.read(most).decode("utf-8")


def read_json(path: Path) -> Any:
    """What a file of JSON says; OSError or ValueError if it cannot be read."""
    return parse_json(read_text(path))


def parse_json(text: str) -> Any:
    """What JSON says; ValueError if it is none, or too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_as(kind: type[Kind], path: Path) -> Kind:
    """What a file of JSON says, as such a kind of value; OSError or ValueError if it is none."""
    return parse_as(kind, read_text(path))


def parse_as(kind: type[Kind], text: str) -> Kind:
    """What JSON says, as such a kind of value; ValueError if it is none."""
    from pydantic import TypeAdapter, ValidationError  # which takes longer than all else here

    try:
        return TypeAdapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place}: {first['msg']}" if place else first["msg"]) from None


def read_toml(path: Path) -> dict[str, Any]:
    """What a file of TOML says; OSError or ValueError if it cannot be read."""
    return parse_toml(read_text(path, MAX_TOML))


def parse_toml(text: str) -> dict[str, Any]:
    """What TOML says; ValueError if it is none, or too deep."""
    if any(line.count(".") > MAX_DOTS for line in text.splitlines()):
        raise ValueError("it is nested too deeply")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _lock(lock: Path, path: Path) -> int:
    """Make and hold a file; one that its holder has removed meanwhile would keep nobody out."""
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, MODE)
        try:
            _hold(handle, path, shared=False)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.stat(lock)):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _hold(handle: int, path: Path, shared: bool) -> None:
    """Lock an open file; BlockingIOError if another process holds it and goes on doing so."""
    until = time.monotonic() + SECONDS
    while fcntl:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                why = "another process is at work there"
                raise BlockingIOError(errno.EWOULDBLOCK, why, str(path)) from None
            time.sleep(0.05)
        except OSError:  # some file systems have no locks
            return


def _target(path: Path, follow: bool) -> Path:
    return path.resolve() if follow else path.parent.resolve() / path.name


def _beside(path: Path, kind: str) -> Path:
    """A hidden name in the same folder, of this process alone, whatever machines write there."""
    return path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}.{kind}")


def _sweep(target: Path) -> None:
    """Remove what processes of this machine have left that were killed, and bring back the old."""
    before = f".{target.name}.{platform.node()}."
    for path in target.parent.glob(f"{glob.escape(before)}*"):
        number, _, kind = path.name.removeprefix(before).partition(".")
        if number.isdecimal() and kind in ("partial", "old") and not _is_alive(int(number)):
            if kind == "old" and not target.exists():  # killed between two names
                path.rename(target)
            _remove(path)


def _is_alive(process: int) -> bool:
    if process == os.getpid():  # whoever had this number is long dead
        return False
    try:
        os.kill(process, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)


def _name(error: OSError, path: Path) -> None:
    """A full disk does not say of which file."""
    if error.errno and not error.filename:
        error.filename = str(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
