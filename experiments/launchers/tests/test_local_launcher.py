"""The local launcher's argv, and that the kernel, not the tool, ends what it started."""

import json
import os
import select
import signal
import subprocess
import sys

import pytest

from experiments.launchers.base import Command
from experiments.launchers.local import LocalLauncher


def test_an_argument_goes_through_intact_and_the_environment_is_the_given_one_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "a b;$(c)'\"\n*"
    program = "import json,os,sys; print(json.dumps([sys.argv[1], dict(os.environ), os.getcwd()]))"
    command = Command([sys.executable, "-c", program, text], {"X": text, "LC_ALL": "C"}, (), "/usr")
    monkeypatch.setenv("RDMALAB_INHERITED", "1")
    shown = subprocess.run(LocalLauncher().start(command, "local"), capture_output=True, check=True, timeout=20).stdout
    assert json.loads(shown) == [text, {"X": text, "LC_ALL": "C"}, "/usr"]


def test_cores_are_pinned() -> None:
    core = min(os.sched_getaffinity(0))
    program = "import os; print(sorted(os.sched_getaffinity(0)))"
    argv = LocalLauncher().start(Command([sys.executable, "-c", program], {}, (core,)), "local")
    shown = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=20).stdout
    assert shown.strip() == f"[{core}]"


def test_a_process_dies_with_its_tool_even_when_stopped() -> None:
    """A middle process stands for the tool: it starts a sleeper, stops it, says its pid, and is killed."""
    tool = (
        "import subprocess, sys, os, signal\n"
        "from experiments.launchers.base import Command\n"
        "from experiments.launchers.local import LocalLauncher\n"
        "argv = LocalLauncher().start(Command(['/bin/sh', '-c', 'echo up; exec sleep 300']), 'local')\n"
        "child = subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True)\n"
        "child.stdout.readline()\n"
        "child.send_signal(signal.SIGSTOP)\n"
        "print(child.pid, flush=True)\n"
        "signal.pause()\n"
    )
    with subprocess.Popen([sys.executable, "-c", tool], stdout=subprocess.PIPE, text=True) as middle:
        assert middle.stdout is not None
        child = os.pidfd_open(int(middle.stdout.readline()))
        middle.send_signal(signal.SIGKILL)
        middle.wait(timeout=20)
    try:
        assert select.select([child], [], [], 20)[0], "the child outlived its tool"
    finally:
        os.close(child)
