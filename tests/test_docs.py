"""What the documents say is true."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def blocks(path: Path, language: str) -> list[str]:
    pattern = rf"^```{language}\n(.*?)^```"
    return re.findall(pattern, path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_python_of_the_readme_runs() -> None:
    (code,) = blocks(ROOT / "README.md", "python")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "pairs in train" in done.stdout


def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    commands = next(b for b in blocks(ROOT / "README.md", "sh") if b.startswith("topiceq"))
    program = f'set -e\ntopiceq() {{ {sys.executable} -m topiceq "$@"; }}\n'
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        ["sh", "-c", program + commands], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "corpus" / "train.parquet").exists()


def test_the_page_on_the_command_is_its_help() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from generate_cli import PAGE, page
    finally:
        sys.path.pop(0)
    assert PAGE.read_text(encoding="utf-8") == page() + "\n", "run: python docs/generate_cli.py"


def test_links_between_documents_lead_somewhere() -> None:
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
