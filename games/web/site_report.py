"""What works, what does not, and what to do: for `manage.py check_site` and the admin's first page.

`look_inside` asks the service itself, by a fixed number of queries and within a few seconds.
`look_from_outside` requests the public address and asks name servers, which only the command does.
The findings are for operators, in plain English.
"""

import shutil
import ssl
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from games.inbound.authenticity import sender_findings
from games.mail import deliverability
from games.mail.backends import email_url_fault
from games.mail.deliverability import Finding, fail, note, ok
from games.mail.dns_lookup import DnsUnavailable, Lookup
from games.models import Heartbeat, database_clock

from . import health

LEAST_FREE = 0.1  # of the disk
MOST_DRIFT = timedelta(seconds=5)
# How old the last one may be, and what makes it. A new service has that long for the first one.
NIGHTLY = {
    Heartbeat.BACKUP: (timedelta(hours=36), "dump of the database", "docs/backup.sh"),
    Heartbeat.VERIFY: (timedelta(hours=48), "check of the logs", "`manage.py verify`"),
}
LEAST_DAYS = 14  # until the end of a certificate; they are renewed 30 days before
SECONDS = 10.0  # for the answer of the site
OURS = "Request-Id"  # a header of all our responses


def look_inside(
    now: datetime | None = None, machine: datetime | None = None, *, replies: bool = True
) -> list[Finding]:
    """Check processes, queues, settings and regular work. now: by PostgreSQL's clock. machine: by
    that of this machine. replies: whether the reader may know that emails of players came in."""
    now = now or database_clock.now()
    report = health.check(now)
    parts = health.parts_of(report)
    found = [ok(f"Version {settings.VERSION}."), *_parts(parts), *_attention(report)]
    if parts["database"] != "ok":
        return found
    if replies:
        found += _replies(report)
    found += [*_mail_server(), _disk(), _clock(now, machine or timezone.now())]
    if not settings.LOCAL_MODE:
        found += _nightly(now)
    return found


def _parts(parts: Mapping[str, str]) -> Iterator[Finding]:
    good = [name for name, words in parts.items() if words == "ok"]
    yield ok(f"These work: {', '.join(good)}.")
    for name, words in parts.items():
        if words != "ok":
            yield fail(f"{name}: {words}.")


def _attention(report: Mapping[str, object]) -> Iterator[Finding]:
    attention = report["attention"]
    assert isinstance(attention, dict)
    for name, words in attention.items():
        finding = fail if name == "parked_emails" else note
        yield finding(f"{name.replace('_', ' ')}: {words}.")


def _replies(report: Mapping[str, object]) -> Iterator[Finding]:
    if not settings.MAIL_REPLY_DOMAIN:
        yield note("Replies by email are off: MAIL_REPLY_DOMAIN is not set.")
        return
    refused, age = report["refused_recipients"], report["last_reply_days"]
    refusals = (
        f" The listener refused {refused} recipients, none of which is an address of ours: is "
        "MAIL_REPLY_DOMAIN the domain that your mail server passes on?"
        if refused
        else ""
    )
    if age is None:
        yield fail(
            "No reply has ever come in. Is the MX record of the reply domain that of your provider or"
            " mail server, and does it pass email on? `check_mail --to … --wait 120` tries it."
            f"{refusals}"
        )
    else:
        assert isinstance(age, int)
        when = "since yesterday" if age == 0 else f"{_days(timedelta(days=age))} ago"
        yield ok(f"The last reply came in {when}.{refusals}")
    yield from sender_findings()


def _mail_server() -> Iterator[Finding]:
    if (wrong := email_url_fault()) and not settings.LOCAL_MODE:
        yield fail(f"{wrong}: set it to your mail server, and run `check_mail`.")


def _disk() -> Finding:
    folder = Path(settings.VAR_DIR)
    there = next(path for path in (folder, *folder.parents) if path.exists())
    usage = shutil.disk_usage(there)
    share = usage.free / usage.total
    words = f"{share:.0%} of the disk of {there} is free"
    if share < LEAST_FREE:
        return fail(
            f"{words}. Make room before it is full: `docker image prune --force`, old dumps, WAL that"
            " is not archived."
        )
    return ok(f"{words}.")


def _clock(now: datetime, machine: datetime) -> Finding:
    drift = abs(machine - now)
    if drift > MOST_DRIFT:
        return fail(
            f"The clock of this machine and that of PostgreSQL differ by {drift.total_seconds():.0f}"
            " seconds, so codes of authenticator apps may be refused: let both follow a time server."
        )
    return ok("The clock of this machine agrees with that of PostgreSQL.")


