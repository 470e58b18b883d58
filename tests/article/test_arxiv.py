"""Articles by their ids, from a server on this machine that answers as arXiv does."""

import gzip
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from email.utils import formatdate
from pathlib import Path

import pytest
from arxiv_server import TEX, Answer, Server, gives, packed

import topiceq
from topiceq.article import archive, arxiv
from topiceq.article.arxiv import ATTEMPTS, PAUSE, Library, article_id, read_ids, refers
from topiceq.article.files import Unreadable
from topiceq.article.source import Article, sources
from topiceq.errors import CorpusError

WITHDRAWN = "was withdrawn: arXiv has no source of it"


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now, self.slept = 1_000_000.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def library(server: Server, time: Time, tmp_path: Path) -> Library:
    return Library(tmp_path / "cache", clock=time, sleep=time.sleep)


def why(fetched: Path | Unreadable) -> str:
    assert isinstance(fetched, Unreadable), fetched
    return fetched.why


def opened(library: Library, id: str) -> list[Article | Unreadable]:
    given = sources([f"arXiv:{id}"], field="none", library=library)
    return [article for source in given for article in source.articles()]


# -- ids ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("1902.06034", "1902.06034"),
        ("0704.0001v1", "0704.0001v1"),
        ("arXiv:1902.06034v12", "1902.06034v12"),
        ("ARXIV: 1902.06034", "1902.06034"),
        ("hep-th/9901001", "hep-th/9901001"),
        ("arXiv:math.GT/0309136v2", "math/0309136v2"),
        ("https://arxiv.org/abs/1902.06034v1", "1902.06034v1"),
        ("http://www.arxiv.org/pdf/hep-th/9901001v3.pdf", "hep-th/9901001v3"),
        ("https://export.arxiv.org/pdf/1902.06034?download=1#page=2", "1902.06034"),
        ("1902.6034567", None),
        ("arXiv:../../etc/passwd", None),
        ("arXiv:", None),
        ("hep-th/99", None),
        ("https://example.org/abs/1902.06034", None),
    ],
)
def test_ids(text: str, id: str | None) -> None:
    assert article_id(text) == id


def test_a_file_of_that_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refers("arXiv:1902.06034") and not refers("1902.06034")
    assert not refers(Path("arXiv:1902.06034"))
    Path("arXiv:1902.06034").touch()
    assert not refers("arXiv:1902.06034")


def test_a_file_of_ids(tmp_path: Path) -> None:
    file = tmp_path / "ids.txt"
    file.write_text("# old ones\n\nhep-th/9901001  # a note\narXiv:1902.06034\nrubbish\n")
    assert read_ids(file) == ["arXiv:hep-th/9901001", "arXiv:1902.06034", "arXiv:rubbish"]
    file.write_text("rubbish\n")
    with pytest.raises(CorpusError, match="ids.txt' holds no id of arXiv. Give one a line, such"):
        read_ids(file)
    with pytest.raises(CorpusError, match="The ids '.*none.txt' cannot be read: No such file"):
        read_ids(tmp_path / "none.txt")


# -- what arXiv sends --------------------------------------------------------------------------


def test_a_tar_is_fetched_once_and_read(server: Server, library: Library, time: Time) -> None:
    server.answers = [gives(packed({"main.tex": TEX, "figure.eps": b"%!PS"}))]
    for _ in range(2):
        (article,) = opened(library, "1902.06034")
        assert isinstance(article, Article)
        assert (article.id, article.root) == ("1902.06034", "main.tex")
    agent = server.requests[0][1]
    assert server.requests == [("/e-print/1902.06034", agent)]
    assert agent.startswith(f"topiceq/{topiceq.__version__} ")
    assert (library.folder / "1902" / "1902.06034").is_file() and time.slept == []


