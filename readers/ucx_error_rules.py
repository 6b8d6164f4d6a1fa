"""The messages of UCX that `ucx_errors` knows, by topic, each with its cause and what to do about it."""

from __future__ import annotations

from readers.error_rules import Rule, rule
from readers.reading import CANNOT_RUN, PEER_LOST, WRONG_LANE
from readers.ucx_error_hints import likely_variables, memory_kind, offered_instead

_LANE: tuple[Rule, ...] = (
    rule(
        r"network devices?\s+(?P<device>'[^']*'(?:,\s*'[^']*')*)\s+(?:is"
        r"|are) not available,\s+please use one or more of:"
        r"\s*(?P<offer>.*)",
        "device {device} is not available here; offered: {offer}",
        "{advice}",
        "warning",
        WRONG_LANE,
        derive=offered_instead,
    ),
    rule(
        r"transports?\s+(?P<transports>'[^']*_mlx5[^']*'(?:,'[^']*')*)\s+(?:is"
        r"|are) not available,\s+please use one or more of:"
        r"(?P<offer>\s+[^\n]*\brc_verbs\b[^\n]*)",
        "transports {transports} are not available, while rc_verbs is: this UCX has no mlx5 support, or "
        "the device is no mlx5. "
        "Offered: {offer}",
        "use a UCX built with mlx5 support, or lane rc_verbs (caveat unaccelerated: a floor, not the hardware)",
        "warning",
        WRONG_LANE,
    ),
    rule(
        r"transports?\s+(?P<transports>'[^']*'(?:,'[^']*')*)\s+(?:is|are) not available,\s+please use one or more of:"
        r"(?P<offer>\s+(?![^\n]*\brc_verbs\b)[^\n]*)",
        "transports {transports} are not available here; offered: {offer}",
        "the device is missing on this node, or this UCX is built without verbs: another UCX prefix, or another lane",
        "warning",
        WRONG_LANE,
    ),
    rule(
        r"no usable transports/devices \(asked (?P<asked>[^)]*?) on (?P<devices>[^)]*)\)",
        "the allowed transports ({asked} on {devices}) hold no usable network transport",
        "add one to UCX_TLS: tcp, or rc with ud",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"no auxiliary transport\b.*",
        "only rc_* transports are allowed: there is no transport for the wire-up",
        "add ud_verbs or ud_mlx5 to UCX_TLS (the alias rc holds both), or wire up through rdmacm",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"no peer failure handler",
        "the allowed transports (shared memory) cannot report a lost peer, and peer error handling was asked",
        "lanes over shared memory use error_handling: none",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"tcp/(?P<interface>\S+) - no route to",
        "tcp on interface {interface} has no route to the peer",
        "name an interface that reaches the peer; UCX 1.20.1 and older cannot reach another process over lo: use 1.22",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"no [a-z ]+ transport to [^:\n]*:\s*self/memory0?\s*-\s*Destination is unreachable",
        "only the transport `self` was allowed or left: UCX_TLS has no transport to another process",
        "add one to UCX_TLS: tcp, or rc with ud",
        exit_code=CANNOT_RUN,
        role="consequence",
    ),
    rule(
        r"no [a-z ]+ transport to (?![^:\n]*:\s*self/memory0?\s*-)[^\n]*Destination is unreachable",
        "none of the allowed transports reaches the peer",
        "the two sides need a transport and a device in common: compare UCX_TLS and UCX_NET_DEVICES of both",
        exit_code=CANNOT_RUN,
        role="consequence",
    ),
)

_ENVIRONMENT: tuple[Rule, ...] = (
    rule(
        r"unused (?:env|environment) variables?:\s+(?P<names>\S[^\n]*)",
        "{variables} not known to UCX and without effect: the run is void",
        "{advice}",
        "warning",
        WRONG_LANE,
        derive=likely_variables,
    ),
    rule(
        r"address version mismatch: expected (?P<expected>[0-9]+), actual (?P<actual>[0-9]+)",
        "the two sides run different UCX versions (address version {expected} here, {actual} there)",
        "the same UCX on both nodes; compare versions and library hashes before the start",
    ),
    rule(
        r"connect\(fd=[0-9]+, dest_addr=(?P<address>172\.17\.[0-9.]+):[0-9]+\) failed: (?P<why>.*)",
        "tcp chose the docker bridge, {address}: the same address on every host, so the node reached itself ({why})",
        "pin the real interface with UCX_NET_DEVICES",
        exit_code=PEER_LOST,
    ),
    rule(
        r"connect\(fd=[0-9]+, dest_addr=(?P<address>(?!172\.17\.)[^)\s]+)\) failed: (?P<why>.*)",
        "tcp could not connect to {address}: {why}",
        "is the peer alive, the interface the right one, a firewall in between?",
        exit_code=PEER_LOST,
    ),
)

