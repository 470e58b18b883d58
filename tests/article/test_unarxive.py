"""JSON lines of unarXive."""

import json
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from topiceq.article import jsonlines
from topiceq.article.files import Unreadable
from topiceq.article.formats import read
from topiceq.article.page import read as read_for_people
from topiceq.article.pieces import Display, Heading, Prose
from topiceq.article.source import Article, sources

RECORD = {
    "paper_id": "2101.00001",
    "metadata": {"title": "On\n heat", "categories": "math.AP"},
    "abstract": {"text": "We study {{formula:f1}}."},
    "body_text": [
        {"section": "Start", "sec_number": "1", "text": "By {{cite:c}} we {{cite:c}} have"},
        {"section": "Start", "sec_number": "1", "text": "{{formula:d2}}"},
        {"section": "More", "sec_number": "1.1",
         "text": "given by\n{{formula:d2}},\nwhere {{formula:f1}} is in Fig. {{figure:g}}."},
    ],
    "ref_entries": {
        "f1": {"type": "formula", "latex": "x^2"},
        "d2": {"type": "formula", "latex": "\\int f = 2"},
        "g": {"type": "figure", "caption": "A figure."},
    },
}  # fmt: skip


def opened(path: Path, field: str = "folder") -> list[Article | Unreadable]:
    return [each for source in sources([path], field=field) for each in source.articles()]


def written(path: Path, *lines: Mapping[str, object] | str) -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def test_each_line_is_an_article_with_its_arxiv_id(tmp_path: Path) -> None:
    others = [RECORD | {"paper_id": id} for id in ("hep-th/9901001", "mine")]
    path = written(tmp_path / "part.jsonl", RECORD, *others)
    found = [each.id for each in opened(path) if isinstance(each, Article)]
    assert found == ["2101.00001", "hep-th/9901001", "part/mine"]


def test_formulas_stand_where_their_placeholders_are(tmp_path: Path) -> None:
    (article,) = opened(written(tmp_path / "part.jsonl", RECORD))
    assert isinstance(article, Article)
    shown = [
        (type(piece).__name__, piece.source if isinstance(piece, Display) else piece.text.split())
        for piece in read(article)
    ]
    assert shown == [
        ("Prose", ["We", "study", "$x^2$."]), ("Heading", ["Start"]),
        ("Prose", ["By", "…", "we", "have"]), ("Display", "\\int f = 2"), ("Heading", ["More"]),
        ("Prose", ["given", "by"]), ("Display", "\\int f = 2,"),
        ("Prose", ["where", "$x^2$", "is", "in", "Fig.", "…."]),
    ]  # fmt: skip
    assert [p.level for p in read(article) if isinstance(p, Heading)] == [2, 3]
    assert [p.line for p in read(article) if isinstance(p, Display)] == [2, 3]
    assert read_for_people(article).title == "On heat"


def test_fields_come_from_the_folder_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "maths").mkdir()
    written(tmp_path / "maths" / "part.jsonl", RECORD)
    (tmp_path / "fields.csv").write_text("2101.00001,analysis\n")
    for rule, field in (("folder", "maths"), ("none", ""), (tmp_path / "fields.csv", "analysis")):
        (article,) = opened(tmp_path, str(rule))
        assert isinstance(article, Article) and article.field == field


def test_lines_in_an_archive(tmp_path: Path) -> None:
    path = written(tmp_path / "part.jsonl", RECORD, "broken")
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        archive.add(path, "part.jsonl")
    article, unreadable = opened(tmp_path / "all.tar.gz")
    assert isinstance(article, Article) and article.id == "2101.00001"
    assert unreadable == Unreadable("all", "line 2 is no article of unarXive")


@pytest.mark.parametrize(
    "line", ["", "{", "3", "[]", '{"id": 1}', '{"paper_id": "a"}', "[" * 100_000,
             '{"paper_id": 3, "body_text": []}', '{"paper_id": "../../a/b", "body_text": []}'],
)  # fmt: skip
def test_other_json_lines_have_one_reason(tmp_path: Path, line: str) -> None:
    path = written(tmp_path / "data.jsonl", line, line, line)
    why = "line 1 is no article of unarXive" if line else "holds no articles"
    assert opened(path) == [Unreadable("data", why)]


def test_a_broken_line_costs_only_itself(tmp_path: Path) -> None:
    path = written(tmp_path / "part.jsonl", RECORD, '{"paper_id"', RECORD | {"paper_id": "2101.2"})
    first, broken, last = opened(path)
    assert isinstance(first, Article) and isinstance(last, Article)
    assert broken == Unreadable("part", "line 2 is no article of unarXive")


def test_a_line_that_is_too_long_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonlines, "MAX_FILE_BYTES", 1 << 20)
    path = written(tmp_path / "part.jsonl", RECORD, "x" * (3 << 20), RECORD)
    _, long, last = opened(path)
    assert long == Unreadable("part", "line 2 is larger than 1 MB") and isinstance(last, Article)


@pytest.mark.parametrize(
    "changed",
    [
        {"body_text": None}, {"body_text": {"a": 1}}, {"body_text": [3, None, {"text": 5}, {}]},
        {"body_text": [{"text": "{{formula:a}} {{formula:", "section": 3, "sec_number": []}]},
        {"ref_entries": [1]}, {"ref_entries": {"f1": 3, "d2": {"latex": None}}},
        {"metadata": "x"}, {"abstract": [1]}, {"metadata": {"title": 3}},
        {"body_text": [{"text": "{{formula:d2}}\n" * 10_000}]},
        {"body_text": [{"text": "{{" * 50_000}]},
    ],
)  # fmt: skip
def test_wrong_types_are_passed_over(tmp_path: Path, changed: dict[str, object]) -> None:
    (article,) = opened(written(tmp_path / "part.jsonl", RECORD | changed))
    assert isinstance(article, Article)
    assert all(isinstance(piece, Prose | Heading | Display) for piece in read(article))
