"""Articles of arXiv by their ids: the source that the authors sent, fetched once and then kept.

In: an id. Out: a file in the cache with what arXiv sent, or the reason why there is none. One
request in three seconds, whatever the number of processes that share the cache, and one at a time;
an answer that is too large, takes too long or is no source is not kept. Nothing is unpacked here.
"""

import os
import re
import time
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from socket import SHUT_RDWR, socket
from threading import Timer
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import (
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    build_opener,
)

import topiceq
from topiceq.article.files import Unreadable
from topiceq.errors import CorpusError
from topiceq.files import replacing, user_cache

try:
    import fcntl
except ImportError:  # Windows: processes do not wait for each other there
    fcntl = None  # type: ignore[assignment]

ADDRESS = "https://export.arxiv.org/e-print/"  # where arXiv wants programs to ask
PAUSE = 3.0  # seconds between two requests, as arXiv asks of programs
ATTEMPTS = 5
LONGEST_WAIT = 120.0  # seconds; who is told to wait longer gives up
SILENCE = 30.0  # seconds without a byte
SECONDS = 300.0  # for one answer, from the request to its last byte
MAX_BYTES = 128 << 20  # arXiv takes 50 MB from authors
AGENT = f"topiceq/{topiceq.__version__} (reads articles for a topic model; asks every 3 s)"

_PREFIX = re.compile(
    r"arxiv:\s*|https?://(?:\w+\.)?arxiv\.org/(?:abs|pdf|html|src|e-print|format)/", re.IGNORECASE
)
_ID = re.compile(
    r"(?P<new>\d{4}\.\d{4,5})(?P<v1>v\d+)?"
    r"|(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.[A-Za-z-]{2,10})?/(?P<number>\d{7})(?P<v2>v\d+)?"
)
_WITHDRAWN = "was withdrawn: arXiv has no source of it"
_A_PAGE = "has no source: arXiv answered with a page, not with an article"
_NOT_SENT = {  # what an answer begins with that is no source
    b"%PDF": "was sent to arXiv as PDF only: there is no LaTeX to read",
    b"%!PS": "was sent to arXiv as PostScript only: there is no LaTeX to read",
    b"%auto-ignore": _WITHDRAWN,
}
NO_ID = "is no id of arXiv; they look like 1902.06034, 1902.06034v2 or hep-th/9901001"


def refers(text: str | os.PathLike[str]) -> bool:
    """Whether a source is given as an article of arXiv: by `arXiv:` or the address of its page."""
    return isinstance(text, str) and bool(_PREFIX.match(text)) and not os.path.exists(text)


def year_of(article: str) -> int | None:
    """The year in which an article came to arXiv, if its id tells.

    >>> year_of("1902.06034v2"), year_of("hep-th/9901001"), year_of("notes/2019")
    (2019, 1999, None)
    """
    number = article_id(article) or article_id(article.rpartition("/")[2])
    if number is None:
        return None
    two = int(number.rpartition("/")[2][:2])
    return (1900 if "/" in number and two > 90 else 2000) + two


def article_id(text: str) -> str | None:
    """The id as arXiv writes it, with the version if there is one; None if it is no id.

    >>> article_id("arXiv:1902.06034v2"), article_id("https://arxiv.org/abs/math.GT/0309136")
    ('1902.06034v2', 'math/0309136')
    """
    bare = _PREFIX.sub("", text.strip(), count=1).partition("?")[0].partition("#")[0]
    found = _ID.fullmatch(bare.removesuffix(".pdf").rstrip("/"))
    if found is None:
        return None
    new = found["new"] or f"{found['archive']}/{found['number']}"
    return new + (found["v1"] or found["v2"] or "")


