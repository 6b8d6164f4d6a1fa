"""Facts of the machine itself: processor, memory, kernel, limits, cgroup, clock. Pure: a Snapshot in, facts out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from statistics import median

from experiments.setup_record.snapshot import Snapshot, measured
from store.facts import Fact, Status, absent, said

_CPU = "/sys/devices/system/cpu"
_CAP_IPC_LOCK = 14


def machine_facts(node: Snapshot) -> dict[str, Fact]:
    """Facts whose keys start with host, cpu, numa, memory, kernel, os, clock, limit and cgroup."""
    facts: dict[str, Fact] = {}
    for part in (_host, _cpu, _throttling, _numa_and_memory, _swap, _kernel, _clock, _limits, _cgroup):
        facts.update(part(node))
    return facts


def fields(text: str | None, separator: str = ":") -> dict[str, str]:
    """`name: value` lines as a dict; the first of equal names wins."""
    found: dict[str, str] = {}
    for line in (text or "").splitlines():
        name, mark, value = line.partition(separator)
        if mark:
            found.setdefault(name.strip(), value.strip())
    return found


def _host(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    names = node.uname
    yield "host.name", said(names[1] if names else None, "uname")
    yield "host.arch", said(names[4] if names else None, "uname")
    yield "host.boot_id", node.fact("/proc/sys/kernel/random/boot_id")
    yield "host.uptime", node.fact("/proc/uptime", "s", lambda text: float(text.split()[0]))
    vendor, product = node.text("/sys/class/dmi/id/sys_vendor"), node.text("/sys/class/dmi/id/product_name")
    name = " ".join(word for word in (vendor, product) if word)
    yield "host.product", said(name, "/sys/class/dmi/id")
    cpuinfo = node.text("/proc/cpuinfo")
    if cpuinfo is None:
        yield "host.virtualisation", absent("/proc/cpuinfo")
        return
    flags = fields(cpuinfo).get("flags", "").split()
    kind = "virtual machine" if "hypervisor" in flags else "no hypervisor flag"
    yield "host.virtualisation", said(kind, "/proc/cpuinfo flags", status=Status.INFERRED)


def _cpu(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    text = node.text("/proc/cpuinfo") or ""
    info = fields(text)
    yield "cpu.model", said(info.get("model name") or info.get("CPU part"), "/proc/cpuinfo")
    yield "cpu.microcode", said(info.get("microcode"), "/proc/cpuinfo")
    clocks = [float(value) for value in re.findall(r"^cpu MHz\s*: ([\d.]+)$", text, re.MULTILINE)]
    yield "cpu.mhz", said(median(clocks) if clocks else None, "/proc/cpuinfo, median over cores", "MHz")
    yield "cpu.count", said(len(re.findall(r"^processor\s*:", text, re.MULTILINE)) or None, "/proc/cpuinfo")
    yield "cpu.online", node.fact(f"{_CPU}/online")
    yield "cpu.isolated", node.fact(f"{_CPU}/isolated")
    yield "cpu.allowed", said(_ranges(node.cpus_allowed), "sched_getaffinity of a process started like the engine")
    yield "cpu.smt", node.fact(f"{_CPU}/smt/active", convert=lambda value: value == "1")
    yield "cpu.governor", _one_of(node, f"{_CPU}/cpu*/cpufreq/scaling_governor")
    yield "cpu.driver", _one_of(node, f"{_CPU}/cpu*/cpufreq/scaling_driver")
    no_turbo = node.fact(f"{_CPU}/intel_pstate/no_turbo", convert=lambda value: value == "0")
    boost = node.fact(f"{_CPU}/cpufreq/boost", convert=lambda value: value == "1")
    yield "cpu.turbo", no_turbo if no_turbo.value is not None else boost
    open_ones = [
        f"{PurePosixPath(path).name}: {value}"
        for path, value in node.matching(f"{_CPU}/vulnerabilities/*").items()
        if value != "Not affected"
    ]
    yield "cpu.mitigations", measured(open_ones, f"{_CPU}/vulnerabilities")


def _throttling(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    for kind in ("core", "package"):
        pattern = f"{_CPU}/cpu*/thermal_throttle/{kind}_throttle_count"
        counts = [int(value) for value in node.matching(pattern).values() if value.isdecimal()]
        yield f"cpu.throttle.{kind}", measured(sum(counts), pattern, "events") if counts else absent(pattern, "events")
    yield "cpu.load", node.fact("/proc/loadavg", "processes", lambda text: float(text.split()[0]))


def _numa_and_memory(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    nodes = node.matching("/sys/devices/system/node/node*/cpulist")
    yield "numa.nodes", said(len(nodes) or None, "/sys/devices/system/node")
    for path in nodes:
        yield f"numa.{PurePosixPath(path).parent.name}.cpus", node.fact(path)
    yield "numa.balancing", node.fact("/proc/sys/kernel/numa_balancing", convert=lambda text: text != "0")
    memory = fields(node.text("/proc/meminfo"))
    for key, name in (("total", "MemTotal"), ("available", "MemAvailable")):
        yield f"memory.{key}", said(_kib(memory.get(name)), f"/proc/meminfo {name}", "bytes")
    copied = node.copy_bytes_per_second
    source = "the fastest of some hundred copies of 64 KiB to 1 MiB by one core"
    yield "memory.copy_rate", said(round(copied / 1e9, 2) if copied else None, source, "GB/s")
    yield "memory.page_size", said(node.page_size, "sysconf(SC_PAGE_SIZE)", "bytes")
    chosen = re.search(r"\[(\w+)\]", node.text("/sys/kernel/mm/transparent_hugepage/enabled") or "")
    thp = chosen.group(1) if chosen else None
    yield "memory.transparent_huge", said(thp, "/sys/kernel/mm/transparent_hugepage/enabled")
    for path in node.matching("/sys/kernel/mm/hugepages/*/nr_hugepages"):
        size = PurePosixPath(path).parent.name.removeprefix("hugepages-")
        yield f"memory.huge.{size}", node.fact(path, "pages", int)
        yield f"memory.huge.free.{size}", node.fact(path.replace("nr_", "free_"), "pages", int)


def _swap(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    memory = fields(node.text("/proc/meminfo"))
    total, free = _kib(memory.get("SwapTotal")), _kib(memory.get("SwapFree"))
    used = total - free if total is not None and free is not None else None
    yield "memory.swap.used", said(used, "/proc/meminfo SwapTotal - SwapFree", "bytes")
    counters = fields(node.text("/proc/vmstat"), " ")
    for key, name in (("in", "pswpin"), ("out", "pswpout")):
        value = counters.get(name)
        yield f"memory.swap.{key}", said(_whole(value), f"/proc/vmstat {name}", "pages")
    for kind in ("cpu", "memory", "io"):
        found = re.search(r"^some .*total=(\d+)", node.text(f"/proc/pressure/{kind}") or "", re.MULTILINE)
        total_us = int(found.group(1)) if found else None
        yield f"memory.pressure.{kind}", said(total_us, f"/proc/pressure/{kind} some total", "us")


def _kernel(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    yield "kernel.release", said(node.uname[2] if node.uname else None, "uname")
    yield "kernel.version", said(node.uname[3] if node.uname else None, "uname")
    yield "kernel.command_line", node.fact("/proc/cmdline")
    name = fields(node.text("/etc/os-release"), "=").get("PRETTY_NAME")
    yield "os.name", said(name.strip('"') if name else None, "/etc/os-release PRETTY_NAME")


def _clock(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    yield "clock.source", node.fact("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    where = "the node's clock minus this tool's, middle of one call"
    yield "clock.offset", said(node.clock_offset_s, where, "s", Status.INFERRED)
    yield "clock.offset_uncertainty", said(node.clock_uncertainty_s, "half of that call", "s", Status.INFERRED)


def _limits(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    source = "/proc/self/limits of a process started like the engine"
    text = node.text("/proc/self/limits") or ""
    for key, name, unit in (
        ("memlock", "Max locked memory", "bytes"),
        ("open_files", "Max open files", "files"),
        ("address_space", "Max address space", "bytes"),
        ("core", "Max core file size", "bytes"),
    ):
        found = re.search(rf"^{name}\s+(\S+)\s+(\S+)", text, re.MULTILINE)
        soft, hard = found.groups() if found else (None, None)
        yield f"limit.{key}", said(_limit(soft), source, unit)
        yield f"limit.{key}_hard", said(_limit(hard), source, unit)
    effective = fields(node.text("/proc/self/status")).get("CapEff", "")
    has = bool(int(effective, 16) >> _CAP_IPC_LOCK & 1) if re.fullmatch("[0-9a-f]+", effective) else None
    yield "limit.cap_ipc_lock", said(has, "/proc/self/status CapEff")


def _cgroup(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    yield "cgroup.path", node.fact("/proc/self/cgroup", convert=lambda text: text.splitlines()[-1].split(":", 2)[2])
    for key, name in (("cpu_max", "cpu.max"), ("memory_max", "memory.max"), ("cpus", "cpuset.cpus.effective")):
        # Limits of every ancestor hold; the tightest is not computed here, all that say something are listed.
        said_by = [
            f"{path.removeprefix('/sys/fs/cgroup')}: {text.strip()}"
            for path, text in sorted(node.files.items())
            if path.startswith("/sys/fs/cgroup/") and path.endswith("/" + name) and not text.startswith("max")
        ]
        yield f"cgroup.{key}", measured(said_by, "/sys/fs/cgroup") if said_by else absent("/sys/fs/cgroup")


def _one_of(node: Snapshot, pattern: str) -> Fact:
    values = sorted(set(node.matching(pattern).values()))
    return said(", ".join(values) or None, pattern)


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None


def _kib(text: str | None) -> int | None:
    found = re.fullmatch(r"(\d+) kB", text or "")
    return int(found.group(1)) * 1024 if found else None


def _limit(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() else text


def _ranges(numbers: tuple[int, ...]) -> str | None:
    """(0, 1, 2, 5) as `0-2,5`."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{low}-{high}" if high > low else str(low) for low, high in parts) or None
