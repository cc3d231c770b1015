"""What works, what does not, and what to do: for `manage.py check_site` and the admin's first page.

`look_inside` asks the service itself, by a fixed number of queries and within a few seconds, and
answers in the active language. `look_from_outside` requests the public address and asks name
servers, which only the command does, in plain English.
"""

import ssl
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.mail.dns_lookup import DnsUnavailable, Lookup
from games.models import Heartbeat, database_clock
from games.translate import with_colon

from . import health, sender
from .findings import Finding, Severity, disk_of, fail, note, ok

LEAST_FREE = 0.1  # of the disk
MOST_DRIFT = timedelta(seconds=30)  # as far as codes of authenticator apps allow
# How old the last one may be, and what makes it. A new service has that long for the first one.
NIGHTLY = {
    Heartbeat.BACKUP: (timedelta(hours=36), gettext_lazy("Dump of the database"), "docs/backup.sh"),
    Heartbeat.VERIFY: (timedelta(hours=48), gettext_lazy("Check of the logs"), "manage.py verify"),
}
LEAST_DAYS = 14  # until the end of a certificate; they are renewed 30 days before
SECONDS = 10.0  # for the answer of the site
OURS = "Request-Id"  # a header of all our responses


def look_inside(now: datetime | None = None, *, replies: bool = True) -> list[Finding]:
    """Check processes, queues, settings and regular work. now: by PostgreSQL's clock. replies:
    whether the reader may know that emails of players came in."""
    now = now or database_clock.now()
    state, parts = health.check(now)
    if not replies:
        parts = [finding for finding in parts if finding.part != "failed_replies"]
    found = [ok(_("Version %(version)s.") % {"version": settings.VERSION}), *_parts(parts)]
    if state is None and settings.LOCAL_MODE:
        return [fail(_("PostgreSQL does not answer: `make play` is not running."))]
    if state is None:
        return found
    if replies and settings.MAIL_REPLY_DOMAIN:
        found.append(_replies(state))
    found += sender.check_settings()
    found += sender.check_senders() if replies else ()
    found += () if settings.LOCAL_MODE else _nightly(now)
    return [*found, _disk()]


def failures(found: Iterable[Finding]) -> list[Finding]:
    """The findings that need something to be done."""
    return [finding for finding in found if finding.severity is Severity.FAIL]


def _parts(found: list[Finding]) -> Iterator[Finding]:
    good = ", ".join(finding.part for finding in found if finding.text == "ok")
    yield ok(_("These work: %(parts)s.") % {"parts": good})
    for finding in found:
        if finding.text != "ok":
            yield finding._replace(text=f"{with_colon(finding.part)} {finding.text}.")


def _replies(state: health.State) -> Finding:
    refusals = ""
    if state.refused:
        refusals = _(
            "Recipients that the listener refused because they are not addresses of ours: "
            "%(number)d. Is MAIL_REPLY_DOMAIN the domain whose email your mail server passes on?"
        ) % {"number": state.refused}
    if state.replied_at is None:
        said = _("No reply has come in yet.")
        if settings.LOCAL_MODE:  # it waits for its developer
            return note(f"{said} {refusals}".strip())
        hint = _(
            "Does the MX record of the reply domain point to your provider or mail server, and "
            "does that server pass email on? `check_mail --to … --wait 120` tests this."
        )
        return fail(f"{said} {hint} {refusals}".strip())
    days = (state.now - state.replied_at).days
    said = _("The last reply came in less than a day ago.")
    if days:
        said = ngettext(
            "The last reply came in %(days)d day ago.",
            "The last reply came in %(days)d days ago.",
            days,
        ) % {"days": days}
    return ok(f"{said} {refusals}".strip())


def _disk() -> Finding:
    folder, free, total = disk_of(settings.VAR_DIR)
    values = {"share": round(100 * free / total), "folder": folder}
    said = _("%(share)d%% of the disk that holds %(folder)s is free.") % values
    if free < LEAST_FREE * total:
        return fail(
            said
            + " "
            + _(
                "Make room before it is full: run `docker image prune --force`, move old dumps "
                "to another machine, and find out why WAL is not archived."
            )
        )
    return ok(said)


def _nightly(now: datetime) -> Iterator[Finding]:
    rows = Heartbeat.objects.in_bulk([*NIGHTLY])
    installed = MigrationRecorder.Migration.objects.order_by("applied").first()
    since = now if installed is None else installed.applied
    for name, (most, what, how) in NIGHTLY.items():
        row = rows.get(name)
        age = _hours(now - row.at) if row is not None else ""
        values = {"how": how, "age": age}
        finding, said = fail, _("none has ever been made. Let cron run %(how)s every night.")
        if row is not None and row.started_at is not None:
            said = _("the last one found a fault. Run %(how)s, and read what it says.")
        elif row is not None and now - row.at <= most:
            finding, said = ok, _("the last good one was made %(age)s ago.")
        elif row is not None:
            said = _(
                "no good one for %(age)s. Let cron run %(how)s every night, and read its output."
            )
        elif now - since <= most:
            finding, said = note, _("none yet. Let cron run %(how)s every night.")
        yield finding(f"{with_colon(str(what))} {said % values}")


def _hours(age: timedelta) -> str:
    hours = round(age.total_seconds() / 3600)
    if hours < 48:
        return ngettext("%(number)d hour", "%(number)d hours", hours) % {"number": hours}
    days = round(hours / 24)
    return ngettext("%(number)d day", "%(number)d days", days) % {"number": days}


# -- from outside ----------------------------------------------------------------------------


def look_from_outside(
    lookup: Lookup, now: datetime, context: ssl.SSLContext | None = None
) -> Iterator[Finding]:
    """Check the public address, its certificate, its clock, and the DNS. context: which
    certificates are trusted, as by browsers by default."""
    yield from _public_address(now, context or ssl.create_default_context())
    yield from dns_findings(lookup, [])


def dns_findings(lookup: Lookup, selectors: Sequence[str]) -> Iterator[Finding]:
    """Check the DNS as far as a name server answers."""
    if settings.LOCAL_MODE:
        yield note("This is a local service: DNS was not checked.")
        return
    try:
        yield from sender.check_dns(lookup, selectors)
    except DnsUnavailable as error:
        yield note(f"DNS was not checked any further: {error}")


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
    yield from _clock(answer, now)
    if ends_at is None:  # of which the check of settings speaks
        return
    days = (ends_at - now.timestamp()) / 86_400
    finding = ok if days >= LEAST_DAYS else fail
    hint = "" if days >= LEAST_DAYS else " Your web server has not renewed it: read its log."
    yield finding(f"The certificate is valid for {days:.0f} days.{hint}")


def _clock(answer: HTTPResponse, now: datetime) -> Iterator[Finding]:
    """Compare PostgreSQL's clock with that of the web server in front, which is another machine's
    where the proxy is one."""
    try:
        there = parsedate_to_datetime(answer.headers["Date"] or "")
    except ValueError:
        return
    drift = abs(there - now).total_seconds()
    if drift > MOST_DRIFT.total_seconds():
        yield fail(
            f"The clock of PostgreSQL and that of the web server in front differ by {drift:.0f} "
            "seconds, so deadlines and codes of authenticator apps may be wrong: let both machines "
            "follow a time server."
        )


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
