"""Commands of manage.py. Their output is in English."""

from argparse import ArgumentParser

from django.core.management.base import CommandError

from games.mail import dns_lookup


def counted(number: int, noun: str) -> str:
    """ "1 game", "2 games"; for nouns whose plural has an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def add_name_server(parser: ArgumentParser) -> None:
    """Add the option `--dns`, for `lookup_of`."""
    parser.add_argument("--dns", help="address[:port] of a name server (default: this machine's)")


def lookup_of(server: str | None) -> dns_lookup.Lookup:
    """The lookup function of this name server, or of this machine's; CommandError for no address.
    It raises DnsUnavailable when it is called where there is none."""
    try:
        return dns_lookup.lookup_at(dns_lookup.parse_name_server(server) if server else None)
    except ValueError as error:
        raise CommandError(f"--dns: {error}.") from None
