"""EMAIL_URL, one line that says how mails leave the house, as Django settings.

    folder:///path/to/var/mail              each mail is a file there (the local default)
    smtp://user:password@host:25            plain SMTP; STARTTLS is not asked for
    smtp+tls://user:password@host:587       SMTP that must change to TLS before anything is said
    smtp+ssl://user:password@host:465       SMTP inside TLS from the first byte (also smtps://)
    anymail+mailgun://KEY@mail.example.org  a provider of django-anymail, by its name

Signs like @ or / in a user name, a password or a key are written %40 and %2F. Reads nothing but
its arguments and never repeats a password in what it says.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TIMEOUT_SECONDS = 20  # for each step of a conversation with a mail server or provider

_SMTP = {  # scheme: (default port, STARTTLS, TLS from the start)
    "smtp": (25, False, False),
    "smtp+tls": (587, True, False),
    "smtp+ssl": (465, False, True),
    "smtps": (465, False, True),
}


class _Provider(NamedTuple):
    """Where a provider of anymail wants to read the parts of the URL (names of its settings)."""

    key: str | None  # the user part
    second: str | None = None  # the password part
    host: str | None = None  # the host part


_ANYMAIL = {
    "amazon_ses": _Provider(None),  # credentials come from the environment, as boto3 reads them
    "brevo": _Provider("API_KEY"),
    "mailersend": _Provider("API_TOKEN"),
    "mailgun": _Provider("API_KEY", host="SENDER_DOMAIN"),
    "mailjet": _Provider("API_KEY", second="SECRET_KEY"),
    "mailtrap": _Provider("API_TOKEN"),
    "mandrill": _Provider("API_KEY"),
    "postal": _Provider("API_KEY"),
    "postmark": _Provider("SERVER_TOKEN"),
    "resend": _Provider("API_KEY"),
    "scaleway": _Provider("SECRET_KEY", second="PROJECT_ID"),
    "sparkpost": _Provider("API_KEY"),
    "unisender_go": _Provider("API_KEY"),
}


def parse_email_url(url: str, var_dir: Path) -> dict[str, Any]:
    """The settings EMAIL_BACKEND, EMAIL_… and ANYMAIL for this URL; "" means var_dir/mail.

    Raises ImproperlyConfigured with a sentence for the operator.
    """
    if not url.strip():
        return _folder(var_dir / "mail")
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(
            "EMAIL_URL cannot be read: its port is not a number from 1 to 65535, or a sign of the "
            "password (@ : / # ?) is not written as %40 and the like."
        ) from error
    if parts.scheme == "folder":
        return _folder(Path(unquote(parts.netloc + parts.path)) if parts.path else var_dir / "mail")
    if parts.scheme in _SMTP:
        return _smtp(parts, port)
    if parts.scheme.startswith("anymail+"):
        return _anymail(parts)
    raise ImproperlyConfigured(
        f"EMAIL_URL begins with {parts.scheme or 'nothing'}://, which is none of folder, "
        f"{', '.join(_SMTP)} and anymail+<provider>."
    )


def _folder(path: Path) -> dict[str, Any]:
    return {
        "EMAIL_BACKEND": "games.mail.backends.FolderBackend",
        "EMAIL_FILE_PATH": str(path.absolute()),
    }


def _smtp(parts: SplitResult, port: int | None) -> dict[str, Any]:
    if not parts.hostname:
        raise ImproperlyConfigured(
            f"EMAIL_URL names no mail server: {parts.scheme}://user:password@host:port"
        )
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            "EMAIL_URL goes on after the mail server's name and port; if that is the end of the "
            "password, write its / as %2F, its ? as %3F and its # as %23."
        )
    default_port, starttls, ssl = _SMTP[parts.scheme]
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or default_port,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": starttls,
        "EMAIL_USE_SSL": ssl,
        "EMAIL_TIMEOUT": TIMEOUT_SECONDS,
    }


def _anymail(parts: SplitResult) -> dict[str, Any]:
    """Query parameters become further settings: ?api_url=… is MAILGUN_API_URL for mailgun."""
    name = parts.scheme.removeprefix("anymail+").replace("-", "_")
    provider = _ANYMAIL.get(name)
    if provider is None:
        known = ", ".join(_ANYMAIL).replace("_", "-")
        raise ImproperlyConfigured(f"EMAIL_URL names a provider that is none of {known}.")
    title = name.replace("_", "-")
    given = {
        provider.key: unquote(parts.username or ""),
        provider.second: unquote(parts.password or ""),
        provider.host: parts.hostname or "",
    }
    settings: dict[str, Any] = {"REQUESTS_TIMEOUT": TIMEOUT_SECONDS}
    for setting, value in given.items():
        if setting is None:
            continue
        if not value:
            raise ImproperlyConfigured(
                f"EMAIL_URL for {title} needs {setting.lower().replace('_', ' ')}: {_shape(name)}"
            )
        settings[f"{name.upper()}_{setting}"] = value
    for key, value in parse_qsl(parts.query):
        settings[f"{name.upper()}_{key.upper()}"] = value
    return {
        "EMAIL_BACKEND": f"anymail.backends.{name}.EmailBackend",
        "ANYMAIL": settings,
    }


def _shape(name: str) -> str:
    """How the URL of this provider looks."""
    provider = _ANYMAIL[name]
    user = (provider.key or "").replace("_", "-").lower()
    second = ":" + provider.second.replace("_", "-").lower() if provider.second else ""
    host = provider.host.replace("_", "-").lower() if provider.host else ""
    return f"anymail+{name.replace('_', '-')}://{user}{second}@{host}"
