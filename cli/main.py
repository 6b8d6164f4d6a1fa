"""The list of verbs, and the only place where an error becomes text and an exit code.

Called by the entry script `./rdmalab` (`python -m cli.main ARGS`). To add a verb: one file `cli/<verb>.py` with a
typer function (or a `typer.Typer` when it has verbs of its own), and one line in VERBS.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

import typer
from typer._click.exceptions import ClickException
from typer.main import get_command

from cli.verb_group import Verb, group_of
from store.errors import Exit, LabError

VERBS: Final = (
    Verb(
        "list", "cli.list", "list_experiments", "the experiments and whether they can run here; --runs: the stored runs"
    ),
    Verb("plan", "cli.plan", "plan", "the cells, order, seed, bytes, digest and binding of an experiment"),
    Verb("run", "cli.run", "run", "preflight, run, store, report; the last line on stdout is the run folder"),
    Verb("resume", "cli.resume", "resume", "the missing blocks of a run, with new pairs"),
    Verb("explain", "cli.explain", "explain", "what a saved output of ibv_devinfo, UCX, perftest, Slurm ... means"),
    Verb("import", "cli.importing", "import_file", "another tool's results as a read-only run"),
    Verb("status", "cli.status", "status", "how far a run is; follows a detached one to its end"),
    Verb("audit", "cli.audit", "audit", "integrity, completeness and lane evidence of stored runs"),
    Verb("report", "cli.report", "report", "tables, plots, verdicts and caveats of runs; --check compares bytes"),
    Verb("compare", "cli.compare", "compare", "what differs in the verdicts of two runs, then in the cells"),
    Verb("export", "cli.export", "export", "a run for other tools, or as one archive; --anonymous replaces names"),
    Verb("diff", "cli.diff", "diff", "what differs in the setups and plans of two runs, identity keys first"),
    Verb("annotate", "cli.annotate", "annotate", "mark a run as withdrawn, beside it; lists, audits, reports show it"),
    Verb("trace", "cli.trace", "trace", "one number of a report back to its formula, samples, setup and caveats"),
    Verb("tables", "cli.tables", "tables", "the report's tables alone: md, csv, json, parquet"),
    Verb("doctor", "cli.doctor", "doctor", "every port, limit and version of a site, and what each lane lacks there"),
    Verb("site", "cli.site", "site", "init: write a commented site file from what the nodes have; check: its doctor"),
    Verb("testbed", "cli.testbed", "testbed", "softroce up, down, status: two emulated RDMA nodes on this host"),
    Verb("test", "cli.test", "test", "the project's tests: all parts, or those named", passes_options_on=True),
    Verb("check", "cli.check", "check", "format, lint, types and layering of the whole tree"),
    Verb("format", "cli.format", "format_tree", "rewrite the tree in the project's format"),
)

app = typer.Typer(
    cls=group_of(VERBS),
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def rdmalab() -> None:
    """Name an RDMA experiment, get an answer that can be trusted, and prove later how it was obtained.

    stdout carries the result, stderr the log. Exit codes: 0 done, 1 ran and something failed, 2 bad plan, config
    or usage, 3 wrong lane, 4 peer lost or deadline, 5 cannot run here, 130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line (default: the process's own) and returns its exit code; prints errors on stderr."""
    try:
        outcome = get_command(app).main(
            args=None if arguments is None else list(arguments), prog_name="rdmalab", standalone_mode=False
        )
    except LabError as error:
        print(error, file=sys.stderr)
        return int(error.exit_code)
    except ClickException as error:
        error.show()
        return int(Exit.USAGE)
    except KeyboardInterrupt:
        outcome = Exit.INTERRUPTED
    except typer.Abort:
        outcome = Exit.INTERRUPTED
    code = int(outcome) if isinstance(outcome, int) else int(Exit.DONE)
    if code == Exit.INTERRUPTED:
        print("interrupted", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
