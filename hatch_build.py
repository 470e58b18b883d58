"""The README of the wheel: its links lead somewhere from a page that lies elsewhere.

With `Repository` among [project.urls] relative links and images become absolute ones there; without
it, nobody could follow them, so images are left out and links are their text.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)\s]+)\)")


class Readme(MetadataHookInterface):
    """Gives the project's metadata its readme."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        base = metadata.get("urls", {}).get("Repository", "")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, base)}


def absolute(text: str, base: str) -> str:
    """Markdown without relative links."""

    def replaced(found: re.Match[str]) -> str:
        image, label, target = found.groups()
        if not base:
            return "" if image else label
        return f"{image}[{label}]({base.rstrip('/')}/{'raw' if image else 'blob'}/HEAD/{target})"

    return re.sub(r"\n{3,}", "\n\n", LINK.sub(replaced, text))
