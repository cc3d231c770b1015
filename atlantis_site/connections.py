"""Connections of clients: how many a process may hold, and from which network each comes.

Without Django.
"""

import contextlib
import ipaddress
import resource


def allow_many_connections() -> None:
    """Raise the soft limit of open files to the hard limit."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # macOS reports more than it allows
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def network_of(peer: str, forwarded: str, trust_proxy: bool) -> str:
    """An IPv4 address, a /56 of IPv6, or "" if nobody knows.

    forwarded: all fields X-Forwarded-For, with commas between them. The last address is the one
    that our proxy wrote; django-allauth, which limits requests, reads it in the same way.
    """
    address = forwarded.rpartition(",")[2].strip() if trust_proxy and forwarded else peer
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if found.version == 4:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 56), strict=False))
