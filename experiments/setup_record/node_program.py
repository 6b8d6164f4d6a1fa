"""Reads what SPEC asks for on a node and prints it as one JSON line after MARK; interprets nothing.

Streamed over stdin to the node's own python3 (3.6 or newer, standard library only), hence its old-fashioned Python.
SPEC = {"globs": [...], "tables": {"values": pattern, "empty": text, "beside": [...]}, "links": [...],
        "upward": {"from": [...], "names": [...]}, "commands": {name: argv},
        "command_env": {...}, "hashes": [...], "spaces": [...], "timeout_s": N, "max_bytes": N}
"""

# ruff: noqa
# mypy: ignore-errors
import errno
import glob
import hashlib
import json
import os
import subprocess
import time

SPEC = {}  # type: dict  # replaced by the sender
MARK = "rdmalab-snapshot "


def read(path, limit):
    try:
        with open(path, "rb") as stream:
            return {"text": stream.read(limit).decode("utf-8", "replace")}
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM):
            return {"error": "denied"}
        return {"error": "absent", "text_of_error": str(error)}


def own_cgroup_files():
    """The controller files of this process's cgroup and of its ancestors, which is where limits really stand."""
    found = []
    try:
        lines = open("/proc/self/cgroup").read().splitlines()
    except OSError:
        return found
    for line in lines:
        number, controllers, path = line.split(":", 2)
        root = "/sys/fs/cgroup" if number == "0" else "/sys/fs/cgroup/" + controllers
        while True:
            for name in ("cpu.max", "memory.max", "cpuset.cpus.effective", "memory.limit_in_bytes", "cpu.cfs_quota_us"):
                candidate = os.path.join(root, path.strip("/"), name)
                if os.path.exists(candidate):
                    found.append(candidate)
            if path in ("/", ""):
                break
            path = os.path.dirname(path)
    return found


def filled_entries(table, limit):
    """Of a table whose files are mostly empty (a GID table has up to 1024): the filled ones and what lies beside."""
    found = {}
    for path in glob.glob(table["values"]):
        value = read(path, limit)
        if value.get("text", "").strip() == table["empty"]:
            continue
        found[path] = value
        folder, index = os.path.split(path)
        for beside in table["beside"]:
            other = os.path.join(os.path.dirname(folder), beside, index)
            found[other] = read(other, limit)
    return found


def sha256(path):
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as stream:
            for block in iter(lambda: stream.read(1 << 20), b""):
                digest.update(block)
    except OSError:
        return None
    return digest.hexdigest()


def free_bytes(path):
    """Bytes that this user can still write where `path` is, or will be."""
    while path not in ("", "/") and not os.path.isdir(path):
        path = os.path.dirname(path)
    try:
        space = os.statvfs(path or "/")
    except OSError:
        return None
    return space.f_bavail * space.f_frsize


def copy_rate():
    """Bytes a second of one core's fastest copy: the best of many that fit a cache, so that no transfer can beat it."""
    best = 0.0
    for size, times in ((1 << 16, 300), (1 << 18, 100), (1 << 20, 20)):
        source, to = memoryview(bytearray(size)), memoryview(bytearray(size))
        for _ in range(times):
            start = time.perf_counter()
            to[:] = source
            spent = time.perf_counter() - start
            if spent > 0:
                best = max(best, size / spent)
    return best


def run(argv, environment, timeout):
    try:
        done = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
    except OSError as error:
        return {"missing": True, "rc": 127, "stdout": "", "stderr": str(error)}
    try:
        out, err = done.communicate(timeout=timeout)
        late = False
    except subprocess.TimeoutExpired:
        done.kill()
        out, err = done.communicate()
        late = True
    return {
        "missing": False,
        "timed_out": late,
        "rc": done.returncode,
        "stdout": out.decode("utf-8", "replace"),
        "stderr": err.decode("utf-8", "replace"),
    }


def main():
    limit = SPEC["max_bytes"]
    files, links = {}, {}
    for pattern in SPEC["globs"]:
        for path in glob.glob(pattern):
            if not os.path.isdir(path):
                files[path] = read(path, limit)
    files.update(filled_entries(SPEC["tables"], limit))
    for path in own_cgroup_files():
        files[path] = read(path, limit)
    for pattern in SPEC["links"]:
        for path in glob.glob(pattern):
            links[path] = os.path.realpath(path)
    for pattern in SPEC["upward"]["from"]:
        for path in glob.glob(pattern):
            where = os.path.realpath(path)
            links[path] = where
            while where.startswith("/sys/devices/"):
                for name in SPEC["upward"]["names"]:
                    candidate = os.path.join(where, name)
                    if os.path.exists(candidate):
                        files[candidate] = read(candidate, limit)
                where = os.path.dirname(where)
    environment = dict(os.environ)
    environment.update(SPEC["command_env"])
    commands = {}
    for name in sorted(SPEC["commands"]):
        commands[name] = run(SPEC["commands"][name], environment, SPEC["timeout_s"])
    copied = copy_rate()
    system = os.uname()
    print(
        MARK
        + json.dumps(
            {
                "format": "rdmalab.snapshot",
                "version": 1,
                "utc_ns": int(time.time() * 1e9),
                "files": files,
                "links": links,
                "commands": commands,
                "uname": [system[0], system[1], system[2], system[3], system[4]],
                "page_size": os.sysconf("SC_PAGE_SIZE"),
                "copy_bytes_per_second": copied,
                "cpus_allowed": sorted(os.sched_getaffinity(0)),
                "environment": {name: os.environ[name] for name in os.environ if name.startswith("UCX_")},
                "hashes": {path: sha256(path) for pattern in SPEC["hashes"] for path in glob.glob(pattern)},
                "spaces": {path: free_bytes(path) for path in SPEC["spaces"]},
            }
        )
    )


main()
