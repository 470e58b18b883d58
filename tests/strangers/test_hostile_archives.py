"""Archives that want more than to be read; plainer ones are in tests/article/test_archive.py."""

import bz2
import gzip
import io
import re
import stat
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from topiceq.article.archive import Bundle, Skipped, slots, unpack
from topiceq.article.source import sources
from topiceq.config import CorpusConfig
from topiceq.corpus.extract import Dropped, extract, pairs
from topiceq.errors import CorpusError

LATEX = rb"\documentclass{article}"
MB = 1 << 20


def opened(data: bytes, name: str = "paper.gz") -> list[Bundle | Skipped]:
    return list(unpack(io.BytesIO(data), name, len(data)))


def reasons(data: bytes, name: str = "paper.gz") -> str:
    """Why something was skipped; nothing may come out beside it."""
    found = opened(data, name)
    assert found and all(isinstance(each, Skipped) for each in found)
    return "; ".join(each.why for each in found if isinstance(each, Skipped))


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, link
    return info.tobuf(tarfile.GNU_FORMAT)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


END = bytes(1024)


# -- tar -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [8 << 30, 1 << 62])
def test_a_tar_that_lies_about_a_size(size: int) -> None:
    data = header("main.tex", size) + b"x" * 512 + END
    assert re.search("larger|broken", reasons(data))
    assert not any(isinstance(each, Bundle) for each in opened(gzip.compress(data, mtime=0)))


def test_a_tar_whose_member_is_cut_off() -> None:
    data = header("main.tex", 4_000) + b"x" * 512
    assert "broken" in reasons(data)
    assert "broken" in reasons(gzip.compress(data, mtime=0))


def sparse(real: int) -> bytes:
    """The old form of GNU: one byte on the disk, `real` of them when it is read."""
    block = bytearray(header("main.tex", 512, tarfile.GNUTYPE_SPARSE))
    block[386:398], block[398:410] = b"%011o\0" % 0, b"%011o\0" % 512
    block[483:495] = b"%011o\0" % real
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + b"x" * 512 + END


@pytest.mark.parametrize("real", [4_000, 15 * MB, 1 << 32])
def test_a_sparse_member_is_no_plain_file(real: int) -> None:
    for data in (sparse(real), gzip.compress(sparse(real), mtime=0)):
        assert reasons(data) in ("is not a plain file", f"is broken (a member of {real:,} bytes)")


def test_a_sparse_member_of_the_new_form(tmp_path: Path) -> None:
    info = tarfile.TarInfo("main.tex")
    info.size = 512
    info.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "../evil.tex",
        "GNU.sparse.realsize": str(8 << 30),
    }
    body = b"1\n0\n512\n".ljust(512, b"\0")
    data = info.tobuf(tarfile.PAX_FORMAT) + body + END
    for each in opened(data):
        assert isinstance(each, Skipped)


def test_a_long_name_of_a_gigabyte_is_cut_off() -> None:
    name = gzip.compress(header("././@LongLink", 1 << 30, tarfile.GNUTYPE_LONGNAME))
    tracemalloc.start()
    assert "broken" in reasons(name) or "unpacks to more" in reasons(name)
    zeros = zlib.compressobj(wbits=31)
    data = zeros.compress(header("././@LongLink", 1 << 30, tarfile.GNUTYPE_LONGNAME))
    data += b"".join(zeros.compress(bytes(MB)) for _ in range(1_024)) + zeros.flush()
    assert "unpacks to more than 256 MB" in reasons(data)
    assert tracemalloc.get_traced_memory()[1] < 600 * MB
    tracemalloc.stop()


def test_a_path_of_a_pax_header_leads_outside() -> None:
    info = tarfile.TarInfo("main.tex")
    info.size = len(LATEX)
    info.pax_headers = {"path": "../../evil.tex"}
    data = info.tobuf(tarfile.PAX_FORMAT) + padded(LATEX) + END
    assert reasons(data) == "leads outside the archive"


def test_a_size_of_a_pax_header_is_no_number() -> None:
    for record in (b"17 size=-1000000\n", b"13 size=NaN\n", b"99999 size=1\n"):
        data = header("x", len(record), tarfile.XHDTYPE) + padded(record)
        data += header("main.tex", len(LATEX)) + padded(LATEX) + END
        for each in opened(data):
            assert isinstance(each, Skipped) or set(each.files["main.tex"]) <= set(LATEX)


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE,
                                  tarfile.CONTTYPE, b"Z"])  # fmt: skip
