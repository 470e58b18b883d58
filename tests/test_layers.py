"""Imports point left only, and torch stays where it belongs.

article < corpus < model < scores < tasks < views < web
"""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "topiceq"
ROOMS = ["article", "corpus", "model", "scores", "tasks", "views", "web"]


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


def test_the_package_and_its_command_start_without_what_takes_long() -> None:
    heavy = {"numpy", "pyarrow", "torch"}
    code = f"import sys, topiceq.cli; print({heavy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr
