"""Slurm host lists, jobs and partitions."""

from __future__ import annotations

import pytest

from readers import hostlist, scontrol, sinfo
from readers.tests.fixture_text import fixture


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gpu[08-10,3]", "gpu08 gpu09 gpu10 gpu3"),
        ("r[1-2]c[1-2]-ib", "r1c1-ib r1c2-ib r2c1-ib r2c2-ib"),
        ("a,b[1,3],c", "a b1 b3 c"),
        ("x+y:z[1-2]", "x+y:z1 x+y:z2"),
        ("n[099-101]", "n099 n100 n101"),
        ("m[1-2,2]", "m1 m2 m2"),
    ],
)
def test_hostlists_expand_in_order(text: str, names: str) -> None:
    assert hostlist.expand(text) == tuple(names.split())


@pytest.mark.parametrize(
    "text", ["", "a[", "a[]", "a[3-1]", "a,,b", "a[1-2", "a b", "a[1-999999999]", "a[1-400]b[1-400]"]
)
def test_a_malformed_or_endless_hostlist_is_refused(text: str) -> None:
    assert hostlist.expand(text) is None


def test_doubled_nodes_are_counted_once_and_told() -> None:
    reading = hostlist.read("m[1-2,2]\nno list at all\n")
    assert reading.rows[0]["distinct"] == 2
    assert "2 distinct" in reading.warnings[0]
    assert [line.number for line in reading.skipped] == [2]


def test_a_job_is_read_with_values_that_hold_equals_signs_and_blanks() -> None:
    reading = scontrol.read(fixture("scontrol.txt"))
    job = reading.rows[0]
    assert (job["job_id"], job["name"], job["state"]) == (8812, "two words here", "RUNNING")
    assert (job["nodes"], job["time_limit_s"]) == (["gpu07", "gpu08", "gpu09"], 2 * 86400 + 1800)
    assert (job["fields"]["TRES"], job["fields"]["Command"]) == ("cpu=8,node=4,billing=8", "/bin/run A=1 B=2")
    assert job["fields"]["AllocNode:Sid"] == "login2:99"
    assert job["fields"]["Dependency"] is None
    assert "4 nodes asked, 3 distinct" in reading.warnings[0]


def test_one_line_per_job_and_no_jobs() -> None:
    rows = scontrol.read("JobId=1 JobState=PENDING NodeList= NumNodes=2\nJobId=2 JobState=RUNNING Power= SICP=0\n").rows
    assert [(row["job_id"], row["state"], row["nodes"]) for row in rows] == [(1, "PENDING", []), (2, "RUNNING", [])]
    assert rows[1]["fields"] == {"JobId": "2", "JobState": "RUNNING", "Power": None, "SICP": "0"}
    assert scontrol.read("No jobs in the system\n").rows == ()


@pytest.mark.parametrize(
    ("text", "seconds"), [("30:00", 1800), ("01:00:00", 3600), ("2-00:00:01", 172801), ("UNLIMITED", None), ("5", None)]
)
def test_time_limits(text: str, seconds: int | None) -> None:
    assert scontrol.seconds(text) == seconds


def test_sinfo_reads_partitions_states_and_nodes() -> None:
    rows = sinfo.read(fixture("sinfo.txt")).rows
    assert [(row["partition"], row["default"], row["state"], row["flag"]) for row in rows] == [
        ("fast", True, "idle", None),
        ("slow", False, "drain", "not responding"),
    ]
    assert (rows[0]["nodes"], rows[0]["time_limit_s"]) == (["gpu07", "gpu08", "gpu09"], 86400)
    assert rows[1]["time_limit_s"] is None
