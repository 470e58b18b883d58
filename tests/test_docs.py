"""What the documents say is true."""

import importlib
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from calling import call

import topiceq
from topiceq.cli import app

ROOT = Path(__file__).parents[1]


def blocks(path: Path, language: str) -> list[str]:
    pattern = rf"^```{language}\n(.*?)^```"
    return re.findall(pattern, path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_python_of_the_readme_says_what_it_says(tmp_path: Path) -> None:
    (code,) = blocks(ROOT / "README.md", "python")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    said = [line[2:] for line in code.splitlines() if line.startswith("# ")]
    assert done.stdout.splitlines() == said


def test_the_commands_of_the_readme_say_what_it_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (shown,) = blocks(ROOT / "README.md", "console")
    monkeypatch.setenv("COLUMNS", "96")
    for part in shown.strip().split("\n\n"):
        command, _, said = part.partition("\n")
        done = call(*shlex.split(command)[2:], "--table")  # as on a terminal
        assert [line.rstrip() for line in done.out.splitlines()] == said.splitlines()


def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    commands = next(b for b in blocks(ROOT / "README.md", "sh") if b.startswith("topiceq"))
    program = f'set -e\ntopiceq() {{ {sys.executable} -m topiceq "$@"; }}\n'
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        ["sh", "-c", program + commands], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "corpus" / "train.parquet").exists()


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """The module that makes a page of docs/, by the page's name."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return lambda name: importlib.import_module(f"generate_{name}")


# signatures and docstrings; the command's help; the files of results
@pytest.mark.parametrize("name", ["api", "cli", "results"])
def test_a_page_that_is_made_is_up_to_date(name: str, generator: Callable[[str], Any]) -> None:
    made = generator(name)
    page = made.PAGE.read_text(encoding="utf-8")
    assert page == made.page() + "\n", f"run: python docs/generate_{name}.py"


@pytest.mark.parametrize("name", topiceq.__all__)
def test_the_page_on_python_has_all_that_is_public(name: str) -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert f"### {name}\n" in page
    public = getattr(topiceq, name)
    methods = [n for n in vars(public) if not n.startswith("_")] if isinstance(public, type) else []
    assert [n for n in methods if not re.search(rf"^#### \w+\.{n}$", page, re.M)] == []


def test_the_tutorial_is_made_from_its_text(generator: Callable[[str], Any]) -> None:
    made = generator("tutorial")
    page = made.OUTPUT.sub("", made.PAGE.read_text(encoding="utf-8"))
    assert page == made.page(lambda block: ""), "run: python docs/generate_tutorial.py"


def test_the_tutorial_calls_verbs_and_options_that_exist() -> None:
    command = typer.main.get_group(app)
    lines = "".join(blocks(ROOT / "docs" / "tutorial.md", "sh")).splitlines()
    calls = [shlex.split(line, comments=True) for line in lines if line.startswith("topiceq ")]
    for _, verb, *arguments in calls:
        known = {option for each in command.commands[verb].params for option in each.opts}
        assert {word for word in arguments if word.startswith("-")} <= known, verb
    not_shown = {"config", "demo", "stats"}
    assert {verb for _, verb, *_ in calls} == set(command.commands) - not_shown


def test_blocks_of_the_tutorial_are_run(tmp_path: Path, generator: Callable[[str], Any]) -> None:
    made = generator("tutorial")
    session = made.Session(tmp_path)

    def shown(language: str, code: str, *cut: str) -> str:
        block = made.Block(language, " run", *(cut or (None, None)), code)
        return str(made.shown(block, session.answer))

    assert shown("python", "x = 6 * 7\n") == "```python\nx = 6 * 7\n```\n"
    assert shown("python", "print(x)\n") == "```python\nprint(x)\n```\n\n```text\n42\n```\n"
    assert "\n```text\n1\n2\n…\n```\n" in shown("sh", "seq 9\n", "first", "2")
    assert "\n```text\n…\n8\n9\n```\n" in shown("sh", "seq 9\n", "last", "2")
    assert "a terminal" in shown("sh", "test -t 1 && echo a terminal; ls examples\n")
    with pytest.raises(SystemExit, match="exit code 3:\nexit 3"):
        shown("sh", "exit 3\n")


def test_links_between_documents_lead_somewhere() -> None:
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of results, which the sections of docs/results.md read."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import entries

    monkeypatch.setattr(entries, "RESULTS", tmp_path)
    return tmp_path


def test_what_was_not_run_says_so(results: Path) -> None:
    import asking
    import claimed
    import written

    sections = [asking.known_equations, asking.known_symbols, asking.paper_equations,
                asking.paper_symbols, claimed.claims, claimed.from_scratch, claimed.controls,
                written.samples, written.thetas, written.checker,
                written.interpolations]  # fmt: skip
    assert {section() for section in sections} == {"Not run yet."}


def test_a_claim_shows_its_interval_and_how_far_its_seeds_are_apart(results: Path) -> None:
    import claimed

    name = "equation perplexity, TE-LSTM against LSTM"

    def answer(corpus: str, gap: float, *gaps: float, name: str = name) -> dict[str, object]:
        return {"row": name, "corpus": corpus, "topics": 50, "gaps": gaps,
                "score": "perplexity", "gap": gap, "low": gap - 0.01, "high": gap + 0.01,
                "paper": -0.077}  # fmt: skip

    told = [answer("corpus", -0.05, -0.05), answer("quarter", -0.02, 0.01, -0.05)]
    (results / "claims.json").write_text(json.dumps(told))
    assert (
        f"| {name} | -7.7% | -5.0% [-6.0%, -4.0%] |  | -2.0% [-3.0%, -1.0%] | "
        "-5.0% to +1.0% | yes; on a quarter yes, not with every seed |"
    ) in claimed.claims()
    longer = "equation perplexity, TE-LSTM, 16 epochs against LSTM, 16 epochs"
    told += [answer("corpus", 0.0, 0.0, name=longer)]
    (results / "claims.json").write_text(json.dumps(told))
    assert "| +0.0% [-1.0%, +1.0%] | -2.0% [-3.0%, -1.0%] | " in claimed.claims()
    assert "| no difference seen; on a quarter yes, not with every seed |" in claimed.claims()
    told += [answer("quarter", 0.02, 0.02, name=longer)]
    (results / "claims.json").write_text(json.dumps(told))
    assert "| no difference seen; on a quarter the reverse |" in claimed.claims()
    not_run = "TE-LSTM against LSTM |  | not run |  | not run |  |  |"
    assert f"| syntax errors, {not_run}" in claimed.claims()


def test_topics_from_scratch_show_how_far_seeds_are_apart(results: Path) -> None:
    import claimed

    name = "NPMI, context + BOW, from scratch against context only, from scratch"
    told = {"row": name, "corpus": "corpus", "topics": 50, "score": "npmi", "paper": 0.002,
            "gap": 0.003, "low": 0.001, "high": 0.005, "gaps": [-0.002, 0.008]}  # fmt: skip
    (results / "claims.json").write_text(json.dumps([told]))
    row = f"| {name} | +0.0020 | +0.0030 [+0.0010, +0.0050] | -0.0020 to +0.0080 |"
    assert row in claimed.from_scratch()


def test_a_control_stands_beside_its_question(results: Path) -> None:
    import claimed

    name = "equation perplexity, LSTM widened against LSTM"
    told = {"row": name, "corpus": "quarter", "topics": 50, "score": "perplexity", "paper": None,
            "gap": 0.002, "low": -0.005, "high": 0.008, "gaps": [0.002]}  # fmt: skip
    (results / "claims.json").write_text(json.dumps([told]))
    row = f"| do as many weights gain? | {name} | not run | +0.2% [-0.5%, +0.8%] | one seed |"
    assert row in claimed.controls()


def test_a_verdict_is_shown_for_the_words_that_were_read(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asking

    def answer(name: str, *words: str) -> dict[str, object]:
        best = {"topic": 3, "words": words, "p": 0.5}
        return {"name": name, "equation": "P(A|B)", "topics": [best]}

    answers = [answer("Bayes", "prior", "data"), answer("Newton", "force")]
    table = {"row": "TE-LSTM", "same_taylor": True, "equations": answers}
    entry = {"row": "TE-LSTM", "theta": "vae", "topics": 50, "inference": [table]}
    (results / "paper_tables.json").write_text(json.dumps([entry]))
    said = {"equation": "Bayes", "words": "prior data", "verdict": "right"}
    (results / "verdicts.jsonl").write_text(json.dumps(said) + "\n")
    monkeypatch.setattr(asking, "BENCHMARKS", results)
    page = asking.paper_equations()
    assert r"| Bayes | $`P(A\vert B)`$ | prior data (0.50): **right** |" in page
    assert "force (0.50): **not read yet** |" in page


def test_a_table_of_samples_has_the_real_equations_below(results: Path) -> None:
    import written

    about = {"share": 0.5, "chance": 0.06, "equations": 5000}
    kind = {"rejected": 0.001, "unfinished": 0.0, "distinct": 1.0, "in_train": 0.02,
            "mean_tokens": 54.2, "rejected_examples": [], "consistency": about}  # fmt: skip
    entry = {"row": "TE-LSTM", "theta": "vae", "topics": 50,
             "constrained": kind, "unconstrained": kind,
             "real": {"in_train": 0.1, "consistency": about}, "examples": []}  # fmt: skip
    (results / "writing.json").write_text(json.dumps([entry]))
    page = written.samples()
    assert (
        "with the grammar | 5,000 | 0.10% | 0.00% | 100.00% | 2.00% | 54 | 50.0% | 6.0% |" in page
    )
    assert "| real (test), under TE-LSTM, K = 50 | 5,000 |  |  |  | 10.00% |  | 50.0% |" in page
