"""Whether mails that leave here will be believed: what the settings and the DNS say of the sender.

Looks and speaks, changes nothing and sends nothing. For the operator, in plain English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from email.utils import parseaddr
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from . import dns

# (name, kind) → answers, as dns.ask gives them.
Ask = Callable[[str, str], list[str]]


class Grade(StrEnum):
    """How a finding weighs: fine, good to know, or to be mended before people are written to."""

    GOOD = "good"
    NOTE = "note"
    MEND = "mend"


class Finding(NamedTuple):
    """One thing that was looked at. words: what it is and, where it is not well, what to do."""

    grade: Grade
    words: str


def good(words: str) -> Finding:
    return Finding(Grade.GOOD, words)


def note(words: str) -> Finding:
    return Finding(Grade.NOTE, words)


def mend(words: str) -> Finding:
    return Finding(Grade.MEND, words)


def sender_domain() -> str:
    """What comes after the @ of MAIL_FROM, lower case; "" where that is no address."""
    return parseaddr(settings.MAIL_FROM)[1].rpartition("@")[2].lower()


def _is_local(host: str) -> bool:
    return (
        host in ("", "localhost")
        or host.endswith((".local", ".test", ".invalid"))
        or (host.replace(".", "").isdecimal() or ":" in host)
    )


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


# -- what can be seen without asking anybody ---------------------------------------------------


def of_the_settings() -> Iterator[Finding]:
    """The sender, the road, the way back."""
    domain = sender_domain()
    if "@" not in parseaddr(settings.MAIL_FROM)[1]:
        yield mend(f"MAIL_FROM is {settings.MAIL_FROM!r}, which is no address.")
    elif _is_local(domain):
        yield mend(
            f"Mails come from {settings.MAIL_FROM}. No mail server believes {domain}: set "
            "MAIL_FROM to an address of a domain of yours."
        )
    else:
        yield good(f"Mails come from {settings.MAIL_FROM}.")
    yield from _the_road()
    if urlsplit(settings.SITE_URL).scheme != "https":
        yield note(f"Links in mails lead to {settings.SITE_URL}: people trust https more.")
    yield from _the_way_back()


def _the_road() -> Iterator[Finding]:
    backend = settings.EMAIL_BACKEND.rpartition(".")[2]
    if backend == "FolderBackend":
        yield mend("Mails are files in a folder and reach nobody: set EMAIL_URL.")
    elif settings.EMAIL_BACKEND.startswith("anymail."):
        yield good("Mails leave through a provider of django-anymail.")
        if not settings.INBOUND_SECRET:
            yield mend(
                "The provider cannot tell of bounces and complaints: set INBOUND_SECRET and give "
                f"the provider {settings.SITE_URL}/anymail/…/tracking/ as its webhook."
            )
    elif not (settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL) and not _is_loopback(
        settings.EMAIL_HOST
    ):
        yield mend(
            f"Mails go to {settings.EMAIL_HOST} for everybody on the way to read: write smtp+tls "
            "or smtp+ssl in EMAIL_URL."
        )
    else:
        yield good(f"Mails leave through {settings.EMAIL_HOST}:{settings.EMAIL_PORT}.")


def _the_way_back() -> Iterator[Finding]:
    if not settings.MAIL_REPLY_DOMAIN:
        yield note("Nobody reads replies: MAIL_REPLY_DOMAIN is not set.")
        return
    yield good(f"Replies go to {settings.MAIL_REPLY_DOMAIN}.")
    if not settings.MAIL_AUTHSERV_ID:
        yield note(
            "Every move by reply has to be confirmed with a link, since MAIL_AUTHSERV_ID is not "
            "set: it names the mail server whose word on senders is believed."
        )


# -- what the DNS says -------------------------------------------------------------------------


def of_the_dns(ask: Ask, selectors: Sequence[str]) -> Iterator[Finding]:
    """SPF, DKIM, DMARC, MX and PTR. dns.Unreachable where nobody answers."""
    domain = sender_domain()
    if _is_local(domain):
        yield note("The DNS was not asked: the sender is no domain of the world.")
        return
    yield _spf(ask, domain)
    yield from _dkim(ask, domain, selectors)
    yield _dmarc(ask, domain)
    yield _mx(ask, domain, "bounces and answers to the sender")
    reply = settings.MAIL_REPLY_DOMAIN
    if reply and reply != domain:
        yield _mx(ask, reply, "replies with moves")
    yield from _ptr(ask)


def _spf(ask: Ask, domain: str) -> Finding:
    found = [text for text in ask(domain, "TXT") if text.lower().split(" ")[0] == "v=spf1"]
    if not found:
        return mend(
            f"SPF: {domain} does not say who may send for it. Add a TXT record such as "
            '"v=spf1 include:<your provider> -all", or "v=spf1 mx -all" for a server of your own.'
        )
    if len(found) > 1:
        return mend(f"SPF: {domain} has {len(found)} records, so none counts. Make one of them.")
    words = found[0].lower().split()
    if words[-1] in ("all", "+all", "?all") or not (
        words[-1].endswith("all") or words[-1].startswith("redirect=")
    ):
        return mend(f"SPF: {found[0]!r} lets everybody send. End it with -all or ~all.")
    return good(f"SPF: {found[0]}")


def _dkim(ask: Ask, domain: str, selectors: Sequence[str]) -> Iterator[Finding]:
    if not selectors:
        yield note(
            "DKIM was not looked at: say --selector with the name that the signatures of your "
            "mails have (s=… in a DKIM-Signature header)."
        )
    for selector in selectors:
        name = f"{selector}._domainkey.{domain}"
        tags = [_tags(text) for text in ask(name, "TXT")]
        if any(tag.get("p") for tag in tags):
            yield good(f"DKIM: there is a key at {name}.")
        elif tags:
            yield mend(f"DKIM: the key at {name} is empty, which means that it is taken back.")
        else:
            yield mend(f"DKIM: there is no key at {name}. Publish the one your mail server shows.")


def _dmarc(ask: Ask, domain: str) -> Finding:
    parent = ".".join(domain.split(".")[-2:])
    for place in dict.fromkeys((domain, parent)):
        for text in ask(f"_dmarc.{place}", "TXT"):
            tags = _tags(text)
            if tags.get("v", "").upper() != "DMARC1":
                continue
            if tags.get("p") not in ("none", "quarantine", "reject"):
                return mend(f"DMARC: {text!r} at _dmarc.{place} has no p=none, quarantine, reject.")
            if tags["p"] == "none":
                return note(
                    f"DMARC: {place} asks for nothing (p=none). When all mails pass, change it to "
                    "p=quarantine or p=reject."
                )
            return good(f"DMARC: {text}")
    return mend(
        f"DMARC: large providers want it. Add a TXT record at _dmarc.{domain}: "
        '"v=DMARC1; p=none" to begin with.'
    )


def _tags(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(";"))
    return {name.strip().lower(): value.strip() for name, _is, value in pairs if name.strip()}


def _mx(ask: Ask, domain: str, what: str) -> Finding:
    hosts = sorted(ask(domain, "MX"), key=lambda mx: int(mx.split()[0]))
    if hosts and hosts[0].split()[1:] in ([], ["."]):
        return mend(f"MX: {domain} says that it takes no mail at all: {what} are lost.")
    if hosts:
        return good(f"MX: {what} go to {hosts[0].split()[1]}.")
    if ask(domain, "A") or ask(domain, "AAAA"):
        return note(f"MX: {domain} has no MX record; {what} go to the address of {domain} itself.")
    return mend(f"MX: {domain} cannot be written to, so {what} are lost. Add an MX record.")


def _ptr(ask: Ask) -> Iterator[Finding]:
    host = getattr(settings, "EMAIL_HOST", "")
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend") or _is_local(host):
        yield note("PTR was not looked at: the address from which mails leave is not seen here.")
        return
    for address in (*ask(host, "A"), *ask(host, "AAAA")):
        names = ask(dns.reverse_name(address), "PTR")
        kind = "AAAA" if ":" in address else "A"
        if any(address in ask(name, kind) for name in names):
            yield good(f"PTR: {address} is {names[0]}, and back.")
        else:
            yield mend(
                f"PTR: {address} ({host}) has no name that leads back to it. Whoever gave you the "
                f"address can set it to {host}."
            )
