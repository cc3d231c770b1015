"""Turn EMAIL_URL into Django settings.

    folder:///path/to/var/mail              write each email to a file (the default for local use)
    smtp://user:password@host:25            plain SMTP without STARTTLS
    smtp+tls://user:password@host:587       SMTP that requires STARTTLS
    smtp+ssl://user:password@host:465       SMTP over TLS (also smtps://)
    anymail+mailgun://KEY@mail.example.org  a provider of django-anymail, by its name

Percent-encode characters such as @ and / in names, passwords and keys. Error messages never
contain the password. This module reads no settings.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from games.operations import providers

TIMEOUT_SECONDS = 20  # for each step of a conversation with a mail server or provider


def parse_email_url(url: str, var_dir: Path) -> dict[str, Any]:
    """Return EMAIL_BACKEND and the EMAIL_… or ANYMAIL settings; "" means var_dir/mail.

    Raises ImproperlyConfigured with a sentence for the operator.
    """
    url = url.strip()
    if url and (problem := providers.refusal(url)):
        raise ImproperlyConfigured(problem)
    parts = urlsplit(url)
    if not url or parts.scheme == "folder":
        folder = Path(unquote(parts.netloc + parts.path)) if parts.path else var_dir / "mail"
        return {
            "EMAIL_BACKEND": "games.mail.backends.FolderBackend",
            "EMAIL_FILE_PATH": str(folder.absolute()),
        }
    return _anymail(parts) if providers.provider_of(url) else _smtp(parts)


def _smtp(parts: SplitResult) -> dict[str, Any]:
    # django-environ reads smtps as STARTTLS.
    scheme = parts.scheme.replace("smtps", "smtp+ssl")
    settings = environ.Env.email_url_config(parts._replace(scheme=scheme, path="").geturl())
    return {
        "EMAIL_USE_TLS": False,
        "EMAIL_USE_SSL": False,
        "EMAIL_TIMEOUT": TIMEOUT_SECONDS,
        **settings,
        "EMAIL_BACKEND": "games.mail.transport.SMTPBackend",  # with a deadline for each step
        "EMAIL_PORT": parts.port or providers.SMTP_PORTS[scheme],
    }


def _anymail(parts: SplitResult) -> dict[str, Any]:
    """Query parameters become further settings: ?api_url=… is MAILGUN_API_URL for mailgun."""
    name = providers.provider_of(parts.geturl())
    given: dict[str, Any] = {"REQUESTS_TIMEOUT": TIMEOUT_SECONDS} | {
        f"{name.upper()}_{key.upper()}": value
        for key, value in [*parse_qsl(parts.query), *providers.values_of(parts).items()]
    }
    if name == "amazon_ses":
        given["AMAZON_SES_CLIENT_PARAMS"] = _amazon_ses_client(parts)
    return {
        "EMAIL_BACKEND": f"anymail.backends.{name}.EmailBackend",
        "EMAIL_TIMEOUT": TIMEOUT_SECONDS,
        "ANYMAIL": given,
    }


def _amazon_ses_client(parts: SplitResult) -> dict[str, Any]:
    """Options of the boto3 client. boto3 looks up missing ones in its usual places."""
    if find_spec("boto3") is None:
        raise ImproperlyConfigured(providers.NEEDS_BOTO3)
    given = {
        "aws_access_key_id": unquote(parts.username or ""),
        "aws_secret_access_key": unquote(parts.password or ""),
        "region_name": parts.hostname,
    }
    timeouts = {"connect_timeout": TIMEOUT_SECONDS, "read_timeout": TIMEOUT_SECONDS}
    return {"config": timeouts} | {name: value for name, value in given.items() if value}
