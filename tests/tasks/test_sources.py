"""Manifests: who made what, and where it can be looked up."""

import json
from pathlib import Path
from typing import Any

import pytest

from topiceq.errors import CorpusError
from topiceq.tasks.sources import Source, link_of, read_sources, source_of

REPO = {"repo": "me/notes", "commit": "ab12", "license": "CC0-1.0", "field": "algebra"}


def manifest(path: Path, *entries: Any) -> Path:
    file = path / "manifest.jsonl"
    file.write_text("\n".join(json.dumps(entry) for entry in entries) + "\n\n", encoding="utf-8")
    return file


def test_a_repository_and_a_folder(tmp_path: Path) -> None:
    own = {"folder": "papers/mine/", "title": "Mine", "license": "MIT", "link": "https://x.org/s/"}
    assert read_sources(manifest(tmp_path, REPO, own, own)) == (
        Source("algebra/me+notes", "me/notes", "algebra", "CC0-1.0",
               "https://github.com/me/notes/blob/ab12"),
        Source("papers/mine", "Mine", "", "MIT", "https://x.org/s"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "entry", [{}, [], "x", {"repo": "a/b"}, {"folder": "a", "link": "javascript:alert(1)"}]
)
def test_what_is_no_manifest_is_said(entry: Any, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="The manifest '.*' cannot be read .* such as"):
        read_sources(manifest(tmp_path, REPO, entry))
    with pytest.raises(CorpusError, match="cannot be read"):
        read_sources(tmp_path / "nowhere.jsonl")


def test_the_innermost_folder_counts() -> None:
    sources = {source.folder: source for source in (Source("a"), Source("a/b"), Source("c"))}
    assert source_of("a/b/x.tex", sources) == Source("a/b")
    assert source_of("a/bc/x.tex", sources) == Source("a")
    assert source_of("d/x.tex", sources) is source_of("x.tex", sources) is None


def test_links_lead_to_the_line() -> None:
    source = Source("a", link="https://x.org/blob/1")
    assert link_of("a/p", "a/p q.tex", 12, source) == "https://x.org/blob/1/p%20q.tex#L12"
    assert link_of("a/p", "a/p.ipynb", 12, source) == "https://x.org/blob/1/p.ipynb"
    assert link_of("1902.06034", "1902.06034/m.tex", 3, None) == "https://arxiv.org/abs/1902.06034"
    assert link_of("a/p", "a/p.tex", 3, Source("a")) is None
