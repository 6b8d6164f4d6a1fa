"""The ssh launcher against a real sshd: arguments, environment, exit codes, ends, lost connections, files."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.launchers.base import Command
from experiments.launchers.ssh import FolderMap, SshLauncher, SshTarget, remote_script
from experiments.launchers.tests.real_sshd import RealSshd, real_sshd

WAIT_S = 30

NASTY = [
    "plain",
    "two words",
    "",
    "'",
    '"',
    "'\"'\"'",
    "$HOME",
    "`id`",
    "$(id)",
    "a\nb\n",
    "\\",
    "\\n",
    "!!",
    "*",
    "~",
    ";exit 3",
    "&& false",
    "#no",
    "--",
    "-o",
    "\t",
    "ü☃",
    "{a,b}",
    "%s",
    "a=b",
    "\udcff",
]

SHOW = "import json,os,sys; print(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]))"


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealSshd]:
    with real_sshd(tmp_path_factory.mktemp("sshd")) as server:
        yield server


def run(argv: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, input=text, capture_output=True, text=True, timeout=WAIT_S, check=False)


@contextlib.contextmanager
def start(argv: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A running client; killed at the end or after WAIT_S, so that a test which waits for its output fails."""
    pipe = subprocess.PIPE
    child = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    limit = threading.Timer(WAIT_S, kill, [child])
    limit.start()
    try:
        yield child
    finally:
        limit.cancel()
        kill(child)
        child.wait()
        for stream in (child.stdin, child.stdout, child.stderr):
            assert stream is not None
            stream.close()


