"""Imports point left only: corpus < model < scores < tasks < web; torch stays where it belongs."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "topiceq"
ROOMS = ["corpus", "model", "scores", "tasks", "web"]


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def room(module: str) -> int | None:
    parts = module.split(".")
    return ROOMS.index(parts[1]) if parts[0] == "topiceq" and parts[1:2][0:] and (
        parts[1] in ROOMS
    ) else None  # fmt: skip


def test_imports_point_left() -> None:
    for number, name in enumerate(ROOMS):
        for path in sorted((PACKAGE / name).rglob("*.py")):
            wrong = [m for m in imported(path) if (r := room(m)) is not None and r > number]
            assert not wrong, f"{path} imports {wrong}"


def test_torch_is_used_in_model_and_tasks_only() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in ("model", "tasks"):
            continue
        assert not [m for m in imported(path) if m.split(".")[0] == "torch"], path


def test_importing_the_package_does_not_import_torch() -> None:
    code = "import sys, topiceq; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
