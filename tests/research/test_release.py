"""The card of the default run tells what only its maker knows."""

from research import release
from topiceq.api import PRETRAINED


def test_answers_of_the_default_run_on_its_card_are_those_of_the_results() -> None:
    card = (PRETRAINED / "README.md").read_text(encoding="utf-8")
    known = release._known("te-td-lstm + alignment").splitlines()
    rows = [row for row in known if row.startswith(("| equations", "| symbols"))]
    assert len(rows) == 2 and all(row in card for row in rows)


def test_every_topic_has_a_label() -> None:
    assert len(release._labels()) == 100
