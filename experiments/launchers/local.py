"""Runs processes on this machine: given environment only, pinned to cores, killed by the kernel when the tool dies."""

from __future__ import annotations

from experiments.launchers.base import Command, Launcher


class LocalLauncher(Launcher):
    """`env -i` clears what the tool inherited; `setpriv --pdeathsig` also reaches a process that is stopped."""

    def start(self, command: Command, node: str) -> list[str]:
        """An argv of coreutils' env, util-linux's setpriv and taskset, and the command; each replaces itself."""
        variables = [f"{name}={value}" for name, value in sorted(command.env.items())]
        pin = ["/usr/bin/taskset", "--cpu-list", ",".join(map(str, command.cpus))] if command.cpus else []
        guard = ["/usr/bin/setpriv", "--pdeathsig", "KILL"]
        return ["/usr/bin/env", "-i", f"--chdir={command.folder}", *variables, *guard, *pin, *command.argv]
