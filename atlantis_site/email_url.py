"""Turn EMAIL_URL into Django settings.

    folder:///path/to/var/mail              write each email to a file (the default for local use)
    smtp://user:password@host:25            plain SMTP without STARTTLS
    smtp+tls://user:password@host:587       SMTP that requires STARTTLS
    smtp+ssl://user:password@host:465       SMTP over TLS (also smtps://)
    anymail+mailgun://KEY@mail.example.org  a provider of django-anymail, by its name

Percent-encode characters such as @ and / in names, passwords and keys. Error messages never
contain the password. This module reads no settings.
"""

import pkgutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import anymail.backends
import environ
from django.core.exceptions import ImproperlyConfigured

TIMEOUT_SECONDS = 20  # for each step of a conversation with a mail server or provider

_SMTP_PORTS = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465}

PROVIDERS = sorted(
    {module.name for module in pkgutil.iter_modules(anymail.backends.__path__)}
    - {"base", "base_requests", "console", "sendinblue", "test"}
)
# The settings of anymail that the username, the password and the host of the URL stand for.
_URL_PARTS: dict[str, tuple[str | None, ...]] = {
    "mailersend": ("API_TOKEN",),
    "mailgun": ("API_KEY", None, "SENDER_DOMAIN"),
    "mailjet": ("API_KEY", "SECRET_KEY"),
    "mailtrap": ("API_TOKEN",),
    "postmark": ("SERVER_TOKEN",),
    "scaleway": ("SECRET_KEY", "PROJECT_ID"),
}
_OTHER_PROVIDERS = ("API_KEY",)
_NEEDS_API_URL = {"postal", "unisender_go"}


def parse_email_url(url: str, var_dir: Path) -> dict[str, Any]:
    """Return EMAIL_BACKEND and the EMAIL_… or ANYMAIL settings; "" means var_dir/mail.

    Raises ImproperlyConfigured with a sentence for the operator.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(
            "EMAIL_URL cannot be read: its port is not a number from 1 to 65535, or a character "
            "of the password (@ : / # ?) is not percent-encoded (%40 for @)."
        ) from error
    if not url or parts.scheme == "folder":
        folder = Path(unquote(parts.netloc + parts.path)) if parts.path else var_dir / "mail"
        return {
            "EMAIL_BACKEND": "games.mail.backends.FolderBackend",
            "EMAIL_FILE_PATH": str(folder.absolute()),
        }
    if parts.scheme in (*_SMTP_PORTS, "smtps"):
        return _smtp(parts, port)
    if parts.scheme.startswith("anymail+"):
        return _anymail(parts)
    raise ImproperlyConfigured(
        f"EMAIL_URL begins with {parts.scheme or 'nothing'}://, which is none of folder, "
        f"{', '.join(_SMTP_PORTS)}, smtps and anymail+<provider>."
    )


def _smtp(parts: SplitResult, port: int | None) -> dict[str, Any]:
    if not parts.hostname:
        raise ImproperlyConfigured(
            f"EMAIL_URL names no mail server: {parts.scheme}://user:password@host:port"
        )
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            "EMAIL_URL continues after the name and port of the mail server. If that is the end of "
            "the password, write its / as %2F, its ? as %3F and its # as %23."
        )
    # django-environ reads smtps as STARTTLS.
    scheme = parts.scheme.replace("smtps", "smtp+ssl")
    settings = environ.Env.email_url_config(parts._replace(scheme=scheme, path="").geturl())
    return {
        "EMAIL_USE_TLS": False,
        "EMAIL_USE_SSL": False,
        "EMAIL_TIMEOUT": TIMEOUT_SECONDS,
        **settings,
        "EMAIL_BACKEND": "games.mail.transport.SMTPBackend",  # with a deadline for each step
        "EMAIL_PORT": port or _SMTP_PORTS[scheme],
    }


def _anymail(parts: SplitResult) -> dict[str, Any]:
    """Query parameters become further settings: ?api_url=… is MAILGUN_API_URL for mailgun."""
    title = parts.scheme.removeprefix("anymail+")
    name = title.replace("-", "_")
    if name not in PROVIDERS:
        known = ", ".join(PROVIDERS).replace("_", "-")
        raise ImproperlyConfigured(f"EMAIL_URL names a provider that is none of {known}.")
    settings: dict[str, Any] = {"REQUESTS_TIMEOUT": TIMEOUT_SECONDS}
    for key, value in parse_qsl(parts.query):
        settings[f"{name.upper()}_{key.upper()}"] = value
    if name == "amazon_ses":
        settings["AMAZON_SES_CLIENT_PARAMS"] = _amazon_ses_client(parts)
    else:
        values = (unquote(parts.username or ""), unquote(parts.password or ""), parts.hostname)
        names = _URL_PARTS.get(name, _OTHER_PROVIDERS)
        for setting, given in zip(names, values, strict=False):
            if setting and not given:
                raise ImproperlyConfigured(
                    f"EMAIL_URL for {title} needs {setting.lower().replace('_', ' ')}: "
                    f"{_example(title, *names)}"
                )
            if setting:
                settings[f"{name.upper()}_{setting}"] = given
    if name in _NEEDS_API_URL and f"{name.upper()}_API_URL" not in settings:
        raise ImproperlyConfigured(
            f"EMAIL_URL for {title} needs the address of its API: "
            f"{_example(title, *_OTHER_PROVIDERS)}?api_url=https://…"
        )
    return {
        "EMAIL_BACKEND": f"anymail.backends.{name}.EmailBackend",
        "EMAIL_TIMEOUT": TIMEOUT_SECONDS,
        "ANYMAIL": settings,
    }


def _amazon_ses_client(parts: SplitResult) -> dict[str, Any]:
    """Options of the boto3 client. boto3 looks up missing ones in its usual places."""
    if find_spec("boto3") is None:
        raise ImproperlyConfigured(
            "EMAIL_URL for amazon-ses needs the package boto3: install the extra amazon-ses with "
            "`pip install '.[amazon-ses]'`, or send through Amazon's SMTP endpoint with "
            "smtp+tls://user:password@email-smtp.<region>.amazonaws.com"
        )
    given = {
        "aws_access_key_id": unquote(parts.username or ""),
        "aws_secret_access_key": unquote(parts.password or ""),
        "region_name": parts.hostname,
    }
    timeouts = {"connect_timeout": TIMEOUT_SECONDS, "read_timeout": TIMEOUT_SECONDS}
    return {"config": timeouts} | {name: value for name, value in given.items() if value}


def _example(title: str, *names: str | None) -> str:
    """Return the shape of the URL, given the settings that its parts stand for."""
    words = [(name or "").replace("_", "-").lower() for name in names]
    user, secret, domain = [*words, "", ""][:3]
    return f"anymail+{title}://{user}{':' if secret else ''}{secret}@{domain}"
