"""The network of a client, by which connections are counted. Without Django."""

import ipaddress


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