def test_one_gzipped_file(server: Server, library: Library) -> None:
    server.answers = [gives(gzip.compress(TEX), Content_Type="application/pdf")]  # it lies
    (article,) = opened(library, "hep-th/9901001v2")
    assert isinstance(article, Article)
    assert (article.id, article.root) == ("hep-th/9901001v2", "9901001v2.tex")
    assert server.requests[0][0] == "/e-print/hep-th/9901001v2"
    assert (library.folder / "hep-th" / "9901001v2").is_file()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"%PDF-1.5 ...", "was sent to arXiv as PDF only: there is no LaTeX to read"),
        (gzip.compress(b"%PDF-1.5 ..."), "was sent to arXiv as PDF only: there is no LaTeX"),
        (gzip.compress(b"%!PS-Adobe"), "was sent to arXiv as PostScript only"),
        (gzip.compress(b"%auto-ignore\nThis paper has been withdrawn."), WITHDRAWN),
        (gzip.compress(b""), WITHDRAWN),
        (b"", WITHDRAWN),
        (packed({"figure.png": b"1"}), "holds no articles"),
        (packed({"main.tex": TEX * 99})[:-20], "is broken (Compressed file ended before"),
        (gzip.compress(TEX)[:5] + b"rubbish", "is broken ("),
        (b"\0\1\2", "is binary, not text"),
        (packed({"../main.tex": TEX}), "leads outside the archive"),
    ],
    ids=["pdf", "packed pdf", "postscript", "ignored", "empty gzip", "empty", "figures", "cut off",
         "broken gzip", "binary", "outside"],  # the bytes of gzip tell the time
)  # fmt: skip
def test_what_holds_no_latex(server: Server, library: Library, body: bytes, reason: str) -> None:
    server.answers = [gives(body, Content_Type="application/x-eprint-tar")]
    for _ in range(2):
        found = opened(library, "1902.06034")
        assert all(isinstance(each, Unreadable) for each in found)
        assert reason in why(found[0])
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "code", "reason"),
    [
        (b"<html>No such paper</html>", 404, "is not known to arXiv (404)"),
        (b"<html>2101.1 has been withdrawn.</html>", 404, WITHDRAWN),
        (b"<html>Access denied</html>", 403, "cannot be fetched: arXiv refuses it (403)"),
        (b"\n<!DOCTYPE html><p>Withdrawn</p>", 200, WITHDRAWN),
        (b"<html>Please wait</html>", 200, "has no source: arXiv answered with a page"),
    ],
)
def test_pages_are_not_kept(
    server: Server, library: Library, body: bytes, code: int, reason: str
) -> None:
    server.answers = [gives(body, code, Content_Type="application/gzip"), gives(packed({}))]
    assert reason in why(library.fetch("2101.00001"))
    assert [path.name for path in library.folder.rglob("*") if path.is_file()] == [".last-request"]
    assert len(server.requests) == 1


def test_a_malformed_id_is_not_asked_for(server: Server, library: Library) -> None:
    (found,) = opened(library, "19.1")
    assert found == Unreadable("arXiv:19.1", arxiv.NO_ID)
    assert server.requests == []


# -- politeness --------------------------------------------------------------------------------


def test_one_request_in_three_seconds(server: Server, library: Library, time: Time) -> None:
    server.answers = [gives(gzip.compress(TEX))]
    library.fetch("1902.00001")
    time.now += 1
    library.fetch("1902.00002")
    other = Library(library.folder, clock=time, sleep=time.sleep)
    other.fetch("1902.00003")  # another process
    time.now += 60
    library.fetch("1902.00004")
    assert time.slept == [PAUSE - 1, PAUSE] and len(server.requests) == 4


def test_processes_wait_for_each_other(server: Server, library: Library, time: Time) -> None:
    server.answers = [gives(gzip.compress(TEX))]
    others = [Library(library.folder, clock=time, sleep=time.sleep)
              for _ in range(4)]  # fmt: skip
    threads = [threading.Thread(target=each.fetch, args=("1902.06034",)) for each in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.requests) == 1


def test_who_is_asked_to_wait_waits(server: Server, library: Library, time: Time) -> None:
    server.answers = [gives(b"", 429, Retry_After="20"), gives(gzip.compress(TEX))]
    assert isinstance(library.fetch("1902.06034"), Path) and time.slept == [20]


@pytest.mark.parametrize("after", ["7200", formatdate(4_102_444_800, usegmt=True)])
def test_who_is_asked_to_wait_for_long_gives_up(
    server: Server, library: Library, time: Time, after: str
) -> None:
    server.answers = [gives(b"", 429, Retry_After=after)]
    reason = why(library.fetch("1902.06034"))
    assert reason.startswith("cannot be fetched: arXiv is busy (429); it asks to wait ")
    assert time.slept == [] and len(server.requests) == 1


def test_a_server_that_is_busy_for_ever(server: Server, library: Library, time: Time) -> None:
    server.answers = [gives(b"", 503)]
    assert why(library.fetch("1902.06034")) == (
        "cannot be fetched: arXiv is busy (503). Ask again later"
    )
    assert len(server.requests) == ATTEMPTS and time.slept == [6, 12, 24, 48]
    server.answers = [gives(gzip.compress(TEX))]
    assert isinstance(library.fetch("1902.06034"), Path)


def test_without_a_connection_one_id_is_tried_often_the_others_once(
    library: Library, time: Time
) -> None:
    lost = Library(library.folder, address="http://127.0.0.1:1", clock=time, sleep=time.sleep)
    reason = "cannot be fetched: there is no connection to 127.0.0.1 (Connection refused)"
    assert why(lost.fetch("1902.00001")) == reason
    assert time.slept == [6, 12, 24, 48]
    assert why(lost.fetch("1902.00002")) == reason
    assert len(time.slept) == 5  # for its pace


