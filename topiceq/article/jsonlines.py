"""A file of JSON lines in, the articles of unarXive in it out, one line in memory at a time."""

import json
import re
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from topiceq.article.archive import MAX_FILE_BYTES

_ID = re.compile(r"[\w.-]{1,100}(?:/\w{1,100})?")


class Record(NamedTuple):
    """One line: the id of the article that it holds, or why it holds none."""

    id: str
    why_not: str
    line: bytes


def records(file: IO[bytes]) -> Iterator[Record]:
    """The lines of a file; where the first one holds no article, none of the others is read."""
    number = 0
    while line := file.readline(MAX_FILE_BYTES + 1):
        number += 1
        if len(line) > MAX_FILE_BYTES:
            yield Record("", f"line {number} is larger than {MAX_FILE_BYTES >> 20} MB", b"")
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_FILE_BYTES)
        elif line.strip():
            id = _paper_id(line)
            yield Record(id, "" if id else f"line {number} is no article of unarXive", line)
            if number == 1 and not id:  # JSON lines of something else
                return


def _paper_id(line: bytes) -> str:
    record = parsed(line)
    id = record.get("paper_id")
    is_article = isinstance(id, str) and _ID.fullmatch(id) and "body_text" in record
    return str(id) if is_article else ""


def parsed(line: str | bytes) -> dict[str, Any]:
    """The object that a line of JSON holds, an empty one where it holds none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
