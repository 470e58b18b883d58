r"""Articles in folders, files and archives: main files, \input, ids, fields, hostile input."""

import gzip
import io
import os
import pickle
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from topiceq.article import archive
from topiceq.article.files import Files, FolderFiles, MemoryFiles, Unreadable
from topiceq.article.source import Article, Source, sources
from topiceq.errors import CorpusError

MAIN = "\\documentclass{article}\n\\begin{document}\n%s\n\\end{document}\n"


def write(top: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return top


def tar(files: Mapping[str, str | bytes], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as out:  # type: ignore[call-overload]
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(data)
            out.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def opened(*paths: Path, field: str | Path = "folder") -> list[Article | Unreadable]:
    """Opens the sources as another process would."""
    found: list[Source] = pickle.loads(pickle.dumps(list(sources(paths, field=field))))
    return [article for source in found for article in source.articles()]


def roots(top: Path) -> list[str]:
    return [each.root for each in opened(top) if isinstance(each, Article)]


def ids(*paths: Path) -> list[str]:
    return [each.id for each in opened(*paths) if isinstance(each, Article)]


def fields(*paths: Path, field: str | Path = "folder") -> dict[str, str]:
    found = opened(*paths, field=field)
    return {each.id: each.field for each in found if isinstance(each, Article)}


# --- reading one file ---


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("naïve\r\nb\rc".encode(), "naïve\nb\nc"),
        (b"\xef\xbb\xbfbom", "bom"),
        (b"caf\xe9", "café"),
        (b"", ""),
        (b"rub\0bish", None),
    ],
)
def test_text_is_decoded_the_same_on_disk_and_in_memory(
    tmp_path: Path, data: bytes, text: str | None
) -> None:
    write(tmp_path, {"a.tex": data})
    assert MemoryFiles({"a.tex": data}).read("a.tex") == text
    assert FolderFiles(str(tmp_path)).read("a.tex") == text


def test_why_a_file_gives_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILE_BYTES", 2 << 20)
    write(tmp_path, {"large.tex": bytes(3 << 20), "binary.tex": b"\0"})
    files = FolderFiles(str(tmp_path))
    assert files.load("none.tex") == Unreadable("none.tex", "does not exist")
    assert files.load("large.tex") == Unreadable("large.tex", "is larger than 2 MB")
    assert files.load("binary.tex") == Unreadable("binary.tex", "is binary, not text")
    assert files.read("large.tex") is None


TREE = {
    "top.tex": "",
    "book/main.tex": "",
    "book/part/one.tex": "",
    "book/part/own.tex": "",
    "book/one.tex": "",
    "book/own.sty": "",
    "book/bare": "",
    "book/v1.2.tex": "",
}


@pytest.fixture(params=["folder", "memory"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    if request.param == "memory":
        return MemoryFiles({name: text.encode() for name, text in TREE.items()})
    return FolderFiles(str(write(tmp_path, TREE)))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("one", "book/one.tex"),  # the main file's folder first
        ("one.tex", "book/one.tex"),
        ("part/one", "book/part/one.tex"),
        ("./part//one", "book/part/one.tex"),
        (' "part/one" ', "book/part/one.tex"),
        ("own", "book/part/own.tex"),  # then that of the file which reads it
        ("top", "top.tex"),  # then the folders above
        ("../top", "top.tex"),
        ("bare", "book/bare"),
        ("v1.2", "book/v1.2.tex"),
        ("none", None),
        ("", None),
        ("part", None),
        ("../../../top", None),
        ("x" * 2000, None),
        ("a\0b", None),
    ],
)
def test_find_resolves_names_as_latex_does(tree: Files, name: str, found: str | None) -> None:
    assert tree.find(name, near="book/part/one.tex", root="book/main.tex") == found


def test_find_with_another_suffix(tree: Files) -> None:
    assert tree.find("own", near="book/main.tex", root="book/main.tex", suffix=".sty") == (
        "book/own.sty"
    )


def test_nothing_outside_the_source_is_found_or_read(tmp_path: Path) -> None:
    secret = write(tmp_path, {"secret.tex": "secret"}) / "secret.tex"
    top = write(tmp_path / "top", {"a/main.tex": ""})
    (top / "link.tex").symlink_to(secret)
    (top / "way").symlink_to(tmp_path)
    files = FolderFiles(str(top))
    for name in (str(secret), "../../secret", "../../../../../etc/passwd", "link", "way/secret",
                 "C:/secret", "c:secret", "\\secret", "~/secret", "|cat secret"):  # fmt: skip
        assert files.find(name, near="a/main.tex", root="a/main.tex") is None
    for path in (str(secret), "../secret.tex", "link.tex", "way/secret.tex"):
        assert files.read(path) is None
    assert roots(top) == ["a/main.tex"]


