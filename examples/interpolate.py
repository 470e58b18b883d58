"""Equations on the way from one topic to another, after the paper: the same beginning each time.

    python examples/interpolate.py
    python examples/interpolate.py --start 'wave,frequency' --end 'graph,vert' --prefix 'G ='

A topic is found by its words: those that begin with one of yours, the earlier in its list the more
they count.
"""

import argparse
import sys

from topiceq import TopicEq
from topiceq.model.topics import Topic


def likeness(topic: Topic, beginnings: list[str]) -> float:
    """How much the words of a topic are those that are looked for."""
    wanted = tuple(beginnings)
    return sum(1 / rank for rank, word in enumerate(topic.words, 1) if word.startswith(wanted))


def find(topics: list[Topic], text: str) -> Topic:
    """The topic that a list of beginnings of words, separated by commas, fits best."""
    beginnings = [part.strip().lower() for part in text.split(",") if part.strip()]
    best = max(topics, key=lambda topic: likeness(topic, beginnings))
    if not beginnings or not likeness(best, beginnings):
        sys.exit(f"No topic has a word that begins with '{text}'. See them all: topiceq topics")
    return best


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Equations on the way from a topic to another.")
    parser.add_argument("--start", default="optim,minimi,convex", help="words of the first topic")
    parser.add_argument("--end", default="random,probabilit,varian", help="words of the last topic")
    parser.add_argument("--prefix", default="L =", help="what every equation begins with")
    parser.add_argument("--steps", type=int, default=5, help="points, both ends included")
    parser.add_argument("--run", help="a run folder; default: the pretrained model")
    return parser.parse_args()


def main() -> None:
    asked = options()
    model = TopicEq.load(asked.run)
    topics = model.topics(words=20)
    start, end = find(topics, asked.start), find(topics, asked.end)
    for topic in (start, end):
        print(f"topic {topic.id}, {topic.label}: {' '.join(topic.words[:8])}")
    found = model.generate(start.id, to=end.id, steps=asked.steps, prefix=asked.prefix, greedy=True)
    for written in found:
        print(f"{written.theta[end.id]:4.0%}  {written.equation}")


if __name__ == "__main__":
    main()
