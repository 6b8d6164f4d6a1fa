"""The judgement of a pair's end: the cause among two ends, whatever the survivor's exit code is."""

from typing import Any

import pytest

from experiments.pair_end import SideEnd, judge, last_words, read_status
from store.errors import Exit

DONE = {"kind": "end", "status": "done", "exit": 0}
UCX_FATAL = "[n1:42:0] ucp_ep.c:1444 Fatal: unexpected error: Endpoint timeout\n==== backtrace ====\n"


def side(role: str, exit_code: int | None = 0, at: float = 1.0, **more: Any) -> SideEnd:
    return SideEnd(role, exit_code, more.pop("signal", None), at, **more)


def killed(role: str, name: str, at: float, log: str = "") -> SideEnd:
    return SideEnd(role, None, name, at, log_tail=log)


def test_two_good_ends_and_a_done_end_line_are_done() -> None:
    end = judge(side("owner"), side("consumer"), end_line=DONE)
    assert (end.exit, end.cause) == (Exit.DONE, None)


@pytest.mark.parametrize(
    ("owner", "consumer", "exit_code", "cause"),
    [
        pytest.param(
            killed("owner", "SIGABRT", 1.0, UCX_FATAL),
            killed("consumer", "SIGKILL", 2.0),
            Exit.PEER_LOST,
            "the consumer was killed by SIGKILL",
            id="UCX aborted the survivor, even where its end was seen first",
        ),
        pytest.param(
            killed("owner", "SIGKILL", 1.0),
            side("consumer", 1, 2.0, log_tail="rdmalab_engine consumer: transfer, cell 3: failed"),
            Exit.PEER_LOST,
            "the owner was killed by SIGKILL",
            id="the survivor's own code does not matter",
        ),
        pytest.param(
            side("owner", 4, 1.0, log_tail="rdmalab_engine owner: liveness: the consumer has gone"),
            side("consumer", 3, 2.0, log_tail="rdmalab_engine consumer: lane, get: emulated; name a NIC"),
            Exit.WRONG_LANE,
            "consumer: lane, get: emulated; name a NIC",
            id="peer lost is a consequence of the other's fault",
        ),
        pytest.param(
            side("owner", 5, 1.0, log_tail="x\nrdmalab_engine owner: memory: memlock is 64 KiB\n"),
            side("consumer", 4, 9.0),
            Exit.CANNOT_RUN,
            "owner: memory: memlock is 64 KiB",
            id="first fault",
        ),
        pytest.param(
            side("owner", 0, 9.0, asked=True),
            side("consumer", 4, 3.0, log_tail="rdmalab_engine consumer: get: no answer for 30 s"),
            Exit.PEER_LOST,
            "consumer: get: no answer for 30 s",
            id="what the tool ended itself is no fault",
        ),
        pytest.param(
            side("owner"),
            killed("consumer", "SIGABRT", 1.0, "terminate called\n"),
            Exit.PEER_LOST,
            "the consumer was killed by SIGABRT",
            id="an abort of our own",
        ),
        pytest.param(
            side("owner", 127, 1.0, log_tail="env: 'x': No such file or directory"),
            side("consumer", 4, 2.0),
            Exit.CANNOT_RUN,
            "owner: env: 'x': No such file or directory",
            id="never started",
        ),
        pytest.param(
            side("owner", 255, 1.0, lost="the connection to node n1 was lost"),
            side("consumer", 4, 0.5),
            Exit.PEER_LOST,
            "owner: the connection to node n1 was lost",
            id="the way to the node",
        ),
        pytest.param(
            side("owner", 42, 1.0),
            side("consumer", 4, 2.0),
            Exit.FAILED,
            "owner: ended with exit code 42 and no message",
            id="an unknown code",
        ),
    ],
)  # fmt: skip
def test_the_cause_is_found(owner: SideEnd, consumer: SideEnd, exit_code: Exit, cause: str) -> None:
    end = judge(owner, consumer, end_line=None)
    assert end.exit is exit_code
    assert end.cause is not None
    assert end.cause.startswith(cause)


def test_an_interrupt_and_a_deadline_are_the_cause_where_nothing_else_failed() -> None:
    asked = [side("owner", 130, asked=True), side("consumer", 130, asked=True)]
    assert judge(*asked, end_line=None, interrupted="interrupted by SIGINT").exit is Exit.INTERRUPTED
    assert judge(*asked, end_line=None, overdue="no progress").exit is Exit.PEER_LOST


@pytest.mark.parametrize(
    ("end_line", "exit_code", "text"),
    [
        (None, Exit.FAILED, "without its end line"),
        ({"status": "failed", "exit": 1, "error": {"text": "disk full"}}, Exit.FAILED, "disk full"),
        ({"status": "failed", "exit": 3, "error": None}, Exit.WRONG_LANE, "says failed"),
        ({"status": "interrupted", "exit": 0}, Exit.FAILED, "says interrupted"),
    ],
)
def test_exit_zero_is_not_believed_against_the_end_line(
    end_line: dict[str, Any] | None, exit_code: Exit, text: str
) -> None:
    end = judge(side("owner"), side("consumer"), end_line=end_line)
    assert end.exit is exit_code
    assert text in str(end.cause)


def test_wait_statuses_and_those_of_shells_on_other_nodes() -> None:
    assert read_status(-9) == (None, "SIGKILL")
    assert read_status(137) == (None, "SIGKILL")
    assert read_status(130) == (130, None)
    assert read_status(4) == (4, None)
    assert read_status(255) == (255, None)


def test_the_last_words_are_the_engines_own_where_it_said_any() -> None:
    assert last_words("rdmalab_engine owner: a\nrdmalab_engine owner: b\nnoise\n") == "b"
    assert last_words("only noise\n\n") == "only noise"
    assert last_words("") is None


def test_a_known_message_of_ucx_tells_what_to_do() -> None:
    text = (
        "UCX  ERROR mlx5_9: ibv_create_cq() failed: Cannot allocate memory. Please set max locked memory (ulimit -l) "
    )
    log = f"{text}to 'unlimited' (current: 64 kbytes)\nrdmalab_engine owner: cannot start\n"
    owner = SideEnd(role="owner", exit=5, signal=None, ended_s=1.0, log_tail=log)
    consumer = SideEnd(role="consumer", exit=0, signal=None, ended_s=2.0, asked=True)
    cause = judge(owner, consumer, end_line=None).cause
    assert cause is not None
    assert cause.startswith("owner: cannot start; ibv_create_cq on mlx5_9 failed: the memlock limit")
    assert "ulimit -l" in cause