# --- main files ---


@pytest.mark.parametrize(
    "command",
    [
        r"\input{part}",
        r"\input part",
        r"\input part.tex ",
        r"\input{part.tex}",
        r'\input{"part"}',
        r"\include{part}",
        r"\include {part}",
        r"\subfile{part}",
        r"\subfileinclude{part}",
        r"\InputIfFileExists{part}{}{}",
        r"\import{./}{part}",
        r"\import{}{part}",
        r"\subimport{.}{part}",
        r"\subimport*{.}{part.tex}",
        r"\includefrom{./}{part}",
        r"\subincludefrom{./}{part}",
        r"100\% of \input{part}",
    ],
)
def test_what_another_file_reads_is_no_article(tmp_path: Path, command: str) -> None:
    write(tmp_path, {"main.tex": MAIN % command, "part.tex": "part"})
    assert roots(tmp_path) == ["main.tex"]


@pytest.mark.parametrize(
    "text", [r"% \input{part}", r"\\% \input{part}", r"\inputs{part}", r"\input{#1}", r"\input{\x}"]
)
def test_what_no_file_reads_is_an_article(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"main.tex": MAIN % text, "part.tex": "part"})
    assert roots(tmp_path) == ["main.tex", "part.tex"]


BUILT = {
    "a macro in the name": r"\newcommand\where{parts} \input{\where/a} \input{\where/b}",
    "a heading in the name": r"\newcommand\part{parts} \input{\part/a} \input{\part/b}",
    "an argument": r"\newcommand{\chap}[1]{\input{parts/#1}} \chap{a} \chap{b.tex}",
    "a macro is the name": r"\def\one{parts/a} \def\two{parts/b} \input\one \input{\two}",
    "a loop": r"\foreach \x in {a,b} {\input{parts/\x}}",
    "a list of what is included": (
        r"\newcommand{\isincluded}[3]{\ifthenelse{\equal{#1}{c}}{#3}{#2}}"
        r"\newcommand{\add}[1]{\isincluded{#1}{\input{parts/#1}}{}} \add{a} \add{b}"
    ),
}


@pytest.mark.parametrize("text", BUILT.values(), ids=BUILT.keys())
def test_a_file_whose_name_macros_build_belongs_to_its_reader(tmp_path: Path, text: str) -> None:
    files = {"main.tex": MAIN % text, "parts/a.tex": "a", "parts/b.tex": "b", "parts/c.tex": "c"}
    assert roots(write(tmp_path, files)) == ["main.tex", "parts/c.tex"]
    main = next(source for source in sources([tmp_path]) if source.id == "main")
    assert main.size == len(files["main.tex"]) + 2


def test_the_macro_that_builds_names_may_stand_in_another_file(tmp_path: Path) -> None:
    files = {
        "main.tex": "\\input{preamble}\n\\begin{document} \\chap{one} \\end{document}",
        "preamble.tex": "\\documentclass{book}\n\\newcommand{\\chap}[1]{\\include{ch/#1/text}}",
        "ch/one/text.tex": r"\newcommand\here{ch/one} \input{\here/more}",
        "ch/one/more.tex": "more",
    }
    assert roots(write(tmp_path, files)) == ["main.tex"]


def test_a_book_of_nested_parts_is_one_source(tmp_path: Path) -> None:
    chapters = {
        "book/main.tex": r"\input{preamble} \include{one/one} \import{two}{two}",
        "book/preamble.tex": "\\documentclass{book}\n\\usepackage{own}",
        "book/one/one.tex": r"\input{section}",
        "book/one/section.tex": "1",
        "book/two/two.tex": r"\subimport{parts/}{a}",
        "book/two/parts/a.tex": "2",
        "book/own.sty": r"\input{macros}",
        "book/macros.tex": "",
    }
    (source,) = sources([write(tmp_path, chapters)])
    assert source.id == "book/main"
    assert source.size == sum(map(len, chapters.values()))


def test_subimport_looks_beside_the_file_which_reads(tmp_path: Path) -> None:
    files = {"main.tex": MAIN % r"\input{d/d}", "a.tex": "", "d/a.tex": "", "d/b.tex": ""}
    assert roots(write(tmp_path, files | {"d/d.tex": r"\input{a}\input{b}"})) == [
        "d/a.tex",
        "main.tex",
    ]
    assert roots(write(tmp_path, files | {"d/d.tex": r"\subimport{}{a}\input{b}"})) == [
        "a.tex",
        "main.tex",
    ]


