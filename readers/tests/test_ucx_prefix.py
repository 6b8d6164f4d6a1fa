"""The prefix of UCX log lines, with the padding of short process ids."""

import pytest

from readers.ucx_prefix import split_prefix


@pytest.mark.parametrize("pid", ["168  ", "7    ", "31415", "4194304"])
def test_a_padded_pid_is_read(pid: str) -> None:
    line = split_prefix(f"[1700000000.123456] [hostb:{pid}:0]   | a | b |")
    assert (line.host, line.pid, line.thread, line.message) == ("hostb", int(pid), 0, "| a | b |")