_MEMORY: tuple[Rule, ...] = (
    rule(
        r"(?P<device>\b[\w.-]{1,64}): (?P<call>ibv_\w+)\(\) failed: Cannot allocate memory\.?\s+Please set max "
        r"locked memory \(ulimit -l\) "
        r"to 'unlimited' \(current: (?P<limit>[^)]*)\)",
        "{call} on {device} failed: the memlock limit of this process is {limit}",
        "raise it for the engine itself: `ulimit -l`, limits.conf, systemd LimitMEMLOCK, the "
        "container's ulimit, slurmd",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"ibv_reg_mr\((?P<what>[^)]*)\) failed: Bad address(?:[^\n]*\n[^\n]*mem_type bit (?P<bit>0x[0-9a-f]+))?",
        "the NIC cannot register this memory ({what}; EFAULT): {kind}",
        "load nvidia_peermem or use dma-buf; otherwise stage through host memory, which is another arm",
        exit_code=CANNOT_RUN,
        derive=memory_kind,
    ),
    rule(
        r"ibv_reg_mr\((?P<what>[^)]*access=0x1[0-9a-f]{5}[^)]*)\) failed: Invalid argument",
        "the driver refused to register memory ({what}): access 0x100000 is relaxed ordering; not a memlock fault",
        "try UCX_IB_PCI_RELAXED_ORDERING=n; check whether it is GPU memory",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"ibv_reg_mr\((?P<what>(?![^)]*access=0x1[0-9a-f]{5})[^)]*)\) failed: (?!Bad address)(?P<why>.*)",
        "the driver refused to register memory ({what}): {why}",
        "Cannot allocate memory means memlock: raise `ulimit -l`; Invalid argument means the kind of "
        "memory or the access",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"failed to register (?:address|user buffer)\b[^\n]*",
        "UCX could not register a buffer",
        "look at the error before it; without one, the memory domain does not take this kind of memory",
        role="consequence",
    ),
    rule(
        r"mlx5dv_devx_create_event_channel\(\) failed: (?P<why>.*)",
        "the kernel driver is older than the user-space library: it has no DEVX events ({why})",
        "match kernel and user-space stack (rdma-core or MLNX_OFED); fallback lane rc_verbs, caveat unaccelerated",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"Invalid gid\[(?P<index>[0-9]+)\] on (?P<port>\S+)",
        "GID index {index} of {port} is empty: the port is down, has no address, or this is a container's network",
        "choose a valid index (show_gids, `./rdmalab doctor`) or another port",
        exit_code=CANNOT_RUN,
    ),
)

_PEER: tuple[Rule, ...] = (
    rule(
        r"Transport retry count exceeded on (?P<port>\S+)[^\n]*(?:\n[^\n]*?\brlid (?P<lid>[0-9]+))?",
        "the peer (LID {lid}) did not answer over {port}: transport retries exceeded",
        "the peer is dead, or link, fabric or subnet differ: check both ports, the subnet manager, the error counters",
        "fatal",
        PEER_LOST,
    ),
    rule(
        r"UD endpoint \S+ to [^\n]*?: unhandled timeout error",
        "the wire-up packets (UD) got no answer",
        "GID index, another fabric, MTU, or the peer is gone. UCX waits minutes for this: the tool's "
        "deadline comes first",
        "fatal",
        PEER_LOST,
    ),
    rule(
        r"Fatal: unexpected error: Endpoint timeout",
        "the peer's endpoint timed out and UCX aborted this process: the peer died, stopped, or closed by force",
        "look at the peer's log: its death is the cause, this abort the consequence",
        "fatal",
        PEER_LOST,
    ),
    rule(
        r"(?:process_vm_readv|process_vm_writev|cma)\S*[^\n]*No such process",
        "the peer process of a shared-memory lane is gone",
        "look at the peer's log: its death is the cause",
        "fatal",
        PEER_LOST,
    ),
    rule(
        r"Fatal: (?P<what>[a-z ]*completion)\S*\s+with error(?:\s+on\s+(?P<device>[^\s:/]+)[^\n]*)?",
        "a {what} with an error on {device} made UCX abort this process (SIGABRT)",
        "known trigger over rc_verbs: an rkey used after its memory was released. Never retry in the same process",
        "fatal",
    ),
    rule(
        r"Fatal:[^\n]*Flushed",
        "the connection was flushed with requests open: the link went down or the peer closed",
        "check the port's state and the peer's log",
        "fatal",
        PEER_LOST,
    ),
    rule(
        r"Caught signal (?P<signal>[0-9]+) \((?P<what>[^:)]*)",
        "the process crashed with signal {signal} ({what})",
        "the error before it is the cause; without one, look at the backtrace",
        "fatal",
        role="consequence",
    ),
    rule(
        r"\(signal: (?P<signal>[0-9]+), (?P<name>SIG[A-Z]+)",
        "the process crashed with signal {signal} ({name})",
        "the error before it is the cause",
        "fatal",
        role="consequence",
    ),
    rule(
        r"ep 0x[0-9a-f]+ has already been closed",
        "an endpoint was closed twice: a fault of the caller at shutdown",
        "after the end line of the samples this is a note; before it, the run failed",
        "note",
    ),
)

_PERFTEST: tuple[Rule, ...] = (
    rule(
        r"client failed\. connect\(\) failed: Connection refused",
        "no server listens at the address yet (connection refused)",
        "start the server first and wait until it listens; check host and port",
        exit_code=PEER_LOST,
    ),
    rule(
        r"getaddrinfo\(server:(?P<host>[^,)\s]+), port:(?P<port>[0-9]+)\) error: \[(?P<why>[^\]]*)",
        "the host name {host} (port {port}) is unknown: {why}",
        "correct the name, or use the address",
        exit_code=PEER_LOST,
    ),
    rule(
        r"server failed\. bind\(\) failed: Address already in use",
        "the port on which the server should listen is taken (its number is not in the text)",
        "end the other program or name another port (-p); best let the kernel choose a free one",
        exit_code=CANNOT_RUN,
    ),
)

RULES = (*_LANE, *_ENVIRONMENT, *_MEMORY, *_PEER, *_PERFTEST)