@pytest.mark.parametrize(
    ("text", "main"),
    [
        ("A chapter.", ["book/chapter.tex"]),
        (MAIN % "An article.", ["book/chapter.tex", "book/macros.tex"]),
        (r"\documentclass{article}", ["book/chapter.tex", "book/macros.tex"]),
    ],
)
def test_macros_belong_to_a_chapter_without_its_main_file(
    tmp_path: Path, text: str, main: list[str]
) -> None:
    write(tmp_path, {"book/chapter.tex": text, "book/macros.tex": "macros", "own.sty": "style"})
    assert roots(tmp_path) == main
    chapter = next(iter(sources([tmp_path])))
    assert chapter.size == len(text) + (len("macros" + "style") if len(main) == 1 else 0)


def test_subfiles_belong_to_their_main_file_if_it_reads_them(tmp_path: Path) -> None:
    sub = "\\documentclass[main]{subfiles}\n\\begin{document}x\\end{document}"
    write(tmp_path, {"main.tex": MAIN % r"\subfile{a}", "a.tex": sub, "b.tex": sub})
    assert roots(tmp_path) == ["b.tex", "main.tex"]


def test_the_same_file_can_be_read_from_several_folders(tmp_path: Path) -> None:
    shared = r"\input{../frame}"
    files = {"a/main.tex": shared, "b/main.tex": shared, "frame.tex": MAIN % r"\input{body}"}
    write(tmp_path, files | {"a/body.tex": "a", "b/body.tex": "b"})
    assert roots(tmp_path) == ["a/main.tex", "b/main.tex"]


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"a": r"\input{a}"}, ["a"]),
        ({"b": r"\input{a}", "a": r"\input{b}"}, ["a"]),
        ({"b": MAIN % r"\input{a}", "a": r"\input{b}"}, ["b"]),
        ({"a": "", "c": r"\input{b}", "b": r"\input{c}\input{a}"}, ["b"]),
        ({"a": r"\input{b}", "b": r"\input{a}", "c": r"\input{b}"}, ["c"]),
    ],
)
def test_files_that_read_each_other_are_not_lost(
    tmp_path: Path, files: dict[str, str], main: list[str]
) -> None:
    write(tmp_path, {f"{name}.tex": text for name, text in files.items()})
    assert roots(tmp_path) == [f"{name}.tex" for name in main]


def test_a_long_chain_is_one_article(tmp_path: Path) -> None:
    write(tmp_path, {f"{i:04}.tex": rf"\input{{{i - 1:04}}}" for i in range(1500)})
    assert roots(tmp_path) == ["1499.tex"]


# --- sources, ids, keys ---


def test_sources_are_sorted_and_hidden_folders_left_out(tmp_path: Path) -> None:
    names = ["b/x.tex", "a/y.latex", "c.ltx", "a/z.TEX", ".git/g.tex", ".h.tex", "notes.txt"]
    write(tmp_path, {name: MAIN for name in names})
    assert ids(tmp_path) == ["a/y", "a/z", "b/x", "c"]
    assert roots(tmp_path) == ["a/y.latex", "a/z.TEX", "b/x.tex", "c.ltx"]


def test_a_pipe_named_tex_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(write(tmp_path, {"a.tex": MAIN}) / "pipe.tex")
    assert ids(tmp_path) == ["a"]


def test_ids_do_not_collide(tmp_path: Path) -> None:
    two = tar({"main.tex": MAIN, "other.tex": MAIN})
    files: dict[str, str | bytes] = {"x.tex": MAIN, "x.ltx": MAIN, "y/main.tex": MAIN}
    files |= {"x.zip": two, "y.tar": two}
    assert ids(write(tmp_path, files)) == [
        "x.ltx", "x", "x.zip/main", "x.zip/other", "y.tar/main", "y.tar/other", "y/main"
    ]  # fmt: skip


def test_several_paths_put_their_names_before_the_ids(tmp_path: Path) -> None:
    write(tmp_path, {"a/src/x.tex": MAIN, "b/src/x.tex": MAIN, "y.tex": MAIN})
    write(tmp_path, {"p.tar": tar({"0704/0704.0001.gz": gzip.compress(MAIN.encode(), mtime=0)})})
    paths = [tmp_path / name for name in ("a/src", "b/src", "y.tex", "p.tar", "a/../a/src")]
    assert ids(*paths) == ["src/x", "src-2/x", "y", "p/0704.0001"]


