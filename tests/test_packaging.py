"""What is said of the package where it is installed from."""

import importlib.util
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
    interface = ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = object  # type: ignore[attr-defined]
    for name in ("hatchling", "hatchling.metadata", "hatchling.metadata.plugin"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
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