def read_ids(path: str | Path) -> list[str]:
    """The ids of a file, one a line, as sources; blank lines and # comments are passed over."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise CorpusError(f"The ids '{path}' cannot be read: {error.strerror}.") from None
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    ids = [line if refers(line) else f"arXiv:{line}" for line in lines if line]
    if not any(map(article_id, ids)):
        raise CorpusError(f"'{path}' holds no id of arXiv. Give one a line, such as 1902.06034.")
    return ids


class Library:
    """A folder of what was fetched from arXiv; what is not there yet is fetched.

    `address` is asked in place of arXiv's (else the environment's TOPICEQ_ARXIV); `seconds` bound
    one answer; `clock` and `sleep` tell and pass the time between requests.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        address: str | None = None,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.folder = Path(folder) if folder else user_cache("arxiv")
        given = address or os.environ.get("TOPICEQ_ARXIV") or ADDRESS
        self.address = given.rstrip("/") + "/"
        self._seconds, self._clock, self._sleep = seconds, clock, sleep
        self._reached = True  # whether there was an answer when we last asked

    def fetch(self, id: str) -> Path | Unreadable:
        """The file of an article's source; what is in the folder is never asked for again."""
        path = self.folder / (id if "/" in id else f"{id[:4]}/{id}")
        try:
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                with self._turn() as stamp:
                    if not path.exists():  # another process may have fetched it meanwhile
                        self._ask(id, path, stamp)
            with open(path, "rb") as file:
                why = _why_not(file.read(4096))
        except _Failed as failure:
            return Unreadable(id, failure.why)
        except OSError as error:
            raise CorpusError(
                f"Cannot keep articles in '{self.folder}': {error.strerror}. "
                "Name another folder: --cache FOLDER"
            ) from None
        return Unreadable(id, why) if why else path

    @contextmanager
    def _turn(self) -> Iterator[IO[str]]:
        """Our turn among all processes that share the folder; in the file stands the last one's."""
        with open(self.folder / ".last-request", "a+", encoding="ascii") as stamp:
            if fcntl:
                fcntl.flock(stamp, fcntl.LOCK_EX)  # given back when the file is closed
            yield stamp

    def _ask(self, id: str, path: Path, stamp: IO[str]) -> None:
        """Ask until there is an answer, longer and longer apart; without a connection, once."""
        attempts = ATTEMPTS if self._reached else 1
        for attempt in range(1, attempts + 1):
            self._pace(stamp)
            try:
                with replacing(path) as unfinished, open(unfinished, "wb") as file:
                    self._receive(id, file)
                self._reached = True
                return
            except _Failed as failure:
                self._reached = failure.reached
                wait = max(PAUSE * 2**attempt, failure.after)
                if not failure.again or attempt == attempts or wait > LONGEST_WAIT:
                    raise
            self._sleep(wait)

    def _pace(self, stamp: IO[str]) -> None:
        """Wait until three seconds have passed since anybody's last request."""
        stamp.seek(0)
        with suppress(ValueError):  # of a file that is still empty
            wait = float(stamp.read(40)) + PAUSE - self._clock()
            if wait > 0:
                self._sleep(min(wait, PAUSE))
        stamp.truncate(0)
        stamp.write(str(self._clock()))
        stamp.flush()

    def _receive(self, id: str, file: IO[bytes]) -> None:
        """Write the answer to the file, unless it is a page about an error."""
        head = b""
        with closing(self._chunks(id)) as chunks:
            for chunk in chunks:
                head += chunk[: 4096 - len(head)]
                file.write(chunk)
        if _is_page(head):
            raise _Failed(_WITHDRAWN if b"withdrawn" in head.lower() else _A_PAGE)

    def _chunks(self, id: str) -> Generator[bytes, None, None]:
        """The answer piece by piece; whatever goes wrong with it is a `_Failed`."""
        request = Request(self.address + quote(id), headers={"User-Agent": AGENT})
        with _Deadline(self._seconds) as deadline:
            try:
                with deadline.opener().open(request, timeout=SILENCE) as response:
                    yield from _body(response)
            except HTTPError as error:
                with error:
                    raise _refusal(error) from None
            except (OSError, HTTPException) as error:
                if not deadline.passed:
                    raise self._unreached(error) from None
            if deadline.passed:
                raise _Failed(f"was not sent by arXiv within {self._seconds:g} seconds")

    def _unreached(self, error: Exception) -> "_Failed":
        cause = error.reason if isinstance(error, URLError) else error
        why = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        host = urlsplit(self.address).hostname
        text = f"cannot be fetched: there is no connection to {host} ({why})"
        return _Failed(text, again=True, reached=False)