def test_a_single_file_reads_only_its_own_folder(tmp_path: Path) -> None:
    main = MAIN % r"\input{part}\input{../x}"
    write(tmp_path, {"a/main.tex": main, "a/part.tex": "p", "x.tex": ""})
    (source,) = sources([tmp_path / "a" / "main.tex"])
    assert source.size == len(main) + len("p")
    (article,) = source.articles()
    assert isinstance(article, Article)
    assert (article.id, article.field, article.files.read("part.tex")) == ("main", "", "p")


def test_the_key_changes_with_any_file_that_is_read(tmp_path: Path) -> None:
    main = MAIN % r"\usepackage{own}\input{part}"
    other = MAIN % "1"
    write(tmp_path, {"main.tex": main, "part.tex": "1", "own.sty": "1", "other.tex": other})

    def keys() -> list[str]:
        return [source.key for source in sources([tmp_path])]

    before = keys()
    assert keys() == before
    for changed in ("part.tex", "own.sty"):
        write(tmp_path, {changed: "22"})
        assert keys()[0] != before[0] and keys()[1] == before[1]
        before = keys()


def test_names_that_are_no_unicode_give_clean_ids(tmp_path: Path) -> None:
    with open(os.path.join(os.fsencode(tmp_path), b"caf\xe9.tex"), "w") as file:
        file.write(MAIN)
    assert ids(tmp_path) == ["caf\ufffd"]


# --- archives ---


def test_arxiv_files_of_either_kind(tmp_path: Path) -> None:
    single = gzip.compress(b"single", mtime=0)
    packed = tar({"ms.tex": MAIN % r"\input{a}", "a.tex": "a"}, "w:gz")
    write(tmp_path, {"0704.0001.gz": single, "0704.0002.gz": packed, "0704.0003": single})
    one, two = opened(tmp_path)
    assert isinstance(one, Article) and isinstance(two, Article)
    assert (one.id, one.root, one.files.read(one.root)) == ("0704.0001", "0704.0001.tex", "single")
    assert (two.id, two.root, two.files.read("a.tex")) == ("0704.0002", "ms.tex", "a")
    assert ids(tmp_path / "0704.0003") == ["0704.0003"]


def test_the_only_document_of_an_archive_has_its_id(tmp_path: Path) -> None:
    write(tmp_path, {"a.tgz": tar({"d/main.tex": MAIN, "unused.tex": "old"}, "w:gz")})
    write(tmp_path, {"b.tar": tar({"d/main.tex": MAIN, "reply.tex": MAIN})})
    assert ids(tmp_path) == ["a", "a/unused", "b/d/main", "b/reply"]


BULK = {
    "0704/0704.0002.gz": gzip.compress(MAIN.encode(), mtime=0),
    "0704/0704.0001.gz": tar({"ms.tex": MAIN}, "w:gz"),
    "0704/0704.0003.pdf": b"%PDF",
    "hep-th/hep-th9901001.gz": gzip.compress(MAIN.encode(), mtime=0),
}


def test_a_bulk_tar_is_one_source_for_each_article(tmp_path: Path) -> None:
    path = write(tmp_path, {"bulk.tar": tar(BULK)}) / "bulk.tar"
    found = list(sources([path]))
    assert [each.id for each in found] == ["0704.0001", "0704.0002", "hep-th9901001"]
    assert [each.size for each in found] == [len(BULK[k]) for k in sorted(BULK) if "pdf" not in k]
    assert len({each.key for each in found}) == 3
    assert ids(path) == ["0704.0001", "0704.0002", "hep-th9901001"]
    assert ids(tmp_path)[0] == "bulk/0704.0001"


def test_a_compressed_bulk_tar_is_one_source(tmp_path: Path) -> None:
    path = write(tmp_path, {"bulk.tar.gz": gzip.compress(tar(BULK), mtime=0)}) / "bulk.tar.gz"
    assert len(list(sources([path]))) == 1
    assert ids(path) == ["0704.0002", "0704.0001", "hep-th9901001"]


def test_loose_files_of_a_bulk_tar_are_read_too(tmp_path: Path) -> None:
    path = write(tmp_path, {"bulk.tar": tar(BULK | {"own.tex": MAIN, "../x.tex": ""})}) / "bulk.tar"
    assert opened(path)[0] == Unreadable("bulk", "member '../x.tex' leads outside the archive")
    assert ids(path) == ["bulk", "0704.0001", "0704.0002", "hep-th9901001"]


