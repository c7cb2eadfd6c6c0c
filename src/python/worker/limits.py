"""What users' code may reach: network and memory."""

from __future__ import annotations

import os
import socket
import tempfile
from typing import Any, Optional

REFUSAL = "Python code may not use the network: allow it with --allow-network"


def refuse_network() -> None:
    """Makes connections and look-ups of names fail at once, with a text that says how to allow them."""

    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise PermissionError(REFUSAL)

    connect = socket.socket.connect

    def connect_within(self: socket.socket, address: Any) -> Any:
        # `multiprocessing` speaks with the processes that it starts over sockets in a temporary folder of its own.
        if self.family == getattr(socket, "AF_UNIX", None) and isinstance(address, str):
            folder = os.path.basename(os.path.dirname(address))
            if folder.startswith("pymp-") and os.path.dirname(os.path.dirname(address)) == tempfile.gettempdir():
                return connect(self, address)
        return refuse()

    setattr(socket.socket, "connect", connect_within)
    for name in ("connect_ex", "sendto"):
        setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr", "create_connection"):
        setattr(socket, name, refuse)
    # Libraries that know these variables say at once what is missing, and do not retry for minutes.
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"):
        os.environ.setdefault(name, "1")


def limit_memory(size: Optional[int]) -> None:
    """Limits the address space, so that code that needs more gets a MemoryError instead of the machine's whole memory."""
    if size is None:
        return
    import resource

    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    top = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (top, hard))
