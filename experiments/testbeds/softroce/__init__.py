"""Two emulated nodes with Soft-RoCE: Debian's kernel under QEMU, rdma_rxe over a link between them, ssh to each."""

from experiments.testbeds.softroce.testbed import NodeStatus, Testbed

__all__ = ["NodeStatus", "Testbed"]