def test_a_member_beyond_the_limit_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_ARCHIVE_BYTES", 1 << 20)
    path = write(tmp_path, {"b.tar": tar({"x.gz": os.urandom(2 << 20)})}) / "b.tar"
    assert opened(path) == [Unreadable("x", "is larger than 1 MB")]


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("x.tar.gz", b"\x1f\x8brubbish!!", "is broken (Unknown compression method)"),
        ("x.zip", b"PK\x03\x04rubbish", "is broken (File is not a zip file)"),
        ("x.gz", gzip.compress(bytes(9), mtime=0), "is binary, not text"),
        ("x.tar", tar({"a.png": b"x"}), "holds no articles"),
        ("x.tar", tar({"own.sty": b"x"}), "holds no articles"),
        ("x.tar", tar({"a.tex": b"\0"}), "is binary, not text"),
        ("x.gz", gzip.compress(bytes(20 << 20), mtime=0), "is larger than 16 MB"),
    ],
)
def test_an_archive_that_gives_nothing_says_why(
    tmp_path: Path, name: str, data: bytes, why: str
) -> None:
    path = write(tmp_path, {name: data}) / name
    assert opened(path) == [Unreadable("x", why)]
    assert opened(tmp_path) == [Unreadable("x", why)]


def test_an_archive_that_has_gone_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, {"x.zip": b""}) / "x.zip"
    (source,) = sources([path])
    path.unlink()
    why = "cannot be read (No such file or directory)"
    assert list(source.articles()) == [Unreadable("x", why)]


# --- fields ---


def test_the_first_folder_is_the_field(tmp_path: Path) -> None:
    one = tar({"deep/main.tex": MAIN})
    write(tmp_path, {"x.tex": MAIN, "algebra/a/b/y.tex": MAIN, "hep/2007/z.tar": one, "w.tar": one})
    found = {"x": "", "algebra/a/b/y": "algebra", "hep/2007/z": "hep", "w": ""}
    assert fields(tmp_path) == found
    assert set(fields(tmp_path, field="none").values()) == {""}
    assert fields(tmp_path / "hep" / "2007" / "z.tar") == {"z": "2007"}


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "0704.0001", "categories": "hep-ph math.CO"}\n\n'
        '{"id": "d/x", "field": "algebra"}\n{"id": "hep-th/9901001", "categories": "hep-th"}\n',
        "id,field\n0704.0001,hep-ph\nd/x,algebra\nhep-th/9901001,hep-th\n",
        "\ufeff0704.0001\thep-ph\nd/x\talgebra\n\nhep-th/9901001\thep-th",
    ],
)
def test_a_file_maps_ids_to_fields(tmp_path: Path, text: str) -> None:
    top = write(tmp_path / "top", {"d/x.tex": MAIN, "e/x.tex": MAIN, "bulk.tar": tar(BULK)})
    write(top, {"packed.tar.gz": tar(BULK, "w:gz")})
    table = write(tmp_path, {"fields": text}) / "fields"
    for given in (table, str(table)):
        assert fields(top, field=given) == {
            "d/x": "algebra",
            "e/x": "",
            "bulk/0704.0001": "hep-ph",
            "bulk/0704.0002": "",
            "bulk/hep-th9901001": "hep-th",
            "packed/0704.0001": "hep-ph",
            "packed/0704.0002": "",
            "packed/hep-th9901001": "hep-th",
        }


def test_every_main_file_of_an_archive_has_the_field_of_the_archive(tmp_path: Path) -> None:
    two = tar({"a.tex": MAIN, "b.tex": MAIN})
    top = write(tmp_path / "top", {"0704.0001.gz": gzip.compress(two, mtime=0)})
    table = write(tmp_path, {"fields.csv": "0704.0001,hep-ph"}) / "fields.csv"
    assert fields(top, field=table) == {"0704.0001/a": "hep-ph", "0704.0001/b": "hep-ph"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"id": "a", "field": "x"}\n{"id": "b"}', 2),
        ('{"id": "a", "field": "x"}\nrubbish', 2),
        ('{"id": 7, "field": "x"}', 1),
        ('{"id": "a", "categories": ""}', 1),
        ("a,x\n\nb,y,z", 3),
        (b"\x80\0\xff", 1),
    ],
)
def test_a_malformed_field_file_is_refused(tmp_path: Path, text: str | bytes, line: int) -> None:
    table = write(tmp_path, {"x.tex": MAIN, "fields": text}) / "fields"
    with pytest.raises(CorpusError) as error:
        sources([tmp_path], field=table)
    assert str(error.value) == (
        f"Line {line} of '{table}' gives no article a field. It needs an id and a field: "
        'JSON with "id" and "field" or "categories", or two columns of CSV or TSV.'
    )