def test_devices_are_skipped(kind: bytes) -> None:
    data = header("main.tex", 0, kind) + END
    assert opened(data) in ([Skipped("main.tex", "is not a plain file")],
                            [Bundle("", {"main.tex": b""})])  # fmt: skip


def test_a_link_to_a_member_and_a_circle_of_links() -> None:
    data = header("a.tex", 0, tarfile.SYMTYPE, "b.tex") + header(
        "b.tex", 0, tarfile.SYMTYPE, "a.tex"
    )
    assert reasons(data + END) == "is a link; is a link"
    data = header("main.tex", 0, tarfile.LNKTYPE, "../../../etc/passwd") + END
    assert reasons(data) == "is a link"


def test_a_folder_that_is_a_link_first() -> None:
    """`a` is a link to /, then a/etc/x.tex is a file: nothing is written, so nothing follows."""
    data = header("a", 0, tarfile.SYMTYPE, "/") + header("a/etc/x.tex", len(LATEX)) + padded(LATEX)
    assert opened(data + END) == [Skipped("a", "is a link"), Bundle("", {"a/etc/x.tex": LATEX})]


def test_a_name_without_end_is_shown_in_part(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        info = tarfile.TarInfo("../" + "x" * 100_000 + ".tex")
        tar.addfile(info)
    (source,) = sources([tmp_path / "a.tar"])
    (found,) = (each for article in source.articles() for each in pairs(article, CorpusConfig()))
    assert isinstance(found, Dropped) and found.reason == "unreadable"
    assert len(found.equation) < 300


def test_names_that_steer_a_terminal_are_cleaned(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("../\x1b]0;owned\x07\u202e\n.tex"))
    (source,) = sources([tmp_path / "a.tar"])
    (found,) = (each for article in source.articles() for each in pairs(article, CorpusConfig()))
    assert isinstance(found, Dropped)
    assert not {"\x1b", "\x07", "\n"} & {*found.equation}


def test_slots_of_a_tar_that_lies(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(header("0704.0001.gz", 1 << 40) + b"x" * 512)
    for source in sources([path]):
        for article in source.articles():
            (found,) = pairs(article, CorpusConfig())
            assert isinstance(found, Dropped) and found.reason == "unreadable"
    path.write_bytes(END)
    assert slots(str(path)) == ([], True)


# -- zip -----------------------------------------------------------------------------------------


def zipped(*names: str, data: bytes = LATEX) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        for name in names:
            out.writestr(name, data)
    return buffer.getvalue()


def test_a_zip_of_overlapping_members_spends_its_allowance() -> None:
    """Many entries, one and the same megabytes of data (Fifield's bomb)."""
    data = zipped("main.tex", data=bytes(15 * MB))
    start = struct.unpack("<I", data[-6:-2])[0]
    entry, end = data[start:-22], data[-22:]
    count = 400
    entries = b"".join(entry[:46] + b"%04d.tex" % n + entry[54:] for n in range(count))
    end = end[:8] + struct.pack("<HHI", count, count, len(entries)) + end[16:]
    local = data[:start].replace(b"main.tex", b"0000.tex")
    found = opened(local + entries + end)
    assert sum(isinstance(each, Skipped) for each in found) == 399  # of other names than the data
    assert sum(len(d) for e in found if isinstance(e, Bundle) for d in e.files.values()) <= 15 * MB


def test_a_zip_that_needs_a_password() -> None:
    data = bytearray(zipped("main.tex"))
    data[6] |= 1
    start = struct.unpack("<I", data[-6:-2])[0]
    data[start + 8] |= 1
    assert "password" in reasons(bytes(data)) or "encrypted" in reasons(bytes(data))


def test_a_zip_that_says_it_has_more_entries_than_it_has() -> None:
    data = bytearray(zipped("main.tex"))
    data[-14:-10] = b"\xff\xff\xff\xff"
    assert opened(bytes(data)) in ([Bundle("", {"main.tex": LATEX})],) or reasons(bytes(data))


def test_a_directory_of_a_zip_that_is_somewhere_else() -> None:
    for place in (0, 1, 1 << 31, (1 << 32) - 2):
        data = bytearray(zipped("main.tex"))
        data[-6:-2] = struct.pack("<I", place)
        assert reasons(bytes(data)).startswith("is broken (")


def test_a_zip_of_many_entries_is_refused() -> None:
    """They fit into an upload; the memory for them stays in proportion to it."""
    entry = bytearray(zipped("a")[struct.unpack("<I", zipped("a")[-6:-2])[0] : -22])
    count = 50_000
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(entry) * count, 0, 0)
    data = bytes(entry) * count + end
    assert "20,000 members" in reasons(zipped("a")[:31] + data)


@pytest.mark.parametrize("name", ["../x.tex", "/x.tex", "C:\\x.tex", "a/../../x.tex", "..\\x.tex",
                                  "\\\\server\\x.tex"])  # fmt: skip
def test_names_of_a_zip_that_lead_outside(name: str) -> None:
    assert reasons(zipped(name)) in ("leads outside the archive", "has an absolute path")


def test_a_zip_behind_a_program_is_a_zip_all_the_same() -> None:
    data = b"#!/bin/sh\nrm -rf /\n" + zipped("main.tex")
    found = opened(data, "paper.zip")
    assert [each.files for each in found if isinstance(each, Bundle)] in (
        [{"main.tex": LATEX}], [{"paper.tex": data}],
    )  # fmt: skip


# -- streams -------------------------------------------------------------------------------------


def test_a_bomb_in_a_bomb_in_a_bomb() -> None:
    data = bytes(200 * MB)
    for _ in range(3):
        data = gzip.compress(data, mtime=0)
    (found,) = opened(data)
    assert isinstance(found, Bundle) and sum(map(len, found.files.values())) < MB  # one is opened


def test_many_streams_one_after_the_other() -> None:
    one = gzip.compress(bytes(MB), mtime=0)
    tracemalloc.start()
    assert reasons(one * 500) == "is larger than 16 MB"
    assert tracemalloc.get_traced_memory()[1] < 100 * MB
    tracemalloc.stop()
    assert reasons(bz2.compress(bytes(MB)) * 500, "paper.bz2") == "is larger than 16 MB"


def test_a_header_of_gzip_without_end() -> None:
    data = b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * 5_000_000
    assert reasons(data).startswith("is broken (")


def test_a_stream_that_goes_on_as_something_else() -> None:
    assert reasons(gzip.compress(LATEX, mtime=0) + b"\x1f\x8b\x08" + b"?" * 100).startswith(
        "is broken"
    )


def test_a_checksum_that_is_wrong() -> None:
    data = bytearray(gzip.compress(LATEX, mtime=0))
    data[-8] ^= 1
    assert reasons(bytes(data)).startswith("is broken (")


# -- every kind of archive against every attack ----------------------------------------------------


def member(name: str, data: bytes = LATEX) -> bytes:
    return header(name, len(data)) + padded(data)


def special(mode: int, name: str = "main.tex", data: bytes = b"/etc/passwd") -> bytes:
    """A zip with a member that is of another kind than a file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        info = zipfile.ZipInfo(name)
        info.external_attr = (mode | 0o777) << 16
        out.writestr(info, data)
    return buffer.getvalue()


def lying(data: bytes, size: int) -> bytes:
    """A zip of one member, as which it says that it has another size."""
    start = struct.unpack("<I", data[-6:-2])[0]
    size_bytes = struct.pack("<I", size)
    return data[:22] + size_bytes + data[26 : start + 24] + size_bytes + data[start + 28 :]


LONG = "a/" * 30_000 + "main.tex"
TARS = {
    "slip": (member("../../evil.tex"), "leads outside the archive"),
    "slip inside": (member("a/../../evil.tex"), "leads outside the archive"),
    "absolute": (member("/etc/evil.tex"), "has an absolute path"),
    "drive": (member("C:/evil.tex"), "has an absolute path"),
    "symbolic link": (header("main.tex", 0, tarfile.SYMTYPE, "/etc/passwd"), "is a link"),
    "hard link": (header("main.tex", 0, tarfile.LNKTYPE, "/etc/passwd"), "is a link"),
    "device": (header("main.tex", 0, tarfile.CHRTYPE), "is not a plain file"),
    "pipe": (header("main.tex", 0, tarfile.FIFOTYPE), "is not a plain file"),
    "sparse": (sparse(4_000)[:1_024], "is not a plain file"),
    "sparse, huge": (sparse(1 << 32)[:1_024], r"is not a plain file|is broken"),
    "lying size": (header("main.tex", 1 << 40) + b"x" * 512, "larger|broken"),
    "bomb": (member("main.tex", bytes(17 * MB)), "is larger than 16 MB"),
    "long name": (member("../" + LONG), "leads outside the archive"),
    "odd name": (member("../\udcff\x1b[2J.tex"), "leads outside the archive"),
}
ZIPS = {
    "slip": (zipped("../../evil.tex"), "leads outside the archive"),
    "slip inside": (zipped("a/../../evil.tex"), "leads outside the archive"),
    "backslashes": (zipped("..\\..\\evil.tex"), "leads outside the archive"),
    "absolute": (zipped("/etc/evil.tex"), "has an absolute path"),
    "drive": (zipped("C:\\evil.tex"), "has an absolute path"),
    "symbolic link": (special(stat.S_IFLNK), "is a link"),
    "device": (special(stat.S_IFCHR), "is not a plain file"),
    "pipe": (special(stat.S_IFIFO), "is not a plain file"),
    "lying size, less": (lying(zipped("main.tex", data=bytes(5_000)), 10), "is broken"),
    "lying size, more": (lying(zipped("main.tex"), 1 << 31), "is larger than 16 MB"),
    "bomb": (zipped("main.tex", data=bytes(17 * MB)), "is larger than 16 MB"),
    "long name": (zipped("../" + LONG), "leads outside the archive"),
}
ATTACKS = {f"tar: {name}": (data + END, why) for name, (data, why) in TARS.items()}
ATTACKS |= {f"zip: {name}": attack for name, attack in ZIPS.items()}


def as_it_is(data: bytes) -> bytes:
    return data


def in_a_tar(data: bytes) -> bytes:
    return member("0704.0001.gz", data) + END


def in_a_zip(data: bytes) -> bytes:
    return zipped("0704.0001.gz", data=data)


OUTER = [as_it_is, in_a_tar, in_a_zip]
COMPRESSED = [gzip.compress, bz2.compress]  # of a zip: a file, which is no archive


@pytest.mark.parametrize(
    ("attack", "outer"),
    [(attack, outer) for attack in ATTACKS
     for outer in (OUTER if attack.startswith("zip") else OUTER + COMPRESSED)],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)  # fmt: skip
def test_every_attack_in_every_kind_of_archive(
    attack: str, outer: Callable[[bytes], bytes]
) -> None:
    """Nothing of it comes out, and it is told why."""
    data, why = ATTACKS[attack]
    found = opened(outer(data))
    assert found and all(isinstance(each, Skipped) for each in found)
    assert re.search(why, "; ".join(each.why for each in found if isinstance(each, Skipped)))


# -- on the disk -----------------------------------------------------------------------------------


def test_nothing_of_an_archive_is_written(tmp_path: Path) -> None:
    home = tmp_path / "articles"
    home.mkdir()
    with tarfile.open(home / "a.tar", "w") as tar:
        for name in ("main.tex", "../evil.tex", "/tmp/evil-of-topiceq.tex"):
            info = tarfile.TarInfo(name)
            info.size = len(LATEX)
            tar.addfile(info, io.BytesIO(LATEX))
    before = sorted(tmp_path.rglob("*"))
    assert list(extract(home)) == []
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/tmp/evil-of-topiceq.tex").exists()


@pytest.mark.parametrize("target", ["/etc/passwd", "/dev/zero", "../outside.tex", "."])
def test_links_on_the_disk_that_lead_outside_are_not_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside.tex").write_text(r"\[ secret \]")
    home = tmp_path / "articles"
    home.mkdir()
    (home / "main.tex").symlink_to(target)
    with pytest.raises(CorpusError, match="holds no articles"):
        list(sources([home]))


def test_an_article_cannot_read_what_is_beside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("The password is swordfish.")
    home = tmp_path / "articles"
    home.mkdir()
    for name in ("../secret", "/etc/passwd", "|cat /etc/passwd", "~/x", str(tmp_path / "secret")):
        (home / "main.tex").write_text(
            rf"\begin{{document}}\input{{{name}}} \[ x \] \end{{document}}"
        )
        found = [each for source in sources([home]) for article in source.articles()
                 for each in pairs(article, CorpusConfig())]  # fmt: skip
        assert "swordfish" not in str(found) and "root:" not in str(found)
