"""Settings that prevent startup: those of a local machine on a public site, and weak keys."""

import ipaddress
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from urllib.parse import urlsplit

MIN_LENGTH = 32
MIN_PAIRS = 20  # different pairs of neighbours; 32 random hexadecimal digits have about 29
PLACEHOLDERS = (
    "changeme",
    "change-me",
    "change_me",
    "django-insecure",
    "your-secret",
    "yoursecret",
)
LOCAL_SUFFIXES = (".localhost", ".local", ".lan", ".internal", ".test", ".home.arpa")
DATABASES = ("postgresql", "postgres")
BROKERS = ("redis", "rediss", "redis+socket", "sentinel")  # as kombu names them
# The key of commands that connect to no server, such as collectstatic while an image is built.
UNUSED_KEY, UNUSED_DATABASE = "unused", "postgresql:///unused"


def is_public(host: str) -> bool:
    """Return whether a host may be reached from outside: neither a local name nor address."""
    host = host.strip("[]").rstrip(".").lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        if host.startswith(".") or "*" in host:
            return True
        return "." in host and not host.endswith(LOCAL_SUFFIXES)
    return not (address.is_loopback or address.is_private or address.is_link_local)


def weak_key(key: str) -> str | None:
    """Return what is wrong with a secret key, or None."""
    if not key:
        return "is empty"
    if len(key) < MIN_LENGTH:
        return f"has only {len(key)} characters"
    if any(word in key.lower() for word in PLACEHOLDERS):
        return "is a placeholder"
    if len(set(pairwise(key))) < MIN_PAIRS:
        return "repeats a few characters"
    return None


def _has_form(url: str, schemes: Collection[str]) -> bool:
    """Return whether a URL has one of these schemes, and its port is a number if it has one."""
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and parts.port != 0
    except ValueError:
        return False


def reasons_not_to_start(
    *,
    secret_key: str,
    database_url: str,
    site_url: str,
    hosts: Iterable[str],
    local_mode: bool,
    debug: bool,
    push_to_loopback: bool = False,
    fallbacks: Sequence[str] = (),
    data_key: str = "",
    broker_url: str,
    email_url: str,
) -> list[str]:
    """Return one error message per problem.

    hosts: ALLOWED_HOSTS. local_mode, debug: the settings of these names. fallbacks, data_key:
    SECRET_KEY_FALLBACKS and DATA_KEY, empty where they are not set.
    """
    reasons = []
    connects_nowhere = (secret_key, database_url) == (UNUSED_KEY, UNUSED_DATABASE)
    weakness = weak_key(secret_key)
    if weakness and not connects_nowhere:
        reasons.append(
            f"SECRET_KEY {weakness}, and anybody who guesses it can sign in as any user. "
            "Generate a key: `openssl rand -hex 32`."
        )
    for name, key in (
        ("DATA_KEY", data_key),
        *(("SECRET_KEY_FALLBACKS", key) for key in fallbacks),
    ):
        if (name, key) != ("DATA_KEY", "") and (weakness := weak_key(key)):
            reasons.append(f"{name} {weakness}: a key is at least {MIN_LENGTH} random characters.")
    if fallbacks and not data_key:
        reasons.append(
            "SECRET_KEY_FALLBACKS needs DATA_KEY, or addresses that want no email, feeds and devices"
            " would be forgotten. If it was never set, DATA_KEY is the first SECRET_KEY of this service."
        )
    if not _has_form(database_url, DATABASES):
        reasons.append(
            "DATABASE_URL must look like this: postgresql://atlantis_app:password@host:5432/atlantis"
        )
    if not all(_has_form(url, BROKERS) for url in broker_url.split(";")):
        reasons.append("BROKER_URL must look like this: redis://:password@host:6379/0")
    if broker_url.startswith("rediss:") and "ssl_cert_reqs=" not in broker_url:
        reasons.append(
            "BROKER_URL asks for TLS, but kombu checks the certificate only on request: add"
            " ?ssl_cert_reqs=required (and &ssl_ca_certs=/path/to/ca.pem for an authority of your own)."
        )
    if wrong := [host for host in hosts if "/" in host or (":" in host and host[0] != "[")]:
        reasons.append(
            "ALLOWED_HOSTS names hosts alone, without https:// and without a port, an IPv6 address "
            f"in brackets: not {wrong[0]}"
        )
    public = [host for host in (urlsplit(site_url).hostname or "", *hosts) if is_public(host)]
    if local_mode and (public or site_url.startswith("https:")):
        reasons.append(
            f"LOCAL_MODE shows everybody's email to everybody, and {public[0] if public else site_url}"
            " is not only this machine: set LOCAL_MODE=0."
        )
    if not local_mode and email_url.split(":")[0] in ("", "folder") and not connects_nowhere:
        reasons.append(
            "EMAIL_URL names no mail server, so nobody would get an email, not even a code to sign in:"
            " set it as in smtp+tls://user:password@mail.example.org:587."
        )
    if push_to_loopback and not local_mode:
        reasons.append(
            "PUSH_ALLOW_LOOPBACK lets users reach services of this machine by push messages: "
            "unset it; it is for tests."
        )
    if debug and public:
        reasons.append(
            f"DEBUG shows settings and data to everybody who causes an error, and {public[0]} is a "
            "public address: set DEBUG=0."
        )
    return reasons