def test_a_missing_field_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as error:
        sources([write(tmp_path, {"x.tex": MAIN})], field="fodler")
    assert str(error.value) == (
        "Field 'fodler' cannot be read (No such file or directory). Give folder, none or a file."
    )


# --- hostile and useless input ---


def test_a_missing_path_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as error:
        sources([tmp_path / "none"])
    assert str(error.value) == (
        f"'{tmp_path / 'none'}' does not exist. Give a folder, an article or an archive."
    )


@pytest.mark.parametrize("name", ["notes.txt", "own.sty", ".git/x.tex", "data.csv.gz"])
def test_a_folder_without_latex_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: "x"})
    with pytest.raises(CorpusError) as error:
        list(sources([tmp_path]))
    assert str(error.value) == (
        f"'{tmp_path}' holds no articles. "
        "Give a folder with LaTeX, Markdown, notebooks, reStructuredText, HTML, Doxygen "
        "or archives."
    )


def test_rubbish_and_giants_are_unreadable_and_empty_files_empty(tmp_path: Path) -> None:
    write(tmp_path, {"binary.tex": os.urandom(1000) + b"\0", "empty.tex": ""})
    write(tmp_path, {"giant.tex": b"x" * (50 << 20)})
    binary, empty, giant = opened(tmp_path)
    assert binary == Unreadable("binary", "is binary, not text")
    assert isinstance(empty, Article) and empty.files.read(empty.root) == ""
    assert giant == Unreadable("giant", "is larger than 16 MB")


@pytest.mark.parametrize("piece", [r"\input", r"\input{", r"\input[", "%\\input{x}", "\\begin "])
def test_a_line_of_megabytes_is_read_like_any_other(tmp_path: Path, piece: str) -> None:
    write(tmp_path, {"a.tex": piece * (4_000_000 // len(piece))})
    assert ids(tmp_path) == ["a"]


def test_a_part_reads_what_the_macros_of_its_main_file_name(tmp_path: Path) -> None:
    part = "\\documentclass[../whole]{subfiles}\n\\begin{document}%s\\end{document}"
    defines = "\\newcommand\\add[1]{\\subfile{ch/#1}}\n\\begin"
    files = {
        "whole.tex": MAIN.replace("\\begin", defines) % "x",
        "ch/all.tex": part % "\\add{a}",
        "ch/a.tex": part % "a",
    }
    assert roots(write(tmp_path, files)) == ["ch/all.tex", "whole.tex"]


def test_of_two_main_files_the_one_in_no_folder_comes_first(tmp_path: Path) -> None:
    files = {"z.tex": MAIN % r"\input{a/a}", "a/a.tex": MAIN % r"\input{z}"}
    assert roots(write(tmp_path, files)) == ["z.tex"]


def test_settings_belong_to_articles_that_are_no_latex(tmp_path: Path) -> None:
    written = {"site/a/notes.md": "$x$", "site/_config.yml": "1", "site/a/macros.tex": "1",
               "other/notes.md": "$x$", "site/b/conf.py": "1"}  # fmt: skip
    write(tmp_path, written)

    def keys() -> dict[str, str]:
        return {source.id: source.key for source in sources([tmp_path])}

    for changed in ("site/_config.yml", "site/a/macros.tex"):
        before = keys()
        write(tmp_path, {changed: "22" + changed})
        assert {id for id, key in keys().items() if key != before[id]} >= {"site/a/notes"}
        assert keys()["other/notes"] == before["other/notes"]


def test_other_kinds_of_articles_in_archives(tmp_path: Path) -> None:
    packed = tar({"book/notes.md": "a", "book/_config.yml": "b", "book/x.ipynb": "{}"}, "w:gz")
    write(tmp_path, {"notes.md.gz": gzip.compress(b"text"), "packed.tar.gz": packed})
    found = {each.root: each.files for each in opened(tmp_path) if isinstance(each, Article)}
    assert set(found) == {"notes.md", "book/notes.md", "book/x.ipynb"}
    assert found["book/notes.md"].settings("book/notes.md") == ["book/_config.yml"]
