"""Archives of every kind, whole, nested, broken and hostile."""

import bz2
import gzip
import io
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topiceq.article import archive
from topiceq.article.archive import Bundle, Skipped, archive_stem, clean, slots, unpack

LATEX = rb"\documentclass{article}"


def tar(files: dict[str, bytes], *others: tarfile.TarInfo, mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as out:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            out.addfile(info, io.BytesIO(data))
        for info in others:
            out.addfile(info)
    return buffer.getvalue()


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as out:
        for name, data in files.items():
            out.writestr(name, data)
    return buffer.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


def opened(data: bytes, name: str = "paper.gz", *, nested: bool = True) -> list[Bundle | Skipped]:
    return list(unpack(io.BytesIO(data), name, len(data), nested=nested))


FILES = {"main.tex": LATEX, "sections/a.tex": b"a", "own.sty": b"s"}


@pytest.mark.parametrize(
    "data",
    [
        tar(FILES),
        tar(FILES, mode="w:gz"),
        tar(FILES, mode="w:bz2"),
        gzip.compress(tar(FILES), mtime=0),
        bz2.compress(tar(FILES)),
        zipped(FILES),
        zipped(FILES, zipfile.ZIP_STORED),
    ],
)
@pytest.mark.parametrize("name", ["paper.gz", "paper.tar", "paper.zip", "paper"])
def test_the_bytes_tell_the_kind_of_archive_and_not_the_name(data: bytes, name: str) -> None:
    assert opened(data, name) == [Bundle("", FILES)]


@pytest.mark.parametrize("data", [LATEX, gzip.compress(LATEX, mtime=0), bz2.compress(LATEX)])
def test_a_single_compressed_file_takes_the_name_of_its_archive(data: bytes) -> None:
    assert opened(data, "0704.0001.gz") == [Bundle("", {"0704.0001.tex": LATEX})]


def test_an_old_tar_without_magic_number_is_a_tar() -> None:
    data = bytearray(tar({"main.tex": LATEX}))
    data[257:265] = bytes(8)
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    assert opened(gzip.compress(bytes(data), mtime=0)) == [Bundle("", {"main.tex": LATEX})]


@pytest.mark.parametrize("text", [b"%!PS-Adobe", b"%PDF-1.4", b"\n<!doctype html>"])
def test_what_arxiv_keeps_instead_of_latex_is_refused(text: bytes) -> None:
    assert opened(gzip.compress(text, mtime=0)) == [
        Skipped("", "holds PostScript, PDF or HTML, not LaTeX")
    ]


def test_only_text_is_kept() -> None:
    files = FILES | {"plot.pdf": b"%PDF", "plot.eps.gz": b"?", ".git/x.tex": b"", "run.py": b""}
    assert opened(tar(files)) == [Bundle("", FILES)]
    assert opened(zipped(files | {"__MACOSX/._main.tex": b"?"})) == [Bundle("", FILES)]


def bulk() -> dict[str, bytes]:
    return {
        "0704/0704.0002.gz": tar(FILES, mode="w:gz"),
        "0704/0704.0001.gz": gzip.compress(LATEX, mtime=0),
        "0704/0704.0003.pdf": b"%PDF",
    }


@pytest.mark.parametrize("data", [tar(bulk()), tar(bulk(), mode="w:gz"), zipped(bulk())])
def test_archives_inside_an_archive_are_bundles_of_their_own(data: bytes) -> None:
    assert opened(data) == [
        Bundle("0704/0704.0002.gz", FILES),
        Bundle("0704/0704.0001.gz", {"0704.0001.tex": LATEX}),
    ]
    assert opened(data, nested=False) == []


def test_archives_are_opened_only_one_level_deep() -> None:
    inner = tar({"deep.tar": tar(FILES), "own.tex": b"x"}, mode="w:gz")
    assert opened(tar({"a.gz": inner})) == [Bundle("a.gz", {"own.tex": b"x"})]


def test_slots_lead_straight_to_the_members_of_a_tar(tmp_path: Path) -> None:
    path = tmp_path / "bulk.tar"
    path.write_bytes(tar(bulk()))
    found, rest = slots(str(path))
    assert [slot.name for slot in found] == ["0704/0704.0001.gz", "0704/0704.0002.gz"]
    assert not rest
    data = path.read_bytes()[found[0].offset :][: found[0].size]
    assert gzip.decompress(data) == LATEX


@pytest.mark.parametrize(
    "data", [tar(FILES), tar(FILES, mode="w:gz"), b"", b"rubbish", tar(FILES)[:700]]
)
def test_what_is_no_tar_of_archives_has_no_slots(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(data)
    assert slots(str(path)) == ([], True)


def test_slots_tell_of_anything_else_in_the_tar(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(tar(bulk() | {"../evil.gz": b""}))
    found, rest = slots(str(path))
    assert len(found) == 2 and rest


def test_members_that_lead_outside_are_skipped_and_the_rest_is_read() -> None:
    evil = {"../evil.tex": b"", "/etc/evil.tex": b"", "a/../../evil.tex": b"", "C:/evil.tex": b""}
    links = (
        special("hard.tex", tarfile.LNKTYPE, "/etc/passwd"),
        special("soft.tex", tarfile.SYMTYPE, "/etc/passwd"),
        special("pipe.tex", tarfile.FIFOTYPE),
        special("device.tex", tarfile.CHRTYPE),
        special("folder.tex", tarfile.DIRTYPE),
    )
    for mode in ("w", "w:gz"):
        assert opened(tar(evil | {"a/./main.tex": LATEX}, *links, mode=mode)) == [
            Skipped("../evil.tex", "leads outside the archive"),
            Skipped("/etc/evil.tex", "has an absolute path"),
            Skipped("../evil.tex", "leads outside the archive"),
            Skipped("C:/evil.tex", "has an absolute path"),
            Skipped("hard.tex", "is a link"),
            Skipped("soft.tex", "is a link"),
            Skipped("pipe.tex", "is not a plain file"),
            Skipped("device.tex", "is not a plain file"),
            Bundle("", {"a/main.tex": LATEX}),
        ]


def test_the_same_for_zip() -> None:
    link = zipfile.ZipInfo("soft.tex")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO(zipped({"..\\evil.tex": b"", "/evil.tex": b"", "main.tex": LATEX}))
    with zipfile.ZipFile(buffer, "a") as out:
        out.writestr(link, "/etc/passwd")
    assert opened(buffer.getvalue()) == [
        Skipped("../evil.tex", "leads outside the archive"),
        Skipped("/evil.tex", "has an absolute path"),
        Skipped("soft.tex", "is a link"),
        Bundle("", {"main.tex": LATEX}),
    ]


def test_a_gzip_bomb_is_cut_off_early() -> None:
    bomb = gzip.compress(bytes(64 << 20), mtime=0)
    tracemalloc.start()
    assert opened(bomb) == [Skipped("", "is larger than 16 MB")]
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("name", ["main.tex", "zeros.png"])
def test_a_tar_bomb_is_cut_off_early(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(archive, "MAX_ARCHIVE_BYTES", 3 << 20)
    files = {f"{i}/{name}": bytes(1 << 20) for i in range(5)}
    bomb = tar({"a.tex": LATEX} | files, mode="w:gz")
    assert opened(bomb) == [Skipped("", "unpacks to more than 3 MB")]


def test_a_zip_bomb_is_cut_off_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ARCHIVE_BYTES", 3 << 20)
    bomb = zipped({f"{i}.tex": bytes(1 << 20) for i in range(5)})
    assert opened(bomb) == [Skipped("", "unpacks to more than 3 MB")]


def test_a_bomb_of_many_zips_spends_the_allowance_of_the_outer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archive, "MAX_ARCHIVE_BYTES", 3 << 20)
    inner = zipped({f"{i}.tex": bytes(1 << 20) for i in range(2)})
    found = opened(zipped({f"{i}.zip": inner for i in range(50)}))
    assert found[-1] == Skipped("", "unpacks to more than 3 MB")
    assert len(found) < 5


def test_a_large_member_is_skipped_without_being_unpacked() -> None:
    bomb = zipped({"bomb.tex": bytes(100 << 20), "main.tex": LATEX})
    tracemalloc.start()
    assert opened(bomb) == [
        Skipped("bomb.tex", "is larger than 16 MB"),
        Bundle("", {"main.tex": LATEX}),
    ]
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_a_zip_that_lies_about_a_size_is_broken() -> None:
    data = bytearray(zipped({"main.tex": bytes(40 << 20)}))
    true, false = (40 << 20).to_bytes(4, "little"), (100).to_bytes(4, "little")
    assert opened(bytes(data.replace(true, false))) == [
        Skipped("main.tex", "is broken (Bad CRC-32 for file 'main.tex')")
    ]


def test_zip_methods_that_unpack_without_a_limit_are_refused() -> None:
    assert opened(zipped({"main.tex": LATEX}, zipfile.ZIP_BZIP2)) == [
        Skipped("main.tex", "is broken (compressed by another method than deflate)")
    ]


def test_too_many_members_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 1000)
    data = tar({f"{i}.png": b"" for i in range(1001)}, mode="w:gz")
    assert opened(data) == [Skipped("", "has more than 1,000 members")]


def test_a_negative_size_does_not_lead_round_in_circles(tmp_path: Path) -> None:
    data = bytearray(tar({"a.gz": b"x" * 600, "b.gz": b"x"}))
    data[124:136] = (256**12 - 512).to_bytes(12, "big")
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    (tmp_path / "x.tar").write_bytes(data)
    assert slots(str(tmp_path / "x.tar")) == ([], True)
    assert opened(bytes(data)) == [Skipped("", "is broken (a member of negative size)")]


@pytest.mark.parametrize("make", [lambda: tar(FILES, mode="w:gz"), lambda: zipped(FILES),
                                  lambda: gzip.compress(LATEX)])  # fmt: skip
def test_half_an_archive_is_broken(make: Callable[[], bytes]) -> None:
    data = make()
    (skipped,) = opened(data[: len(data) // 2])
    assert isinstance(skipped, Skipped) and skipped.why.startswith("is broken (")


SEEDS = [tar(bulk()), tar(FILES, mode="w:gz"), zipped(bulk()), gzip.compress(LATEX, mtime=0)]


@settings(max_examples=300, deadline=None)
@given(
    data=st.sampled_from(SEEDS),
    edits=st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=5),
    cut=st.integers(1, 20_000),
)
def test_damage_gives_a_reason_and_never_an_exception(
    data: bytes, edits: list[tuple[int, int]], cut: int
) -> None:
    damaged = bytearray(data)
    for place, byte in edits:
        damaged[place % len(damaged)] = byte
    assert all(isinstance(each, Bundle | Skipped) for each in opened(bytes(damaged[:cut])))


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("a/0704.0001.gz", "a/0704.0001"),
        ("hep-th9901001.gz", "hep-th9901001"),
        ("0704.0001v2.gz", "0704.0001v2"),
        ("paper.v2.gz", "paper.v2"),
        ("paper.TAR.GZ", "paper"),
        ("paper.tgz", "paper"),
        ("paper.tar.bz2", "paper"),
        ("arXiv_src_0704_001.tar", "arXiv_src_0704_001"),
        ("paper.tex.gz", "paper"),
        ("table.csv.gz", None),
        ("paper.tex", None),
    ],
)
def test_archive_stem(name: str, stem: str | None) -> None:
    assert archive_stem(name) == stem


def test_clean_names_are_one_line_of_unicode() -> None:
    assert clean("caf\udce9\n.tex") == "caf\ufffd?.tex"
