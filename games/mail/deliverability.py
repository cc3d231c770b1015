"""Check whether other mail servers will accept our email: settings and DNS of the sender.

Nothing is changed or sent. The findings are for the operator, in plain English.
"""

from collections.abc import Callable, Iterator, Sequence
from email.utils import parseaddr
from enum import StrEnum
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

import dns.exception
import dns.resolver
import dns.reversename
from django.conf import settings

DNS_TIMEOUT_SECONDS = 4.0

# (name, record type) → records: whole texts for TXT, "10 host" for MX, names without the last dot.
Lookup = Callable[[str, str], list[str]]


class Severity(StrEnum):
    """FAIL: fix this before you invite people."""

    OK = "ok"
    NOTE = "note"
    FAIL = "FAIL"


class Finding(NamedTuple):
    """The result of one check; `text` says what was found and how to fix it."""

    severity: Severity
    text: str


ok = partial(Finding, Severity.OK)
note = partial(Finding, Severity.NOTE)
fail = partial(Finding, Severity.FAIL)


def sender_domain() -> str:
    """The domain of MAIL_FROM in lower case, or "" if MAIL_FROM is not an address."""
    return parseaddr(settings.MAIL_FROM)[1].rpartition("@")[2].lower()


def _is_local(host: str) -> bool:
    return (
        host in ("", "localhost")
        or host.endswith((".local", ".test", ".invalid"))
        or (host.replace(".", "").isdecimal() or ":" in host)
    )


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


# -- settings --------------------------------------------------------------------------------


def check_settings() -> Iterator[Finding]:
    """Check the sender, the transport and the reply address."""
    domain = sender_domain()
    if "@" not in parseaddr(settings.MAIL_FROM)[1]:
        yield fail(f"MAIL_FROM is {settings.MAIL_FROM!r}, which is not an address.")
    elif _is_local(domain):
        yield fail(
            f"Email is sent from {settings.MAIL_FROM}. No mail server accepts {domain}: set "
            "MAIL_FROM to an address at a domain that you own."
        )
    else:
        yield ok(f"Email is sent from {settings.MAIL_FROM}.")
    yield from _check_transport()
    if urlsplit(settings.SITE_URL).scheme != "https":
        yield note(f"Links in emails lead to {settings.SITE_URL}; people trust https more.")
    yield from _check_replies()


def _check_transport() -> Iterator[Finding]:
    backend = settings.EMAIL_BACKEND.rpartition(".")[2]
    if backend == "FolderBackend":
        yield fail("Email is saved to a folder and not delivered: set EMAIL_URL.")
    elif settings.EMAIL_BACKEND.startswith("anymail."):
        yield ok("Email is sent through a provider of django-anymail.")
        if not settings.INBOUND_SECRET:
            yield fail(
                "The provider cannot report bounces and complaints: set INBOUND_SECRET and give "
                f"the provider {settings.SITE_URL}/anymail/…/tracking/ as its webhook."
            )
    elif not (settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL) and not _is_loopback(
        settings.EMAIL_HOST
    ):
        yield fail(
            f"The connection to {settings.EMAIL_HOST} is not encrypted: use smtp+tls or smtp+ssl "
            "in EMAIL_URL."
        )
    else:
        yield ok(f"Email is sent through {settings.EMAIL_HOST}:{settings.EMAIL_PORT}.")


def _check_replies() -> Iterator[Finding]:
    if not settings.MAIL_REPLY_DOMAIN:
        yield note("Replies are not read: MAIL_REPLY_DOMAIN is not set.")
        return
    yield ok(f"Replies go to {settings.MAIL_REPLY_DOMAIN}.")
    if not settings.MAIL_AUTHSERV_ID:
        yield note(
            "Every move by reply has to be confirmed with a link, because MAIL_AUTHSERV_ID is not "
            "set. It names the mail server whose Authentication-Results are trusted."
        )


# -- DNS -------------------------------------------------------------------------------------


class DnsUnavailable(Exception):
    """No name server answered, or it answered with an error."""


def dns_lookup(server: str | None = None) -> Lookup:
    """Return a lookup function for `server` (address or address:port) or this machine's servers.

    A name without records gives []. Both functions raise DnsUnavailable.
    """
    try:
        resolver = dns.resolver.Resolver(configure=server is None)
        if server:
            host, _, port = server.rpartition(":")
            if not host or ":" in host or not port.isdecimal():
                host, port = server, "53"
            resolver.nameservers, resolver.port = [host], int(port)
    except (dns.exception.DNSException, ValueError) as error:
        raise DnsUnavailable(str(error)) from error
    return lambda name, record_type: _lookup(resolver, name, record_type)


def _lookup(resolver: dns.resolver.Resolver, name: str, record_type: str) -> list[str]:
    try:
        answer = resolver.resolve(
            name,
            record_type,
            raise_on_no_answer=False,
            search=False,
            lifetime=DNS_TIMEOUT_SECONDS,
        )
    except dns.resolver.NXDOMAIN:
        return []
    except (dns.exception.DNSException, OSError) as error:
        raise DnsUnavailable(str(error)) from error
    if record_type == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
    return [record.to_text().removesuffix(".") for record in answer]


