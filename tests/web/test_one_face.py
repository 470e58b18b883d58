"""Every verb, with every parameter, asked in Python, on the command line and over HTTP."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from calling import call
from planted import WORDS
from serving import served

from topiceq import Corpus, TopicEq
from topiceq.errors import QuestionError
from topiceq.questions import Explain, Generate, Infer, Question, Similar, ask
from topiceq.views.shapes import answer_shape
from topiceq.web.app import create_app

CONTEXT = " ".join(WORDS[1])
MIXTURE = {0: 0.25, 3: 0.75}
KINDS = (Infer, Generate, Explain, Similar)
QUESTIONS: list[Question] = [
    Infer(context=CONTEXT),
    Infer(equation="E = a b", top=2),
    Infer(equation="E = a b", context=CONTEXT, decoder="bag"),
    Infer(equation="E = a b", by="likelihood"),
    Infer(equations=["E = a b", "E = x"], top=3),
    Infer(equation=r"\begin{align} E &= a b \\ &= x \\ F &= c \end{align}", top=2),
    Infer(equations=[r"E = a \\ F = b", "E = x"], context=CONTEXT),
    Infer(equations=["E = a", "x^{2", "<math><mi>E</mi><mo>=</mo><mi>energy</mi></math>"]),
    Generate(theta={0: 1, 3: 1}, greedy=True),
    Generate(theta=2, count=2, seed=3, temperature=0.7, top_p=0.9, best_of=3, max_tokens=20),
    Generate(theta=MIXTURE, prefix="E =", constrained=False, greedy=True),
    Generate(context=CONTEXT, beams=2),
    Generate(theta=0, to=MIXTURE, steps=3),
    Generate(theta=0, to=1, steps=2, greedy=False, count=2),
    Explain(symbol="E", theta=1, count=2),
    Explain(symbol="E", theta=MIXTURE, by="alignment"),
    Explain(symbol="E", equation="E = a b"),
    Explain(symbol="E", context=CONTEXT),
    Explain(equation=r"\hat T = E + a", count=1),
    Explain(equation="E = a", context=CONTEXT),
    Explain(equation=r"E = a \\ F = b + x", count=1),
    Similar(equation="E = a b c"),
    Similar(equation="E = a b c", count=2),
    Similar(equation=r"E = a b c \\ F = x", count=4),
    Similar(equation="E = a b c", field="field1", article="article001"),
]
REFUSED: list[tuple[type[Question], dict[str, Any], int]] = [
    (Infer, {}, 400),
    (Infer, {"equation": "x ^{2} }"}, 400),
    (Infer, {"equation": "E = a", "top": 0}, 422),
    (Infer, {"equation": "x" * 20_001}, 422),
    (Generate, {}, 400),
    (Generate, {"theta": 120}, 400),
    (Generate, {"theta": 0, "temperature": 0.0}, 422),
    (Generate, {"theta": 0, "greedy": True, "beams": 2}, 400),
    (Generate, {"theta": 0, "prefix": "x }"}, 400),
    (Explain, {}, 400),
    (Explain, {"symbol": "E + x"}, 400),
    (Explain, {"symbol": r"E \\ x"}, 400),
    (Infer, {"equation": r"E = a \\ x^2^3"}, 400),
    (Similar, {"equation": r"\frac{\left( E \\ a \right)}{x}"}, 400),
    (Similar, {}, 422),
    (Similar, {"equation": "E = a", "count": 100_000}, 422),
]


@pytest.fixture(scope="module")
def folder(trained: Path, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The planted run with an index."""
    folder = tmp_path_factory.mktemp("face") / "run"
    shutil.copytree(trained, folder)
    TopicEq.load(folder).index(corpus, folder=folder)
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> TopicEq:
    return TopicEq.load(folder)


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[httpx.Client]:
    app = create_app(TopicEq.load(folder))
    with served(app) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client


def typed(parameters: dict[str, Any], tmp_path: Path) -> list[str]:
    """The parameters as options of the command."""
    flags = {
        "greedy": ("--greedy", "--sample"),
        "constrained": ("--constrained", "--unconstrained"),
    }
    words: list[str] = []
    for name, value in parameters.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            words.append(flags.get(name, (option,))[not value])
            continue
        if isinstance(value, dict):
            value = ",".join(f"{topic}:{weight}" for topic, weight in value.items())
        elif isinstance(value, list):
            file = tmp_path / "equations.txt"
            file.write_text("\n".join(value), encoding="utf-8")
            value = file
        words += [option, str(value)]
    return words


def test_every_parameter_is_asked() -> None:
    for kind in KINDS:
        asked = {n for q in QUESTIONS if isinstance(q, kind) for n in q.model_fields_set}
        assert asked == set(kind.model_fields), kind


@pytest.mark.filterwarnings("ignore::UserWarning")  # as warnings of the answers they are compared
@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_answer_is_the_same_three_ways(
    question: Question, model: TopicEq, client: httpx.Client, folder: Path, tmp_path: Path
) -> None:
    verb = type(question).__name__.lower()
    parameters = question.model_dump(exclude_unset=True)
    python = answer_shape(question, getattr(model, verb)(**parameters), model.topics())
    python = json.loads(json.dumps(python))

    done = call(verb, "--run", folder, "--json", *typed(parameters, tmp_path))
    assert done.code == ("x^{2" in str(question)), done.err
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert (lines if isinstance(python, list) else lines[0]) == python

    answer = client.post(f"/api/{verb}", json=parameters)
    assert answer.status_code == 200, answer.text
    assert answer.json() == python


@pytest.mark.parametrize(("kind", "parameters", "status"), REFUSED, ids=str)
def test_what_is_refused_is_refused_in_the_same_words(
    kind: type[Question], parameters: dict[str, Any], status: int,
    model: TopicEq, client: httpx.Client, folder: Path, tmp_path: Path,
) -> None:  # fmt: skip
    verb = kind.__name__.lower()
    with pytest.raises(QuestionError) as refused:
        model.answer(ask(kind, parameters))
    message = " ".join(str(refused.value).split())

    done = call(verb, "--run", folder, "--json", *typed(parameters, tmp_path))
    assert (done.code, done.out, done.err) == (1, "", f"topiceq: {message}\n")

    answer = client.post(f"/api/{verb}", json=parameters)
    assert answer.status_code == status and " ".join(answer.json()["error"].split()) == message
    assert answer.json()["position"] == refused.value.position


def test_an_article_is_annotated_three_ways_alike(
    model: TopicEq, client: httpx.Client, folder: Path, tmp_path: Path
) -> None:
    source = tmp_path / "article.tex"
    text = rf"\documentclass{{article}}\begin{{document}}{CONTEXT}. \[ E = a \]\end{{document}}"
    source.write_text(text, encoding="utf-8")
    python = json.loads(json.dumps(model.annotate(source).json()))
    done = call("annotate", folder, source, "--json")
    answer = client.post(
        "/api/annotate?format=json", files={"file": (source.name, source.read_bytes())}
    )
    assert json.loads(done.out) == answer.json() == python


def test_help_and_signature_list_the_same_parameters() -> None:
    import inspect

    for kind in KINDS:
        verb = kind.__name__.lower()
        own = list(inspect.signature(getattr(TopicEq, verb)).parameters)[1:]
        assert sorted(own) == sorted(kind.model_fields)
        shown = call(verb, "--help").out
        assert all("--" + name.replace("_", "-") in shown for name in kind.model_fields)
