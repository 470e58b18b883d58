"""What a build adds: the README of the wheel, and a list of what is in it and what it needs.

Links of the README lead somewhere from a page that lies elsewhere: with `Repository` among
[project.urls] relative links and images become absolute ones there; without it, nobody could follow
them, so images are left out and links are their text.

The list is CycloneDX, in the wheel's .dist-info/sboms (PEP 770): what others have made and the
wheel holds, and the libraries that it needs, at the versions of requirements.lock.
"""

import hashlib
import json
import re
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)\s]+)\)")
LOCKED = re.compile(r"([\w.-]+)==([^\s;]+)")
WANTED_BY = re.compile(r" +# +(?:via )?([\w.-]+)$")
HELD = {  # what the wheel holds beside its own code: its kind, name and licence
    "topiceq/views/fonts/stix-two-math.woff2": ("file", "STIX Two Math", "OFL-1.1"),
    "topiceq/pretrained/model.safetensors": ("machine-learning-model", "pretrained", "Apache-2.0"),
}


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


class Bill(BuildHookInterface):
    """Puts the list of components into the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        path = Path(tempfile.mkdtemp(), "topiceq.cdx.json")
        path.write_text(json.dumps(bill(Path(self.root)), indent=1) + "\n", encoding="utf-8")
        build_data["sbom_files"].append(str(path))


def bill(root: Path) -> dict[str, Any]:
    """What the wheel of these sources holds and needs, in CycloneDX: the same each time."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = "".join((root / f).read_text("utf-8") for f in ("constraints.txt", "requirements.lock"))
    needed = libraries(project["dependencies"], pins)
    own = component("library", "topiceq", project["version"]) | licensed(project["license"])
    parts = [
        {"type": kind, "bom-ref": path, "name": name,
         "hashes": [{"alg": "SHA-256", "content": digest(root / path)}]} | licensed(licence)
        for path, (kind, name, licence) in HELD.items()
    ]  # fmt: skip
    parts += [component("library", name, version) for name, version in sorted(needed.items())]
    refs = [part["bom-ref"] for part in parts]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": own},
        "components": parts,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": refs}],
    }  # fmt: skip


def libraries(requirements: list[str], pins: str) -> Mapping[str, str]:
    """The libraries that these requirements name, and those that these need, with versions."""
    versions: dict[str, str] = {}
    wanted_by: dict[str, set[str]] = {}
    for line in pins.splitlines():
        if found := LOCKED.match(line):
            name = plain(found[1])
            versions[name], wanted_by[name] = found[2], set()
        elif found := WANTED_BY.match(line):
            wanted_by[name].add(found[1])
    needed = {plain(re.split("[<>=]", each)[0]) for each in requirements}
    while more := {name for name, by in wanted_by.items() if by & needed} - needed:
        needed |= more
    return {name: versions[name] for name in needed}


def plain(name: str) -> str:
    """The name of a library as indexes spell it."""
    return re.sub("[-_.]+", "-", name).lower()


def component(kind: str, name: str, version: str) -> dict[str, Any]:
    url = f"pkg:pypi/{name}@{version}"
    return {"type": kind, "bom-ref": url, "name": name, "version": version, "purl": url}


def licensed(licence: str) -> dict[str, Any]:
    return {"licenses": [{"license": {"id": licence}}]}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
