"""The subjects that quotas count by, such as a person or a network, and their keys in the database.

Addresses and networks are stored as HMACs only.
"""

from collections.abc import Iterable
from enum import StrEnum
from ipaddress import IPv4Address, ip_address, ip_network

from games.models import Game, User, address_digest, keyed_digest

IPV6_PREFIX = 56  # what one household gets; also the least that an attacker has


class Scope(StrEnum):
    """The kind of subject that a quota counts by, in the order in which rows are locked: the
    busiest one last."""

    CODE = "code"  # one code in one browser
    SOURCE = "source"  # an address, as far as one network asks for it
    SEAT = "seat"  # one player at one table
    PERSON = "person"
    PAIR = "pair"  # an address, as far as one person causes emails to it
    ADDRESS = "address"
    TABLE = "table"
    NETWORK = "network"
    SERVICE = "service"


def subject_keys(
    person: User | None, addresses: Iterable[str], table: Game | None, network: str, code: str = ""
) -> dict[Scope, list[str]]:
    """Return the keys of the rows to count in, by scope; none for a subject that is not given.

    network: the IP address of the client. code: the expected one and its browser.
    """
    found: dict[Scope, list[str]] = {Scope.SERVICE: [""]}
    if person is not None:
        found[Scope.PERSON] = [str(person.pk)]
    if table is not None:
        found[Scope.TABLE] = [str(table.pk)]
    if person is not None and table is not None:
        found[Scope.SEAT] = [f"{table.pk}:{person.pk}"]
    if network:
        found[Scope.NETWORK] = [_network_digest(network)]
    found[Scope.ADDRESS] = sorted({address_digest(address) for address in addresses})
    if code:
        found[Scope.CODE] = [keyed_digest("games.guesses", code).hex()]
    if person is not None:
        found[Scope.PAIR] = [_digest(f"{address} {person.pk}") for address in found[Scope.ADDRESS]]
    if network:
        found[Scope.SOURCE] = [
            _digest(f"{address} {found[Scope.NETWORK][0]}") for address in found[Scope.ADDRESS]
        ]
    return found


def _network_digest(address: str) -> str:
    """Return the HMAC of the network of an IP address: IPv4 alone, IPv6 by its prefix."""
    try:
        found = ip_address(address)
    except ValueError:
        return _digest(address)
    mapped = getattr(found, "ipv4_mapped", None)
    if isinstance(found, IPv4Address) or mapped is not None:
        return _digest(str(mapped or found))
    return _digest(str(ip_network((found, IPV6_PREFIX), strict=False)))


def _digest(value: str) -> str:
    return keyed_digest("games.network", value).hex()
