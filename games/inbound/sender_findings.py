"""Check whether the senders of replies are verified: without that, each move needs a click.

The findings are for the operator, in plain English, like those of `games.mail.deliverability`.
"""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings

from games.mail.deliverability import Finding, fail, note, ok
from games.models import InboundMail, database_clock

from . import authenticity, mime

SenderCheck = InboundMail.SenderCheck

RECENT = timedelta(days=7)
MOST = 20  # replies that are looked at
HANDBOOK = (
    "docs/running-in-production.md, “Whose replies are believed”, has the ways of each provider"
)

# What the providers of webhooks need so that they hand over the email as it came; the others do.
NEVER_RAW = {"brevo", "mailjet"}
RAW_IF = {
    "mailgun": "give it the URL that ends in /inbound_mime/",
    "postmark": "tick “Include raw email content in JSON payload” there",
    "sendgrid": "tick “POST the raw, full MIME message” there",
}


def check_senders() -> Iterator[Finding]:
    """Check the settings and the last replies."""
    if not settings.MAIL_REPLY_DOMAIN:
        return
    checked = _last_checks()
    if checked and SenderCheck.PASS not in checked:
        yield fail(
            f"The sender of none of the last {len(checked)} replies could be verified, so each move "
            f"had to be confirmed with a link. {HANDBOOK}; `check_mail --to … --wait 120` tries one."
        )
    elif checked or settings.MAIL_AUTHSERV_ID:
        yield ok("Senders of replies are verified.")
    else:
        yield _by_provider()


def _last_checks() -> list[str]:
    since = database_clock.now() - RECENT
    own = [SenderCheck.PASS, SenderCheck.FAIL, SenderCheck.UNKNOWN]
    rows = InboundMail.objects.filter(received_at__gt=since, sender_check__in=own)
    return list(rows.order_by("-received_at").values_list("sender_check", flat=True)[:MOST])


def _by_provider() -> Finding:
    """Findings before the first reply, where no mail server of ours is named."""
    provider = settings.EMAIL_BACKEND.removeprefix("anymail.backends.").partition(".")[0]
    if not settings.INBOUND_SECRET:
        return ok("Senders of replies are verified by the DKIM signature of their email.")
    if provider in NEVER_RAW:
        return fail(
            f"The webhook of {provider} brings no raw email whose signature we could check, so each "
            "move by reply has to be confirmed with a link. Set MAIL_AUTHSERV_ID if that provider "
            f"writes Authentication-Results, or choose another way in. {HANDBOOK}."
        )
    how = RAW_IF.get(provider)
    return note(
        "Senders of replies are verified by the DKIM signature of their email, for which the "
        f"provider must hand it over as it came{f': {how}' if how else ''}. "
        "`check_mail --to … --wait 120` tries that."
    )


def check_sender(row: InboundMail) -> Finding:
    """Check whether a move in this reply, which the operator sent, would need a confirmation."""
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
