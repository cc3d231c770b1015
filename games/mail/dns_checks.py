"""Check what the DNS says about the sender: SPF, DKIM, DMARC, MX, BIMI."""

import base64
import binascii
from collections.abc import Callable, Iterator, Sequence
from ipaddress import ip_address

import dns.exception
import dns.resolver
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from django.conf import settings

from . import dkim_signing
from .findings import Finding, Record, fail, note, ok

DNS_TIMEOUT_SECONDS = 4.0
MOST_SPF_LOOKUPS = 10  # RFC 7208, section 4.6.4

# (name, record type) → records: whole texts for TXT, "10 host" for MX, names without the last dot.
Lookup = Callable[[str, str], list[str]]


class DnsUnavailable(Exception):
    """No name server answered, or it answered with an error."""


def parse_name_server(text: str) -> tuple[str, int]:
    """Return the address and port of `address`, `address:port` or `[address]:port`; ValueError."""
    host, _, port = text.rpartition(":")
    if not host or (":" in host and host[0] != "["):
        host, port = text, "53"
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        address = None
    if address is None or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"{text!r} is not the address of a name server, such as 192.0.2.1:53")
    return str(address), int(port)


def dns_lookup(server: tuple[str, int] | None = None) -> Lookup:
    """Return a lookup function for `server` (address and port) or this machine's servers.

    A name without records gives []. Both functions raise DnsUnavailable.
    """
    try:
        resolver = dns.resolver.Resolver(configure=server is None)
    except dns.exception.DNSException as error:
        raise DnsUnavailable(str(error)) from error
    if server:
        host, resolver.port = server
        resolver.nameservers = [host]
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
        return _key_length(name, key.bits)
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
    public = "".join(next((tags["p"] for tags in records if tags.get("p")), "").split())
    if not public:
        return fail(f"DKIM: the key at {name} is empty, which means that it was revoked.")
    try:
        der = base64.b64decode(public, validate=True)
        if records[0].get("k") == "ed25519":
            ed25519.Ed25519PublicKey.from_public_bytes(der)
            return ok(f"DKIM: there is an Ed25519 key at {name}.")
        found = serialization.load_der_public_key(der)
    except (ValueError, binascii.Error):
        return fail(f"DKIM: the key at {name} cannot be read. Publish it again, without changes.")
    if not isinstance(found, rsa.RSAPublicKey):
        return fail(f"DKIM: the key at {name} is no RSA key, and k= does not say what it is.")
    return _key_length(name, found.key_size)


def _key_length(name: str, bits: int) -> Finding:
    if bits < dkim_signing.LEAST_BITS:
        return fail(f"DKIM: the key at {name} has {bits} bits, and is ignored. Use 2048 bits.")
    if bits < dkim_signing.BITS:
        return fail(
            f"DKIM: the key at {name} has {bits} bits. Large providers ask for 2048: make a new "
            "key under another selector."
        )
    return ok(f"DKIM: there is a key of {bits} bits at {name}.")


# -- DMARC and BIMI --------------------------------------------------------------------------


def check_dmarc(lookup: Lookup, domain: str) -> Iterator[Finding]:
    """Check the policy that applies to the domain, and that our signatures and SPF align."""
    name, text = _policy(lookup, domain)
    if not name:
        yield fail(
            "DMARC: large providers require it. Add this record to begin with.",
            Record(f"_dmarc.{domain}", "TXT", "v=DMARC1; p=none"),
        )
        return
    tags = _tags(text)
    policy = tags.get("sp", tags.get("p")) if name != domain else tags.get("p")
    if policy not in ("none", "quarantine", "reject"):
        yield fail(
            f"DMARC: {text!r} at _dmarc.{name} has no p=none, quarantine, reject. Replace it.",
            Record(f"_dmarc.{name}", "TXT", "v=DMARC1; p=none"),
        )
    elif policy == "none":
        yield note(
            f"DMARC: {name} asks for nothing (p=none). Once all email passes, change the record.",
            Record(f"_dmarc.{name}", "TXT", _with_tag(text, "p", "quarantine")),
        )
    else:
        yield ok(f"DMARC: {text}")
    yield from _check_alignment(lookup, domain, name, tags)


def _check_alignment(
    lookup: Lookup, domain: str, policy_at: str, tags: dict[str, str]
) -> Iterator[Finding]:
    """DMARC passes only if the domain of the signature is that of the sender: the same (adkim=s),
    or one that shares its policy."""
    signer = settings.DKIM_DOMAIN
    if not settings.DKIM_PRIVATE_KEY or signer == domain:
        return
    is_strict = tags.get("adkim", "r").lower() == "s"
    if is_strict or _policy(lookup, signer)[0] != policy_at:
        yield fail(
            f"DMARC: email from {domain} is signed for {signer}, which does not count. Set "
            f"DKIM_DOMAIN={domain}, or leave it out."
        )


def check_bimi(lookup: Lookup, domain: str) -> Finding:
    """Check the record that lets mailboxes show a logo beside the email."""
    records = [_tags(text) for text in lookup(f"default._bimi.{domain}", "TXT")]
    found = next((tags for tags in records if tags.get("v", "").upper() == "BIMI1"), None)
    if found is None:
        return note(
            "BIMI: there is no logo for mailboxes to show. If you have one as SVG Tiny PS, add "
            "this record.",
            Record(f"default._bimi.{domain}", "TXT", f"v=BIMI1; l=https://{domain}/logo.svg; a="),
        )
    if not found.get("l", "").startswith("https://"):
        return fail(
            f"BIMI: the logo of {domain} has no https address. Change l= in this record.",
            Record(f"default._bimi.{domain}", "TXT", f"v=BIMI1; l=https://{domain}/logo.svg; a="),
        )
    name, text = _policy(lookup, domain)
    tags = _tags(text)
    if tags.get("p") not in ("quarantine", "reject") or tags.get("pct", "100") != "100":
        changed = _with_tag(text, "p", "quarantine") if name else "v=DMARC1; p=quarantine"
        return fail(
            "BIMI: mailboxes show the logo only under p=quarantine or p=reject, for all email.",
            Record(f"_dmarc.{name or domain}", "TXT", changed),
        )
    return ok(f"BIMI: the logo is {found['l']}")


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
    """The record with another value of this tag, and without pct, which BIMI does not accept."""
    tags = _tags(text) | {name: value}
    tags.pop("pct", None)
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
