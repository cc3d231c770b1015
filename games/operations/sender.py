"""Whether other mail servers accept our email and replies come back: settings, DNS, and the senders
of the last replies.

Nothing is changed or sent. Settings and replies are judged in the active language, DNS in plain
English, because only commands ask name servers.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from email.utils import parseaddr
from urllib.parse import urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_der_public_key
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.inbound import authenticity, mime
from games.mail import dkim_signing
from games.mail.backends import email_url_fault
from games.mail.dns_lookup import Lookup
from games.models import Heartbeat, InboundMail, database_clock

from . import health
from .findings import Finding, Record, fail, note, ok
from .providers import PROVIDERS, Provider, is_freemail, is_local, missing_keys, mx_values, spf_term

SenderCheck = InboundMail.SenderCheck

MOST_SPF_LOOKUPS = 10  # RFC 7208, section 4.6.4
ED25519_BYTES = 32  # of a public key (RFC 8463)
RECENT = timedelta(days=7)
MOST_REPLIES = 20  # that are looked at
HANDBOOK = gettext_lazy(
    "docs/other-ways.md, “Whose replies are believed”, says what to set for each provider"
)
REPLIES = "docs/other-ways.md, “Replies by email”"


# -- settings --------------------------------------------------------------------------------


def sender_domain() -> str:
    """The domain of MAIL_FROM in lower case, or "" if MAIL_FROM is not an address."""
    return parseaddr(settings.MAIL_FROM)[1].rpartition("@")[2].lower()


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _provider() -> str:
    """The provider that sends our email, as in PROVIDERS; "" for a mail server."""
    backend = settings.EMAIL_BACKEND
    return backend.split(".")[-2] if backend.startswith("anymail.backends.") else ""


def check_settings() -> Iterator[Finding]:
    """Check the sender, the transport and the way of replies."""
    if settings.LOCAL_MODE:
        yield note(_("This is a local service: its email settings are not checked."))
        return
    domain = sender_domain()
    values = {"sender": settings.MAIL_FROM, "domain": domain, "url": settings.SITE_URL}
    if "@" not in parseaddr(settings.MAIL_FROM)[1]:
        yield fail(_("MAIL_FROM is %(sender)s, which is not an address.") % values)
    elif is_local(domain):
        yield fail(
            _(
                "Email is sent from %(sender)s. No mail server accepts %(domain)s: set MAIL_FROM to an"
                " address at a domain that you own."
            )
            % values
        )
    elif is_freemail(domain):
        yield fail(
            _(
                "Email is sent from %(sender)s. %(domain)s belongs to an email provider, whose "
                "rules (SPF, DMARC) let only its own servers send for it: set MAIL_FROM to an "
                "address at a domain that you own."
            )
            % values
        )
    else:
        yield ok(_("Email is sent from %(sender)s.") % values)
    yield from _check_transport()
    parts = urlsplit(settings.SITE_URL)
    if parts.scheme != "https":
        yield (note if is_local(parts.hostname or "") else fail)(
            _(
                "SITE_URL is %(url)s: without https, others can read codes, links and moves on "
                "the way. Let the web server in front of the service handle TLS, and set SITE_URL "
                "to https://…"
            )
            % values
        )
    yield _check_reply_domain()


def _check_transport() -> Iterator[Finding]:
    values = {
        "wrong": email_url_fault(),
        "provider": _provider(),
        "webhook": f"{settings.SITE_URL}/anymail/{_provider()}/tracking/",
        "server": settings.EMAIL_HOST,
        "port": settings.EMAIL_PORT,
    }
    if values["wrong"]:
        yield fail(_("%(wrong)s: set it to your mail server, and run check_mail.") % values)
    elif values["provider"]:
        yield ok(_("Email is sent through %(provider)s.") % values)
        known = PROVIDERS.get(_provider(), Provider())
        takes_replies = bool(settings.MAIL_REPLY_DOMAIN) and known.replies
        given = [key for key, value in settings.ANYMAIL.items() if value]
        missing = missing_keys(_provider(), given, replies=takes_replies)
        if known.webhooks and not settings.INBOUND_SECRET:
            yield fail(
                _(
                    "The provider cannot report bounces and complaints: set INBOUND_SECRET and give"
                    " the provider %(webhook)s as its webhook."
                )
                % values
            )
        elif missing:
            values["keys"] = ",".join(f"{key}=…" for key in missing)
            yield fail(
                _(
                    "Our webhooks refuse what %(provider)s sends: set INBOUND_SETTINGS to "
                    "%(keys)s, as the provider shows it."
                )
                % values
            )
    elif not (
        settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL or _is_loopback(settings.EMAIL_HOST)
    ):
        yield fail(
            _(
                "The connection to %(server)s is not encrypted: use smtp+tls or smtp+ssl in EMAIL_URL."
            )
            % values
        )
    else:
        yield ok(_("Email is sent through %(server)s:%(port)s.") % values)


def _check_reply_domain() -> Finding:
    domain = settings.MAIL_REPLY_DOMAIN
    if not domain:
        return note(_("Replies by email are off: MAIL_REPLY_DOMAIN is not set."))
    if is_freemail(domain):
        return fail(
            _(
                "MAIL_REPLY_DOMAIN is %(domain)s, the domain of a provider: replies with moves would go"
                " to strangers. Use a domain that you own."
            )
            % {"domain": domain}
        )
    return ok(_("Replies go to %(domain)s.") % {"domain": domain})


# -- senders of replies ----------------------------------------------------------------------


def check_senders() -> Iterator[Finding]:
    """Check whether the senders of the last replies were verified, or will be."""
    if settings.LOCAL_MODE or not settings.MAIL_REPLY_DOMAIN:
        return
    checked = _last_checks()
    if checked and SenderCheck.PASS not in checked:
        yield fail(
            _(
                "None of the last replies (%(number)d) came from a sender who could be verified, "
                "so each move had to be confirmed with a link. %(handbook)s; `check_mail --to … "
                "--wait 120` tests a reply."
            )
            % {"number": len(checked), "handbook": HANDBOOK}
        )
    elif not checked and _lacks_a_way_in():
        yield fail(
            _(
                "%(provider)s does not hand over raw emails, so replies cannot come in through "
                "its webhook. Choose another way in for replies, or another provider. "
                "%(handbook)s."
            )
            % {"provider": _provider(), "handbook": HANDBOOK}
        )
    elif checked or settings.MAIL_AUTHSERV_ID:
        yield ok(_("Senders of replies are verified."))
    else:
        yield _senders_by_provider()


def _lacks_a_way_in() -> bool:
    """Return whether replies would have to come by a webhook that brings none."""
    name = _provider()
    return name in PROVIDERS and not PROVIDERS[name].replies and not _has_listener()


def _has_listener() -> bool:
    return Heartbeat.objects.filter(name__startswith=f"{Heartbeat.LISTENER}@").exists()


def _last_checks() -> list[str]:
    since = database_clock.now() - RECENT
    own = [SenderCheck.PASS, SenderCheck.FAIL, SenderCheck.UNKNOWN]
    rows = health.read_replies().filter(received_at__gt=since, sender_check__in=own)
    return list(rows.order_by("-received_at").values_list("sender_check", flat=True)[:MOST_REPLIES])


def _senders_by_provider() -> Finding:
    """Findings before the first reply, where no mail server of ours is named."""
    name = _provider()
    if not settings.INBOUND_SECRET or name not in PROVIDERS:
        return ok(_("Senders of replies are verified by the DKIM signature of their email."))
    provider = PROVIDERS[name]
    said = _(
        "Senders of replies are verified by the DKIM signature of their email. This works only "
        "if the provider passes the email on unchanged; `check_mail --to … --wait 120` tests "
        "this."
    )
    return note(f"{said} {name}: {provider.raw_if}." if provider.raw_if else said)


def check_sender(row: InboundMail) -> Finding:
    """Check whether a move in this reply, which the operator sent, would need a confirmation."""
    if row.outcome == InboundMail.Outcome.BROKEN:
        return fail(f"Nobody can read it: let the provider hand over the raw email. {HANDBOOK}.")
    try:
        mail = mime.read(bytes(row.raw))
        found = authenticity.check_results(mail, row.channel, settings.MAIL_AUTHSERV_ID)
        if found is None and authenticity.can_check_signature(mail, row):
            found = authenticity.check_signature(mail, row)
    except (mime.Unreadable, OSError) as error:
        return fail(f"The reply could not be read: {error}")
    if found == SenderCheck.PASS:
        return ok("Its sender is verified, so a move needs no confirmation.")
    servers = [field.split(";")[0].split() for field in mail.all("authentication-results")]
    named = ", ".join(dict.fromkeys(words[0] for words in servers if words)) or "nobody"
    signed = "a" if mail.first("dkim-signature") else "no"
    return fail(
        "Its sender could not be verified, so each move by reply would have to be confirmed with a "
        f"link. It has {signed} DKIM signature, and Authentication-Results of {named}. {HANDBOOK}."
    )


# -- DNS -------------------------------------------------------------------------------------


def check_dns(lookup: Lookup, selectors: Sequence[str]) -> Iterator[Finding]:
    """Check SPF, DKIM, DMARC and MX. selectors: names of DKIM keys beside DKIM_SELECTOR. Raises
    DnsUnavailable."""
    domain = sender_domain()
    if is_local(domain) or is_freemail(domain):
        yield note("DNS was not checked: the sender's domain is not one of your own.")
        return
    yield check_spf(lookup, domain)
    yield from check_dkim(lookup, domain, selectors)
    yield check_dmarc(lookup, domain)
    yield from check_mx(lookup, domain, "bounces and replies to the sender")
    reply = settings.MAIL_REPLY_DOMAIN
    if reply and reply != domain:
        yield from check_mx(lookup, reply, "replies with moves")


# -- SPF -------------------------------------------------------------------------------------


def check_spf(lookup: Lookup, domain: str) -> Finding:
    """Check that a record names the permitted senders, ours among them, and that it is valid."""
    server = str(getattr(settings, "EMAIL_HOST", ""))
    ours = spf_term(_provider(), server, settings.SITE_HOST)
    records = [text for text in lookup(domain, "TXT") if text.lower().split(" ")[0] == "v=spf1"]
    if not records:
        return fail(
            f"SPF: {domain} does not say who may send for it. Add this record.",
            Record(domain, "TXT", f"v=spf1 {ours} -all"),
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
    kept = [term for term in records[0].split() if not term.lower().endswith("all")]
    if last in ("all", "+all", "?all") or not (
        last.endswith("all") or last.startswith("redirect=")
    ):
        return fail(
            f"SPF: {records[0]!r} lets anyone send. Change it.",
            Record(domain, "TXT", " ".join([*kept, "-all"])),
        )
    asking = ("include:", "a", "mx", "ptr", "exists:", "redirect=")
    count = sum(term.lstrip("+-~?").startswith(asking) and term != last for term in terms_of[1:])
    if count > MOST_SPF_LOOKUPS:
        return fail(f"SPF: {records[0]!r} needs {count} lookups, and only 10 are allowed.")
    provider = _provider()
    is_told = any(term.startswith(("include:", "redirect=")) for term in terms_of)
    if (
        (ours not in terms_of if PROVIDERS[provider].spf else not is_told)
        if provider
        else not _may_permit(lookup, domain, terms_of, server)
    ):
        hint = "" if provider else ", with the term that your mail host shows if it names another"
        return fail(
            f"SPF: {records[0]!r} does not let {provider or server} send. Change it{hint}.",
            Record(
                domain, "TXT", " ".join([*kept, ours, last if last.endswith("all") else "-all"])
            ),
        )
    return ok(f"SPF: {records[0]}")


def _may_permit(lookup: Lookup, domain: str, terms: Sequence[str], server: str) -> bool:
    """Whether an SPF record may permit this mail server: not if it names other hosts alone."""
    named = [term.lstrip("+") for term in terms[1:] if not term.endswith("all")]
    wanted = set() if is_local(server) else _addresses(lookup, server)
    if not wanted or any(re.fullmatch(r"(a|mx)(:[^/]+)?", term) is None for term in named):
        return True
    pairs = [(term.partition(":")[0], term.partition(":")[2] or domain) for term in named]
    hosts = [
        host
        for kind, name in pairs
        for host in (mail_hosts(lookup, name) if kind == "mx" else [name])
    ]
    return any(wanted & _addresses(lookup, host) for host in hosts)


def _addresses(lookup: Lookup, host: str) -> set[str]:
    return {*lookup(host, "A"), *lookup(host, "AAAA")}


# -- DKIM ------------------------------------------------------------------------------------


def check_dkim(lookup: Lookup, domain: str, selectors: Sequence[str]) -> Iterator[Finding]:
    """Check the published keys: ours, or that of the provider, and those of other selectors."""
    own = settings.DKIM_SELECTOR
    if own and settings.DKIM_PRIVATE_KEY:
        yield _check_own_key(lookup, own)
    elif own:
        yield _check_key(lookup, dkim_signing.record_name(own, domain))
    elif not selectors:
        unknown = "DKIM was not checked: set DKIM_SELECTOR to the name of the key that signs"
        if _provider():
            yield fail(f"{unknown}, which {_provider()} shows before ._domainkey.")
        else:
            yield note(
                f"{unknown} (s=… in a DKIM-Signature header). If your mail host does not sign, "
                "`manage.py make_dkim_key` makes a key for this service."
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
    wrong = f"the key at {name} is another one" if published else f"there is no key at {name}"
    return fail(
        f"DKIM: this service signs its email, but {wrong}. Until ours is published, every signature "
        "is wrong.",
        Record(name, "TXT", dkim_signing.record_text(key)),
    )


def _check_key(lookup: Lookup, name: str) -> Finding:
    records = [_tags(text) for text in lookup(name, "TXT")]
    if not records:
        return fail(
            f"DKIM: there is no key at {name}. Publish the one that {_provider() or 'your mail host'} "
            "shows, as TXT or CNAME."
        )
    if not any(tags.get("p") for tags in records):
        return fail(f"DKIM: the key at {name} is empty, which means that it was revoked.")
    if not any(_is_key(tags) for tags in records):
        return fail(
            f"DKIM: what stands at {name} is no key, or too short a one. Publish the one your mail "
            "server shows, whole."
        )
    return ok(f"DKIM: there is a key at {name}.")


def _is_key(tags: dict[str, str]) -> bool:
    """Whether p= of a record is a public key that verifiers accept."""
    try:
        raw = base64.b64decode("".join(tags.get("p", "").split()), validate=True)
        if tags.get("k", "rsa") == "ed25519":
            return len(raw) == ED25519_BYTES
        key = load_der_public_key(raw)
    except (binascii.Error, ValueError, UnsupportedAlgorithm):
        return False
    return isinstance(key, rsa.RSAPublicKey) and key.key_size >= dkim_signing.LEAST_BITS


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


def check_mx(lookup: Lookup, domain: str, what: str) -> Iterator[Finding]:
    """Check that the domain takes email, and hands over replies. what: the email that it takes, as
    a plural noun."""
    is_reply_domain = domain == settings.MAIL_REPLY_DOMAIN
    taker = _reply_provider() if is_reply_domain else ""
    records = lookup(domain, "MX")
    hosts = mail_hosts(lookup, domain)
    values = mx_values(taker, _api_url(taker)) if taker else []
    missing = [Record(domain, "MX", value) for value in values]
    advice = (
        "Publish this record."
        if taker
        else f"Decide how replies come in, and let its MX record lead there: {REPLIES}."
        if is_reply_domain
        else "Let its MX record lead to a mailbox that somebody reads."
    )
    if records and not hosts:  # RFC 7505: "0 ."
        said = f"MX: {domain} declares that it accepts no email: {what} are lost. {advice}"
    elif not hosts:
        said = f"MX: {domain} cannot receive email, so {what} are lost. {advice}"
    elif taker and not (records and _is_of(taker, hosts)):
        said = f"MX: {what} go to {hosts[0]} and not to {taker}, so they are lost. {advice}"
    elif not records:
        yield note(f"MX: {domain} has no MX record; {what} go to the address of {domain} itself.")
        return
    elif not (lookup(hosts[0], "A") or lookup(hosts[0], "AAAA")):
        said = f"MX: {what} go to {hosts[0]}, which has no address. {advice}"
    else:
        yield _check_reader(domain, hosts, what)
        return
    yield fail(said, missing[0] if missing else None)
    yield from (note(f"MX: {taker} has one more server.", record) for record in missing[1:])


def _check_reader(domain: str, hosts: Sequence[str], what: str) -> Finding:
    """Check that email to MAIL_FROM does not end at our webhook, which keeps replies alone."""
    provider = _reply_provider()
    leads_there = provider and (
        domain == settings.MAIL_REPLY_DOMAIN or (PROVIDERS[provider].mx and _is_of(provider, hosts))
    )
    if domain != sender_domain() or not leads_there:
        return ok(f"MX: {what} go to {hosts[0]}.")
    lost = f"MX: {what} go to {provider}, and our webhook there drops what is no reply to a game"
    if PROVIDERS[provider].routes:
        return note(f"{lost}: let a route there pass on email to {settings.MAIL_FROM}.")
    return fail(
        f"{lost}, so nobody reads email to {settings.MAIL_FROM}. Set MAIL_REPLY_DOMAIN to a name of "
        f"its own, as in reply.{domain}, and let the MX record of {domain} lead to a mailbox that "
        "somebody reads."
    )


def _api_url(provider: str) -> str:
    """The address of the provider's API, if EMAIL_URL names one."""
    return str(getattr(settings, "ANYMAIL", {}).get(f"{provider.upper()}_API_URL", ""))


def _reply_provider() -> str:
    """The provider whose webhook brings replies; "" if a listener, a pipe or nobody does."""
    provider = _provider()
    takes = provider in PROVIDERS and PROVIDERS[provider].replies
    has_webhook = takes and settings.INBOUND_SECRET and settings.MAIL_REPLY_DOMAIN
    return provider if has_webhook and not _has_listener() else ""


def _is_of(provider: str, hosts: Sequence[str]) -> bool:
    """Whether one of these is a server of the provider, as far as we know them."""
    servers = (*PROVIDERS[provider].mx, *PROVIDERS[provider].eu_mx)
    known = {value.split()[1].rstrip(".") for value in servers}
    return not known or not known.isdisjoint(hosts)