def _nightly(now: datetime) -> Iterator[Finding]:
    rows = Heartbeat.objects.in_bulk([*NIGHTLY])
    installed = MigrationRecorder.Migration.objects.order_by("applied").first()
    since = now if installed is None else installed.applied
    for name, (most, what, how) in NIGHTLY.items():
        row = rows.get(name)
        if row is not None and row.started_at is not None:
            yield fail(f"The last {what} found a fault: run {how}, and read what it says.")
        elif row is not None and now - row.at <= most:
            yield ok(f"The last good {what} was made {_days(now - row.at)} ago.")
        elif row is None and now - since <= most:
            yield note(f"There has been no {what} yet: let cron run {how} every night.")
        else:
            age = "has ever been made" if row is None else f"was made for {_days(now - row.at)}"
            yield fail(
                f"No good {what} {age}: let cron run {how} every night, and read its output."
            )


def _days(age: timedelta) -> str:
    hours = age.total_seconds() / 3600
    return f"{hours:.0f} hours" if hours < 48 else f"{hours / 24:.0f} days"


# -- from outside ----------------------------------------------------------------------------


def look_from_outside(
    lookup: Lookup, now: datetime, context: ssl.SSLContext | None = None
) -> Iterator[Finding]:
    """Check the public address, its certificate, and where replies go. context: which certificates
    are trusted, as by browsers by default."""
    yield from _public_address(now, context or ssl.create_default_context())
    if settings.MAIL_REPLY_DOMAIN:
        try:
            yield deliverability.check_mx(lookup, settings.MAIL_REPLY_DOMAIN, "replies with moves")
        except DnsUnavailable as error:
            yield note(f"The MX record of the reply domain was not checked: {error}")


def _public_address(now: datetime, context: ssl.SSLContext) -> Iterator[Finding]:
    url = f"{settings.SITE_URL}/"
    try:
        answer, ends_at = _get(url, context)
    except ssl.SSLCertVerificationError as error:
        yield fail(
            f"The certificate at {settings.SITE_URL} is not valid ({error.verify_message}): let your "
            "web server renew it."
        )
        return
    except (OSError, HTTPException) as error:
        yield fail(
            f"{url} cannot be reached from here ({type(error).__name__}: {error}). Is SITE_URL right,"
            " its A record published, and the web server in front running?"
        )
        return
    yield _judged(url, answer)
    if ends_at is None:
        yield note(f"SITE_URL is {settings.SITE_URL}: people trust, and many browsers want, https.")
        return
    days = (ends_at - now.timestamp()) / 86_400
    finding = ok if days >= LEAST_DAYS else fail
    hint = "" if days >= LEAST_DAYS else " Your web server has not renewed it: read its log."
    yield finding(f"The certificate is valid for {days:.0f} days.{hint}")


def _get(url: str, context: ssl.SSLContext) -> tuple[HTTPResponse, float | None]:
    """The answer of the site, and the time at which its certificate ends; None without one."""
    parts = urlsplit(url)
    ends_at = None
    server: HTTPConnection
    if parts.scheme == "https":
        server = HTTPSConnection(parts.netloc, timeout=SECONDS, context=context)
    else:
        server = HTTPConnection(parts.netloc, timeout=SECONDS)
    try:
        server.connect()
        if isinstance(server.sock, ssl.SSLSocket):
            ends_at = ssl.cert_time_to_seconds(str((server.sock.getpeercert() or {})["notAfter"]))
        server.request("GET", parts.path, headers={"User-Agent": "check_site"})
        return server.getresponse(), ends_at
    finally:
        server.close()


def _judged(url: str, answer: HTTPResponse) -> Finding:
    target = answer.headers["Location"]
    if target is not None and urljoin(url, target) == url:
        return fail(
            f"{url} redirects to itself, so nobody sees a page: set TRUST_PROXY=1, and let the web "
            "server in front set X-Forwarded-Proto."
        )
    if target is not None and not urljoin(url, target).startswith(f"{settings.SITE_URL}/"):
        return fail(
            f"{url} redirects to {urljoin(url, target)}: set SITE_URL to the address under which the "
            "site answers."
        )
    if OURS not in answer.headers:
        return fail(
            f"Another program answers at {url} (status {answer.status}): let the web server in front "
            "pass requests to this service."
        )
    if answer.status == 400:
        return fail(f"{url} is refused: add its host name to ALLOWED_HOSTS.")
    if answer.status >= 400:
        return fail(f"{url} answers with status {answer.status}: see the log of the web server.")
    return ok(f"The site answers at {url}.")
