"""Errors reported to a Sentry server, if SENTRY_DSN names one; as scrubbed as the logs.

Reports hold no local variables, cookies, bodies, headers or parameters of log lines. The package
sentry-sdk is the extra `sentry`.
"""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from .scrubbed_logs import scrub

# Parts of a report that can hold anything.
_DROPPED = ("request", "user", "extra", "breadcrumbs", "server_name", "modules")


def scrub_report(report: Any, hint: Any = None) -> Any:
    """Return the report without secrets; sentry-sdk calls this before it sends."""
    for key in _DROPPED:
        report.pop(key, None)
    entry = report.get("logentry")
    if entry:
        # `message` is the template; `formatted` holds its parameters.
        report["logentry"] = {"message": entry.get("message", ""), "params": []}
    return _scrubbed(report)


def _scrubbed(value: Any) -> Any:
    match value:
        case str():
            return scrub(value)
        case dict():
            return {key: _scrubbed(one) for key, one in value.items()}
        case list() | tuple():
            return [_scrubbed(one) for one in value]
    return value


def start(dsn: str) -> None:
    """Report errors to `dsn` from now on. Raises ImproperlyConfigured."""
    try:
        import sentry_sdk

        sentry_sdk.init(
            dsn=dsn,
            include_local_variables=False,
            include_source_context=False,
            max_request_body_size="never",
            max_breadcrumbs=0,
            auto_session_tracking=False,
            before_send=scrub_report,
            shutdown_timeout=2,
        )
    except ImportError:
        raise ImproperlyConfigured("SENTRY_DSN needs the package sentry-sdk.") from None
    except ValueError:
        raise ImproperlyConfigured("SENTRY_DSN is no DSN: copy it from Sentry.") from None