class _Failed(Exception):
    """No source came; `why` continues the sentence, and `again` if asking again may help."""

    def __init__(
        self, why: str, *, again: bool = False, after: float = 0, reached: bool = True
    ) -> None:
        super().__init__(why)
        self.why, self.again, self.after, self.reached = why, again, after, reached


def _body(response: HTTPResponse) -> Iterator[bytes]:
    """The bytes of an answer, which must be as many as it says and not too many."""
    declared, total = response.length, 0
    while chunk := response.read1(1 << 16):
        total += len(chunk)
        if max(total, declared or 0) > MAX_BYTES:
            raise _Failed(f"is larger than {MAX_BYTES >> 20} MB")
        yield chunk
    if declared is not None and total < declared:
        raise _Failed("was not sent whole by arXiv", again=True)


def _refusal(error: HTTPError) -> _Failed:
    """What an answer that is no success means."""
    if error.code == 429 or error.code >= 500:
        wait = _seconds(error.headers.get("Retry-After", ""))
        later = f"; it asks to wait {wait:.0f} seconds" if wait else ""
        text = f"cannot be fetched: arXiv is busy ({error.code}){later}. Ask again later"
        return _Failed(text, again=True, after=wait)
    page = b""
    with suppress(OSError, HTTPException):
        page = error.read(1 << 16).lower()
    if b"withdrawn" in page:
        return _Failed(_WITHDRAWN)
    if error.code in (400, 404, 410):
        return _Failed(f"is not known to arXiv ({error.code})")
    return _Failed(f"cannot be fetched: arXiv refuses it ({error.code})")


def _seconds(value: str) -> float:
    """The time of a Retry-After, which is a number or a date; 0 if it is neither.

    >>> _seconds("120"), _seconds("soon"), _seconds("Thu, 01 Jan 1970 00:00:00 GMT")
    (120.0, 0.0, 0.0)
    """
    if value.strip().isdecimal():
        return float(value)
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    return 0.0


def _is_page(head: bytes) -> bool:
    return bool(re.match(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|\?xml|head)", head, re.I))


def _why_not(head: bytes) -> str:
    """Why what begins like this is no source, "" if it may be one: its bytes tell, not its type."""
    text = head
    if head.startswith(b"\x1f\x8b"):
        with suppress(zlib.error):  # a broken one is told by whoever unpacks it
            text = zlib.decompressobj(wbits=31).decompress(head, 4096)
    begin = text.lstrip()
    if not begin:
        return _WITHDRAWN
    return next((why for mark, why in _NOT_SENT.items() if begin.startswith(mark)), "")


# -- a time for the whole of an answer ---------------------------------------------------------


class _Deadline:
    """Shuts the sockets of a request when its time is over, whatever it then waits for.

    A socket's own time limit is for one byte: a server that sends one now and then has no end.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._sockets: list[socket] = []
        self._timer = Timer(seconds, self._shut)
        self._timer.daemon = True

    def __enter__(self) -> "_Deadline":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()

    def opener(self) -> OpenerDirector:
        return build_opener(_Plain(self), _Secure(self), _Redirects)

    def watch(self, connected: socket) -> None:
        self._sockets.append(connected)
        if self.passed:
            self._shut()

    def _shut(self) -> None:
        self.passed = True
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(SHUT_RDWR)


class _Watched(HTTPConnection):
    """A connection that a deadline ends."""

    def __init__(self, *arguments: Any, deadline: _Deadline, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline = deadline

    def connect(self) -> None:
        super().connect()
        self._deadline.watch(self.sock)


class _WatchedSecure(_Watched, HTTPSConnection):
    """The same with TLS."""


class _Plain(HTTPHandler):
    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_Watched, deadline=self._deadline), req)


class _Secure(HTTPSHandler):
    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_WatchedSecure, deadline=self._deadline), req)


class _Redirects(HTTPRedirectHandler):
    """Follows arXiv to where the file is, but from https to https only."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        if urlsplit(newurl).scheme not in ("https", req.type):
            return None
        fp.close()  # its own body may have no end, and nobody needs it
        return super().redirect_request(req, fp, code, msg, headers, newurl)
