"""topics.toml: what people have made of a run's topics, beside what training has.

    [topics.12]
    label = "quantum mechanics"     # in place of the label that was found
    into = 7                        # merged: answers count it as topic 7
    hidden = true                   # left out of lists and answers

In go the topics of a run and its folder; out come the topics as they shall be shown. Weights and
theta stay as they are, so a topic can be shown again.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomli_w

from topiceq.errors import RunError
from topiceq.files import read_toml, write_text
from topiceq.model.topics import Topic

FILE = "topics.toml"
KINDS: dict[str, type] = {"label": str, "into": int, "hidden": bool}

Changes = dict[int, dict[str, Any]]


def read_changes(folder: Path, topics: int) -> Changes:
    """What topics.toml says; RunError if it does not fit the run."""
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        table = read_toml(path).get("topics", {})
        changes = {int(number): dict(each) for number, each in table.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise RunError(f"'{path}' cannot be read: {error}.") from None
    check(changes, topics, str(path))
    return changes


def check(changes: Changes, topics: int, where: str) -> None:
    """RunError if changes name topics that do not exist, or other things than these."""
    for number, change in changes.items():
        for each in (number, change.get("into", number)):
            if not 0 <= each < topics:
                raise RunError(
                    f"{where}: topic {each} does not exist. This run has topics 0 to {topics - 1}."
                )
        for name, value in change.items():
            if name not in KINDS or type(value) is not KINDS[name]:
                raise RunError(f"{where}: topic {number} has '{name} = {value!r}'. There are label "
                               "(text), into (a topic) and hidden (true).")  # fmt: skip
        if (
            "into" in change
            and "into" in changes.get(change["into"], {})
            or (change.get("into") == number)
        ):
            raise RunError(f"{where}: topic {number} is merged into one that is merged itself.")


def write_changes(folder: Path, changes: Changes) -> None:
    """Keep changes in the run's folder."""
    table = {str(number): changes[number] for number in sorted(changes) if changes[number]}
    write_text(folder / FILE, tomli_w.dumps({"topics": table}), follow=False)


def steered(topics: Sequence[Topic], changes: Changes) -> list[Topic]:
    """The topics with their new labels, and what is hidden or merged marked so."""
    return [
        replace(
            topic,
            label=changes.get(topic.id, {}).get("label", topic.label),
            hidden=changes.get(topic.id, {}).get("hidden", False),
            into=changes.get(topic.id, {}).get("into"),
        )
        for topic in topics
    ]