# -- servers that mean harm --------------------------------------------------------------------


def test_an_answer_that_is_cut_off(server: Server, library: Library, time: Time) -> None:
    body = gzip.compress(TEX)
    server.answers = [gives(body[:-9], Content_Length=str(len(body))), gives(body)]
    assert isinstance(library.fetch("1902.06034"), Path) and time.slept == [6]
    server.answers = [gives(body[:-9], Content_Length=str(len(body)))]
    assert why(library.fetch("1902.06035")) == "was not sent whole by arXiv"


def drips(part: bytes) -> Callable[[Answer], None]:
    """Bytes without end, slowly: the next one always comes before anybody loses patience."""

    def answer(self: Answer) -> None:
        with suppress(OSError):
            while not self.server.over.wait(0.01):
                self.wfile.write(part)
                self.wfile.flush()

    return answer


def endless_body(self: Answer) -> None:
    self.send_response(200)
    self.end_headers()
    drips(b"x")(self)


def silent(self: Answer) -> None:
    self.server.over.wait()


@pytest.mark.parametrize("answer", [endless_body, drips(b"H"), silent])
def test_a_server_that_never_ends(
    server: Server, library: Library, answer: Callable[[Answer], None]
) -> None:
    server.answers = [answer]
    patient = Library(library.folder, seconds=0.2)
    assert why(patient.fetch("1902.06034")) == "was not sent by arXiv within 0.2 seconds"
    assert not (library.folder / "1902" / "1902.06034").exists()


@pytest.mark.parametrize("says", [True, False])
def test_an_answer_that_is_too_large(
    server: Server, library: Library, monkeypatch: pytest.MonkeyPatch, says: bool
) -> None:
    monkeypatch.setattr(arxiv, "MAX_BYTES", 1 << 20)
    body = bytes(2 << 20)
    server.answers = [gives(body) if says else gives(body, Content_Length="unknown")]
    assert why(library.fetch("1902.06034")) == "is larger than 1 MB"


def test_a_bomb(server: Server, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ARCHIVE_BYTES", 1 << 20)
    server.answers = [gives(packed({f"{n}.tex": bytes(1 << 19) for n in range(8)}))]
    (found,) = opened(library, "1902.06034")
    assert found == Unreadable("1902.06034", "unpacks to more than 1 MB")
    server.answers = [gives(gzip.compress(bytes(64 << 20)))]
    (found,) = opened(library, "1902.06035")
    assert found == Unreadable("1902.06035", "unpacks to more than 1 MB")


def test_where_arxiv_leads_to(server: Server, library: Library) -> None:
    there = server.address.replace("e-print/", "src/1902.06034")
    server.answers = [gives(b"", 301, Location=there), gives(gzip.compress(TEX))]
    assert isinstance(library.fetch("1902.06034"), Path)
    assert [path for path, _ in server.requests] == ["/e-print/1902.06034", "/src/1902.06034"]
    for elsewhere in ("file:///etc/passwd", "ftp://127.0.0.1/x"):
        server.answers = [gives(b"", 302, Location=elsewhere)]
        assert why(library.fetch("1902.06035")) == "cannot be fetched: arXiv refuses it (302)"


# -- the folder --------------------------------------------------------------------------------


def test_the_folder_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("TOPICEQ_ARXIV", "http://127.0.0.1:1/x")
    assert Library().folder == tmp_path / "topiceq" / "arxiv"
    assert Library().address == "http://127.0.0.1:1/x/"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("TOPICEQ_ARXIV")
    assert Library().folder == Path.home() / ".cache" / "topiceq" / "arxiv"
    assert Library().address == "https://export.arxiv.org/e-print/"
    assert not os.listdir(tmp_path)  # until something is fetched


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    message = "Cannot keep articles in '.*file/x': Not a directory. Name another folder: --cache"
    with pytest.raises(CorpusError, match=message):
        Library(tmp_path / "file" / "x").fetch("1902.06034")


def test_fields_of_a_version(server: Server, library: Library, tmp_path: Path) -> None:
    (tmp_path / "fields.csv").write_text("1902.06034,cs.CL\nhep-th/9901001,hep-th\n")
    server.answers = [gives(gzip.compress(TEX))]
    ids = ["arXiv:1902.06034v2", "arXiv:hep-th/9901001", "https://arxiv.org/abs/1902.06034v2"]
    found = list(sources(ids, field=tmp_path / "fields.csv", library=library))
    assert [(each.id, each.field) for each in found] == [
        ("1902.06034v2", "cs.CL"),
        ("hep-th/9901001", "hep-th"),
    ]
