"""Options that several verbs share."""

from typing import Annotated

import typer

AsTable = Annotated[
    bool | None,
    typer.Option(
        "--table/--json", help="Tables for people, or JSON. Default: tables on a terminal."
    ),
]
Preset = Annotated[
    str | None,
    typer.Option("--config", "-c", help="A preset (paper, small, debug) or a TOML file."),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change one setting: section.key=value. Can be repeated."),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Processes. Default: all cores.")]
Field = Annotated[
    str,
    typer.Option(
        help="Where the field of an article comes from: 'folder' (the first one below the given "
        "path), 'none', or a file that maps article ids to fields (JSON lines or CSV)."
    ),
]