def check_dns(lookup: Lookup, selectors: Sequence[str]) -> Iterator[Finding]:
    """Check SPF, DKIM, DMARC, MX and PTR. Raises DnsUnavailable."""
    domain = sender_domain()
    if _is_local(domain):
        yield note("DNS was not checked: the sender's domain is not public.")
        return
    yield _check_spf(lookup, domain)
    yield from _check_dkim(lookup, domain, selectors)
    yield _check_dmarc(lookup, domain)
    yield _check_mx(lookup, domain, "bounces and replies to the sender")
    reply = settings.MAIL_REPLY_DOMAIN
    if reply and reply != domain:
        yield _check_mx(lookup, reply, "replies with moves")
    yield from _check_ptr(lookup)


def _check_spf(lookup: Lookup, domain: str) -> Finding:
    records = [text for text in lookup(domain, "TXT") if text.lower().split(" ")[0] == "v=spf1"]
    if not records:
        return fail(
            f"SPF: {domain} does not say who may send for it. Add a TXT record such as "
            '"v=spf1 include:<your provider> -all", or "v=spf1 mx -all" for your own server.'
        )
    if len(records) > 1:
        return fail(f"SPF: {domain} has {len(records)} records, so none counts. Merge them.")
    terms = records[0].lower().split()
    if terms[-1] in ("all", "+all", "?all") or not (
        terms[-1].endswith("all") or terms[-1].startswith("redirect=")
    ):
        return fail(f"SPF: {records[0]!r} lets anyone send. End it with -all or ~all.")
    return ok(f"SPF: {records[0]}")


def _check_dkim(lookup: Lookup, domain: str, selectors: Sequence[str]) -> Iterator[Finding]:
    if not selectors:
        yield note(
            "DKIM was not checked: pass --selector with the name of your signing key (s=… in a "
            "DKIM-Signature header)."
        )
    for selector in selectors:
        name = f"{selector}._domainkey.{domain}"
        records = [_tags(text) for text in lookup(name, "TXT")]
        if any(tags.get("p") for tags in records):
            yield ok(f"DKIM: there is a key at {name}.")
        elif records:
            yield fail(f"DKIM: the key at {name} is empty, which means that it was revoked.")
        else:
            yield fail(f"DKIM: there is no key at {name}. Publish the one your mail server shows.")


def _check_dmarc(lookup: Lookup, domain: str) -> Finding:
    parent = ".".join(domain.split(".")[-2:])
    for name in dict.fromkeys((domain, parent)):
        for text in lookup(f"_dmarc.{name}", "TXT"):
            tags = _tags(text)
            if tags.get("v", "").upper() != "DMARC1":
                continue
            if tags.get("p") not in ("none", "quarantine", "reject"):
                return fail(f"DMARC: {text!r} at _dmarc.{name} has no p=none, quarantine, reject.")
            if tags["p"] == "none":
                return note(
                    f"DMARC: {name} asks for nothing (p=none). Once all email passes, change it to "
                    "p=quarantine or p=reject."
                )
            return ok(f"DMARC: {text}")
    return fail(
        f"DMARC: large providers require it. Add a TXT record at _dmarc.{domain}: "
        '"v=DMARC1; p=none" to begin with.'
    )


def _tags(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if name.strip()}


def _check_mx(lookup: Lookup, domain: str, what: str) -> Finding:
    hosts = sorted(lookup(domain, "MX"), key=lambda mx: int(mx.split()[0]))
    if hosts and not hosts[0].split()[1:]:  # RFC 7505: "0 ."
        return fail(f"MX: {domain} declares that it accepts no email: {what} are lost.")
    if hosts:
        return ok(f"MX: {what} go to {hosts[0].split()[1]}.")
    if lookup(domain, "A") or lookup(domain, "AAAA"):
        return note(f"MX: {domain} has no MX record; {what} go to the address of {domain} itself.")
    return fail(f"MX: {domain} cannot receive email, so {what} are lost. Add an MX record.")


def _check_ptr(lookup: Lookup) -> Iterator[Finding]:
    host = getattr(settings, "EMAIL_HOST", "")
    if not settings.EMAIL_BACKEND.endswith(("smtp.EmailBackend", "smtp.SMTPBackend")) or _is_local(
        host
    ):
        yield note("PTR was not checked: the address that sends our email is not known here.")
        return
    for address in (*lookup(host, "A"), *lookup(host, "AAAA")):
        names = lookup(dns.reversename.from_address(address).to_text(), "PTR")
        record_type = "AAAA" if ":" in address else "A"
        if any(address in lookup(name, record_type) for name in names):
            yield ok(f"PTR: {address} is {names[0]}, and back.")
        else:
            yield fail(
                f"PTR: {address} ({host}) has no name that resolves back to it. Ask the provider "
                f"of the address to set it to {host}."
            )
