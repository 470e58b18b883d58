"""The explorer as static files: the views that need no server, behind any static server.

In goes a model; out comes a folder with the page, the topics as JSON, and some equations that the
model has written for each of them.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from topiceq.api import TopicEq
from topiceq.errors import RunError
from topiceq.files import alone_with, replacing_folder
from topiceq.questions import Generate
from topiceq.views.shapes import Shape
from topiceq.views.templates import SHARED
from topiceq.web.explorer import Explorer

PAGE = Path(__file__).with_name("page")
MARK = '<meta name="topiceq-static" content="true">'
GENERATED = 6  # equations for each topic


def export(
    model: TopicEq, folder: str | Path, *, name: str = "pretrained",
    watch: Callable[[int, int], None] | None = None,
) -> Path:  # fmt: skip
    """Write the folder, which must be new or empty; `watch` is told how many topics are done."""
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunError(f"'{folder}' is not empty. Give a new folder.")
    try:
        with alone_with(folder), replacing_folder(folder) as partial:
            _fill(Explorer(model, name), partial, watch or (lambda done, count: None))
    except OSError as error:
        raise RunError(f"The page cannot be written to '{folder}': {error}.") from error
    return folder


def _fill(explorer: Explorer, folder: Path, watch: Callable[[int, int], None]) -> None:
    own = {str(path.relative_to(PAGE)): path for path in PAGE.rglob("*") if path.is_file()}
    for name, path in (own | SHARED).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / name)
    index = folder / "index.html"
    page = index.read_text(encoding="utf-8").replace("<head>", f"<head>\n{MARK}", 1)
    index.write_text(page, encoding="utf-8")
    (folder / "api" / "topics").mkdir(parents=True)
    topics = explorer.topics()
    _write(folder / "api" / "model.json", explorer.about())
    _write(folder / "api" / "topics.json", topics)
    if explorer.about()["can"]["similar"]:
        (folder / "api" / "map.bin").write_bytes(explorer.map)
    for number in range(len(topics)):
        shape = explorer.topic(number) | {"generated": _generated(explorer, number)}
        _write(folder / "api" / "topics" / f"{number}.json", shape)
        watch(number + 1, len(topics))


def _generated(explorer: Explorer, topic: int) -> list[Shape]:
    if not explorer.about()["can"]["generate"]:
        return []
    equations: list[Shape] = explorer.answer(Generate(theta=topic, count=GENERATED), page=True)
    return equations


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