def kill(child: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def eventually(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, f"did not happen: {what}"
        time.sleep(0.02)


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def test_each_argument_arrives_as_it_was(sshd: RealSshd) -> None:
    command = Command([sys.executable, "-c", SHOW, *NASTY], folder="/tmp")
    with start(sshd.launcher().start(command, "n1")) as child:
        assert child.stdout is not None and child.stdin is not None
        arguments, _, folder = json.loads(child.stdout.readline())
        child.stdin.close()
        child.wait(WAIT_S)
    assert arguments == NASTY
    assert folder == "/tmp"


def test_the_environment_is_what_was_given_and_nothing_else(sshd: RealSshd) -> None:
    given_env = {"PATH": "/usr/bin:/bin", "UCX_TLS": "rc_verbs,self", "ODD": "a b'c\n$d"}
    command = Command([sys.executable, "-I", "-c", SHOW], given_env, folder="/")
    with start(sshd.launcher().start(command, "n1")) as child:
        assert child.stdout is not None
        _, environment, _ = json.loads(child.stdout.readline())
    # LC_CTYPE is set by Python itself in an empty locale (PEP 538).
    assert {name: value for name, value in environment.items() if name != "LC_CTYPE"} == given_env


@pytest.mark.parametrize("script", ["exit 0", "exit 3", "exit 5"])
def test_the_exit_code_is_the_programs_own(sshd: RealSshd, script: str) -> None:
    argv = sshd.launcher().start(Command(["/bin/sh", "-c", script]), "n1")
    with start(argv) as child:
        assert child.wait(WAIT_S) == int(script.split()[1])


def test_a_signal_is_told_as_128_plus_its_number(sshd: RealSshd) -> None:
    argv = sshd.launcher().start(Command(["/bin/sh", "-c", "kill -ABRT $$"]), "n1")
    with start(argv) as child:
        assert child.wait(WAIT_S) == 128 + signal.SIGABRT


def test_cores_are_pinned(sshd: RealSshd) -> None:
    argv = sshd.launcher().start(Command(["/usr/bin/taskset", "-cp", "0"], cpus=(0,)), "n1")
    with start(argv) as child:
        child.wait(WAIT_S)
    show = Command(["/bin/sh", "-c", "grep Cpus_allowed_list /proc/self/status"], {"PATH": "/bin"}, cpus=(0,))
    with start(sshd.launcher().start(show, "n1")) as child:
        assert child.stdout is not None
        assert child.stdout.read().split() == ["Cpus_allowed_list:", "0"]


def test_closed_stdin_ends_the_whole_group_with_a_term(sshd: RealSshd) -> None:
    script = "trap 'echo got TERM; exit 130' TERM; sleep 1000 & echo $! $$; wait"
    argv = sshd.launcher().start(Command(["/bin/sh", "-c", script], {"PATH": "/bin"}), "n1")
    with start(argv) as child:
        assert child.stdout is not None and child.stdin is not None
        sleeper, shell = map(int, child.stdout.readline().split())
        child.stdin.close()
        assert child.stdout.read() == "got TERM\n"
        assert child.wait(WAIT_S) == 130
    eventually(lambda: gone(sleeper) and gone(shell), "both processes have ended")


def test_a_stopped_process_ends_too(sshd: RealSshd) -> None:
    argv = sshd.launcher().start(Command(["/bin/sh", "-c", "echo $$; kill -STOP $$"], {"PATH": "/bin"}), "n1")
    with start(argv) as child:
        assert child.stdout is not None and child.stdin is not None
        pid = int(child.stdout.readline())
        child.stdin.close()
        child.wait(WAIT_S)
    eventually(lambda: gone(pid), "the stopped process has ended")


def test_a_killed_client_leaves_no_process_behind(sshd: RealSshd) -> None:
    argv = sshd.launcher().start(Command(["/bin/sh", "-c", "echo $$; exec sleep 1000"], {"PATH": "/bin"}), "n1")
    with start(argv) as child:
        assert child.stdout is not None
        pid = int(child.stdout.readline())
        kill(child)
    eventually(lambda: gone(pid), "the node ended the process of the lost connection")


def test_what_even_the_guard_left_is_ended_over_a_new_connection(sshd: RealSshd, tmp_path: Path) -> None:
    launcher = sshd.launcher()
    script = "trap '' TERM; echo $$ $PPID; exec sleep 1000"
    argv = launcher.start(Command(["/bin/sh", "-c", script], {"PATH": "/bin"}, folder=str(tmp_path)), "n1")
    with start(argv) as child:
        assert child.stdout is not None
        pid, guard = map(int, child.stdout.readline().split())
        os.kill(guard, signal.SIGKILL)
        ends = launcher.after("n1", tmp_path)
        assert "ended process" in run(ends[0]).stderr
        eventually(lambda: gone(pid), "the left process has ended")
    assert run(ends[0]).stderr == ""


def test_a_missing_folder_is_a_start_failure(sshd: RealSshd) -> None:
    done = run(sshd.launcher().start(Command(["/bin/true"], folder="/nonexistent"), "n1"))
    assert done.returncode == 126
    assert "/nonexistent" in done.stderr


def test_tool_passes_stdin_and_output(sshd: RealSshd) -> None:
    done = run(sshd.launcher().tool(["cat", "-A"], "n1"), "to the node\n")
    assert done.stdout == "to the node$\n"


def test_a_wrong_host_key_is_refused(sshd: RealSshd, tmp_path: Path) -> None:
    with real_sshd(tmp_path) as other:
        swapped = replace(other.target, known_hosts=sshd.target.known_hosts, port=other.target.port)
        known = Path(str(sshd.target.known_hosts)).read_text().replace(str(sshd.target.port), str(swapped.port))
        (tmp_path / "wrong").write_text(known)
        swapped = replace(swapped, known_hosts=str(tmp_path / "wrong"))
        launcher = SshLauncher({"n1": swapped}, tmp_path)
        done = run(launcher.tool(["true"], "n1"))
    assert done.returncode == 255
    assert "host key" in done.stderr.lower()
    assert launcher.lost("n1", done.returncode) is not None


def test_files_travel_there_and_back(sshd: RealSshd, tmp_path: Path) -> None:
    here, there = tmp_path / "runs", tmp_path / "node"
    pair = here / "run 1" / "pairs" / "1"
    pair.mkdir(parents=True)
    plan = here / "run 1" / "plan.json"
    plan.write_text("{}\n")
    launcher = sshd.launcher(FolderMap(((here, str(there)),)), collect="copy")
    for argv in launcher.before("n1", pair, [plan]):
        assert run(argv).returncode == 0, argv
    assert (there / "run 1" / "plan.json").read_text() == "{}\n"
    far = there / "run 1" / "pairs" / "1"
    (far / "samples.jsonl").write_text("one\n")
    (far / "exchange" / "owner.json").write_text("{}")
    for argv in launcher.after("n1", pair):
        assert run(argv).returncode == 0, argv
    assert (pair / "samples.jsonl").read_text() == "one\n"
    assert not (pair / "exchange").exists()
    assert not far.exists()


def test_files_that_did_not_come_back_stay_on_the_node(sshd: RealSshd, tmp_path: Path) -> None:
    far = tmp_path / "node" / "pairs" / "1"
    far.mkdir(parents=True)
    (far / "samples.jsonl").write_text("one\n")
    launcher = sshd.launcher(FolderMap(((tmp_path / "runs", str(tmp_path / "node")),)), collect="copy")
    pair = tmp_path / "runs" / "pairs" / "1"  # not there: nothing can be unpacked, as on a full disk
    assert [run(argv).returncode for argv in launcher.after("n1", pair)][-1] != 0
    assert (far / "samples.jsonl").read_text() == "one\n"


def test_files_that_cannot_come_back_are_an_error(sshd: RealSshd, tmp_path: Path) -> None:
    launcher = sshd.launcher(FolderMap(((tmp_path, "/nonexistent"),)), collect="copy")
    codes = [run(argv).returncode for argv in launcher.after("n1", tmp_path)]
    assert codes[1] != 0


def test_a_shared_folder_is_emptied_into_the_run(tmp_path: Path) -> None:
    here, there = tmp_path / "runs", tmp_path / "shared"
    pair = here / "r" / "pairs" / "0"
    pair.mkdir(parents=True)
    (here / "r" / "plan.json").write_text("{}\n")
    launcher = SshLauncher({"n1": SshTarget("h")}, tmp_path, FolderMap(((here, str(there)),)))
    for argv in launcher.before("n1", pair, [here / "r" / "plan.json"]):
        assert run(argv).returncode == 0, argv
    far = there / "r" / "pairs" / "0"
    (far / "owner.json").write_text("{}")
    assert (there / "r" / "plan.json").exists()
    for _ in range(2):
        assert run(launcher.after("n1", pair)[-1]).returncode == 0
    assert (pair / "owner.json").exists()
    assert not far.exists()


def test_only_sshs_own_code_means_a_lost_connection() -> None:
    launcher = SshLauncher({"n1": SshTarget("far", 2222)}, Path("/tmp"))
    assert launcher.lost("n1", 4) is None
    assert "far port 2222" in str(launcher.lost("n1", 255))


def test_a_program_that_looks_like_a_variable_is_refused() -> None:
    with pytest.raises(ValueError, match="variable"):
        SshLauncher({"n1": SshTarget("h")}, Path("/tmp")).start(Command(["/a=b/c"]), "n1")


def test_the_longest_folder_decides() -> None:
    folders = FolderMap(((Path("/p"), "/far"), (Path("/p/runs"), "/scratch")))
    assert folders.there(Path("/p/.build/x")) == "/far/.build/x"
    assert folders.there(Path("/p/runs/r/1")) == "/scratch/r/1"
    assert folders.there(Path("/p/runs")) == "/scratch"
    assert folders.there(Path("/q")) == "/q"
    assert folders.there(Path("/p/runsX")) == "/far/runsX"


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20), min_size=1))
def test_any_words_survive_any_quoting(words: list[str]) -> None:
    line = remote_script('for word in "$@"; do printf "%s\\0" "$word"; done', words)
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=True, timeout=WAIT_S)
    assert done.stdout.decode().split("\0")[:-1] == words
