"""The options and arguments that name stored runs, alike in every verb that takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def _runs_beginning(incomplete: str) -> list[str]:
    """Completion for the shell: the names of runs in the default store that begin as typed."""
    from store.names import default_store, run_names

    return [name for name in reversed(run_names(default_store())) if name.startswith(incomplete)]


StoreOption = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="The folder of runs; default: RDMALAB_STORE, else runs/ here."),
]
ReportOption = Annotated[
    bool, typer.Option("--report/--no-report", help="Render the report of a complete run; `report RUN` does it later.")
]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="A run: its folder, a unique prefix of its name, or @last.", autocompletion=_runs_beginning
    ),
]
BeforeArgument = Annotated[
    str,
    typer.Argument(metavar="A", help="A run, named as for `report`: the earlier one.", autocompletion=_runs_beginning),
]
AfterArgument = Annotated[
    str, typer.Argument(metavar="B", help="The run that is compared with it.", autocompletion=_runs_beginning)
]
