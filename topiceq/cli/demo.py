"""demo: the whole way, from articles to answers, in a few minutes."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from topiceq.cli.app import app
from topiceq.cli.corpus import run_extraction
from topiceq.errors import CorpusError, RunError
from topiceq.files import write_text

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.api import TopicEq
    from topiceq.corpus.store import Corpus
    from topiceq.model.history import TrainingStep
    from topiceq.views.report import Answer

ASKED = ("Schrödinger", "Bayes", "Navier-Stokes")  # of the explorer's examples


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for all that it makes.")] = Path(
        "demo"
    ),
    articles: Annotated[
        Path | None, typer.Option(help="Articles to learn from. Default: our own examples.")
    ] = None,
) -> None:
    """The whole way in a few minutes: extract, build, train, score, ask, and a report."""
    console = Console()
    console.print("[bold]1. Articles -> pairs -> a corpus[/bold]")
    corpus = make_corpus(articles or find_articles(), out)
    console.print(
        f"   {corpus.counts['articles']} articles, {corpus.counts['train']} pairs to learn from"
    )
    console.print("[bold]2. Training: topics form[/bold]")
    model = train(corpus, out / "run", console)
    console.print("[bold]3. Scores on articles it has not seen[/bold]")
    scores = model.score(corpus.test).json()
    model.run.save_scores(out / "run", scores)
    console.print("[bold]4. Questions[/bold]")
    answers = [answer for who in askable(model) for answer in ask(*who)]
    for answer in answers:
        best = answer.topics[0]
        console.print(
            Text(f"   {answer.question} ({answer.model}): {best['label']} {best['p']:.0%}")
        )
    path = write_report(model, scores, answers, articles or find_articles(), out)
    console.print(f"[bold]5. Everything on one page:[/bold] {path}")
    console.print(NEXT.format(out=out), highlight=False)


NEXT = """Try next:
   topiceq topics {out}/run
   topiceq generate {out}/run --theta 0 --count 3
   topiceq infer {out}/run --equation 'E = m c^2'
   topiceq serve {out}/run"""


def find_articles() -> Path:
    """Beside the package where it is installed, in examples/ in the repository."""
    package = Path(__file__).parents[1]
    for folder in (package / "examples" / "articles", package.parent / "examples" / "articles"):
        if folder.is_dir():
            return folder
    raise CorpusError("The example articles are not installed. Give a folder: --articles FOLDER.")


def make_corpus(articles: Path, out: Path) -> "Corpus":
    from topiceq.config import load_config
    from topiceq.corpus.store import Corpus

    config = load_config("demo")
    out.mkdir(parents=True, exist_ok=True)
    run_extraction([str(articles)], out / "pairs", config=config)
    return Corpus.build(out / "pairs", config=config.corpus, path=out / "corpus")


def train(corpus: "Corpus", run: Path, console: Console) -> "TopicEq":
    """Train, showing the topics as they form; the run of an earlier demo is replaced."""
    from topiceq.api import TopicEq
    from topiceq.config import load_config

    if (run / "config.toml").exists():
        shutil.rmtree(run)
    model = TopicEq(load_config("demo"))
    last = None
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        for step in model.steps(corpus, folder=run):
            if step.valid:
                last = forming(model, step)
                live.update(last if console.is_terminal else "")
    console.print(last)
    return model


def forming(model: "TopicEq", step: "TrainingStep") -> Table:
    """The words of the topics as they are now."""
    from topiceq.model.topics import top_words, topics_of

    numbers = "  ".join(f"{name} {value:.3g}" for name, value in (step.valid or {}).items())
    table = Table("topic", "words", title=f"epoch {step.epoch} of {step.epochs}: {numbers}",
                  title_justify="left")  # fmt: skip
    beta = topics_of(model.run.model)
    for number, words in enumerate(top_words(beta, model.run.words, 8)):
        table.add_row(str(number), " ".join(words))
    return table


def askable(model: "TopicEq") -> Iterator[tuple[str, "TopicEq"]]:
    """The model of the demo and, where there is one, the pretrained default."""
    from topiceq.api import TopicEq

    yield "the demo's model", model
    with suppress(RunError):
        yield "the pretrained model", TopicEq.load()


def ask(name: str, model: "TopicEq") -> Iterator["Answer"]:
    from dataclasses import asdict

    from topiceq.tasks.infer import best_topics
    from topiceq.views.report import Answer
    from topiceq.web.explorer import EXAMPLES

    for example in ASKED:
        best = best_topics(model.infer(equation=EXAMPLES[example]), model.topics(), 3)
        yield Answer(example, EXAMPLES[example], name, [asdict(share) for share in best])


def write_report(
    model: "TopicEq", scores: dict[str, Any], answers: list["Answer"], articles: Path, out: Path
) -> Path:
    """All of it on one page."""
    from topiceq.views.report import report

    topics = model.topics()
    largest = sorted(topics, key=lambda topic: -topic.share)[:4]
    written = {topic.label: model.generate(topic.id, count=3, top_p=0.9) for topic in largest}
    article = next(iter(sorted(articles.rglob("*.tex"))))
    page = report(
        topics, model.run.history, written, answers, scores, model.annotate(article).html()
    )
    write_text(out / "report.html", page)
    return out / "report.html"
