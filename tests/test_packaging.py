"""What is said of the package where it is installed from."""

import hashlib
import importlib.util
import json
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """hatch_build.py, which only the build needs hatchling for."""
    inner = ("metadata", "metadata.plugin", "metadata.plugin.interface",
             "builders", "builders.hooks", "builders.hooks.plugin",
             "builders.hooks.plugin.interface")  # fmt: skip
    for name in ("hatchling", *(f"hatchling.{each}" for each in inner)):
        stub: Any = ModuleType(name)
        stub.MetadataHookInterface = stub.BuildHookInterface = object
        monkeypatch.setitem(sys.modules, stub.__name__, stub)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_of_the_readme_lead_somewhere(hook: Any) -> None:
    text = "![A map](docs/a.png) see [this](docs/b.md#c), [that](https://x.org) and [top](#top)"
    base = "https://example.org/me/it/"
    assert hook.absolute(text, base) == (
        "![A map](https://example.org/me/it/raw/HEAD/docs/a.png) see "
        "[this](https://example.org/me/it/blob/HEAD/docs/b.md#c), [that](https://x.org) and "
        "[top](#top)"
    )
    assert hook.absolute(text, "") == " see this, [that](https://x.org) and [top](#top)"
    whole = hook.absolute((ROOT / "README.md").read_text(), "")
    targets = re.findall(r"\]\(([^)]+)\)", whole)
    assert targets and all(target.startswith("https://") for target in targets)


def test_extras_and_authors() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["authors"] and "Paper" in project["urls"]
    assert {"bench", "cluster", "dev", "hub"} == set(project["optional-dependencies"])
    pinned = {line.partition("==")[0].lower().replace("-", "_")
              for line in (ROOT / "constraints.txt").read_text().split()}  # fmt: skip
    wanted = {re.split("[<>=]", name)[0].lower().replace("-", "_")
              for name in project["dependencies"]}  # fmt: skip
    assert wanted <= pinned


def locked() -> dict[str, str]:
    """The blocks of requirements.lock, by `name==version`."""
    blocks = re.split(r"\n(?=\w)", (ROOT / "requirements.lock").read_text().partition("\n#")[0])
    return {re.split("[ ;]", block)[0].lower(): block for block in blocks}


def test_the_lock_has_what_the_constraints_have_with_hashes() -> None:
    """After a change of one of them: make lock."""
    blocks = locked()
    pinned = {line.lower().replace("_", "-") for line in
              (ROOT / "constraints.txt").read_text().split()}  # fmt: skip
    assert pinned - blocks.keys() == {"torch==2.13.0"}
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", block) for block in blocks.values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.split("[<>=]", name)[0].lower().replace("_", "-") for names in
              (project["dependencies"], *project["optional-dependencies"].values())
              for name in names}  # fmt: skip
    assert wanted - {block.partition("==")[0] for block in blocks} == {"torch"}


def test_the_list_of_components(hook: Any) -> None:
    found = hook.bill(ROOT)
    assert found["bomFormat"] == "CycloneDX" and found == hook.bill(ROOT)
    parts = {part["name"]: part for part in found["components"]}
    assert {"torch", "fastapi", "starlette", "numpy", "STIX Two Math", "pretrained"} <= {*parts}
    assert not {"pytest", "schemathesis", "matplotlib"} & {*parts}
    assert parts["torch"]["purl"] == "pkg:pypi/torch@2.13.0"
    assert parts["STIX Two Math"]["licenses"] == [{"license": {"id": "OFL-1.1"}}]
    font = (ROOT / "topiceq/views/fonts/stix-two-math.woff2").read_bytes()
    assert parts["STIX Two Math"]["hashes"][0]["content"] == hashlib.sha256(font).hexdigest()
    refs = {part["bom-ref"] for part in found["components"]}
    assert {*found["dependencies"][0]["dependsOn"]} == refs and len(refs) == len(parts)
    data: dict[str, list[str]] = {"sbom_files": []}
    maker = hook.Bill()
    maker.root = ROOT
    maker.initialize("standard", data)
    assert json.loads(Path(data["sbom_files"][0]).read_text()) == found
