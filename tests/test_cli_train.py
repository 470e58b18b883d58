"""train on articles: it builds, goes on from the pretrained model, and says what came of it."""

import json
from pathlib import Path

from calling import call

from topiceq import TopicEq

ARTICLES = Path(__file__).parents[1] / "examples" / "articles"
FEW = [ARTICLES / name for name in ("quantum", "relativity", "statistics")]


def test_articles_need_no_knobs(tmp_path: Path) -> None:
    out = tmp_path / "mine"
    done = call("train", *FEW, "-o", out, "--set", "train.epochs=1", "--set", "train.threads=1",
                "--json")  # fmt: skip
    assert done.code == 0, done.err
    said = done.err.splitlines()
    assert said[0].startswith(f"{out}.corpus: 58 pairs of 7 articles; left out: ")
    assert len(done.out.splitlines()) == 1 and "is kept" in said[1]
    assert said[-1] == (f"Next: topiceq topics {out}    topiceq score {out} {out}.corpus    "
                        f"topiceq infer {out} 'E = m c^2'")  # fmt: skip
    tuned, before = TopicEq.load(out), TopicEq.load()
    assert [t.label for t in tuned.topics()] == [t.label for t in before.topics()]
    assert [*tuned.run.words][: len(before.run.words)] == [*before.run.words]
    for equation in (r"R_{\mu\nu} = 8 \pi T_{\mu\nu}", r"\bar x = \frac{1}{n} \sum_i x_i"):
        best = [m.infer(equation=equation).argmax() for m in (tuned, before)]
        assert best[0] == best[1]
    assert tuned.explain("m", context="A particle of mass moves.")[0].phrase == "mass"
    again = call("train", *FEW, "-o", out)
    assert (again.code, again.out) == (1, "")
    assert again.err == (f"topiceq: '{out}' already holds a run. Add --resume to go on, or give "
                         "another folder.\n")  # fmt: skip


def test_a_preset_trains_from_the_beginning(tmp_path: Path) -> None:
    done = call("train", *FEW, "-o", tmp_path / "run", "-c", "debug", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out.splitlines()[-1])["valid"]["words"] > 1
    assert len(TopicEq.load(tmp_path / "run").topics()) < 100
    assert done.err.splitlines()[1].startswith("Epoch ")


def test_too_few_articles_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(r"\documentclass{article}\begin{document}Text.\end{document}")
    done = call("train", tmp_path / "a.tex", "-o", tmp_path / "run")
    assert done.code == 1 and "topiceq: " in done.err and "Traceback" not in done.err
    missing = call("train", tmp_path / "nothing", "-o", tmp_path / "run")
    assert missing.code == 1 and "nothing' does not exist" in missing.err
