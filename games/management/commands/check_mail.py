"""Check whether other mail servers will accept our email, and report what to fix."""

import secrets
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable, Iterator
from contextlib import closing
from email.utils import make_msgid
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.forms import ValidationError

from games.mail.reply_addresses import TEST_GAME_ID, reply_address
from games.mail.transport import SendFailed, Transport, TransportUnavailable
from games.management import add_name_server, counted, lookup_of
from games.models import InboundMail
from games.operations import findings, report, sender
from games.operations.findings import Finding, fail, note, ok


class Command(BaseCommand):
    help = "Checks the settings and the DNS of the sender; sends a test email if you ask for it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", help="send a test email to this address of yours")
        parser.add_argument(
            "--wait",
            type=_seconds,
            default=0.0,
            metavar="SECONDS",
            help="wait this long for your reply to the test email (default: do not wait)",
        )
        parser.add_argument(
            "--selector",
            action="append",
            default=[],
            help="name of a DKIM key beside DKIM_SELECTOR; can be given several times",
        )
        add_name_server(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["wait"] and not options["to"]:
            raise CommandError("--wait needs --to: a reply can come to the test email only.")
        lookup = lookup_of(options["dns"])
        failures = self._report(sender.check_settings())
        if not options["wait"]:  # otherwise the reply to the test email shows it
            failures += self._report(sender.check_senders())
        failures += self._report(report.dns_findings(lookup, options["selector"]))
        if options["to"]:
            failures += self._report(self._send_test(options["to"], options["wait"]))
        else:
            self._report([note("No test email was sent: pass --to with an address of yours.")])
        if failures:
            raise CommandError(f"{counted(failures, 'check')} failed.")
        self.stdout.write("All checks passed.")

    def _report(self, found: Iterable[Finding]) -> int:
        """Print each finding as soon as it is known; return the number of failures."""
        failures = 0
        for line, has_failed in findings.lines(found):
            self.stdout.write(line)
            self.stdout.flush()
            failures += has_failed
        return failures

    def _send_test(self, to: str, wait: float) -> Iterable[Finding]:
        try:
            validate_email(to)
        except ValidationError:
            yield fail(f"--to {to} is not an address.")
            return
        reply_to = reply_address(TEST_GAME_ID, 0, secrets.randbelow(10**9))
        body = "If you read this in your inbox, not among the spam, email from this site arrives.\n"
        if reply_to:
            body += "\nPlease reply to this email with any word.\n"
        message = EmailMessage(
            subject="Test email from your site",
            body=body,
            from_email=settings.MAIL_FROM,
            to=[to],
            reply_to=[reply_to] if reply_to else None,
            headers={
                "Message-ID": make_msgid(domain=settings.SITE_HOST),
                "Auto-Submitted": "auto-generated",
            },
        )
        try:
            with closing(Transport()) as transport:
                transport.send(message)
        except (SendFailed, TransportUnavailable) as error:
            yield fail(f"The test email was not accepted: {error}")
            return
        yield ok(f"The test email to {to} was accepted. Check that it is in the inbox.")
        if reply_to is None or not wait:
            reason = "pass --wait" if reply_to else "MAIL_REPLY_DOMAIN is not set"
            yield note(f"No reply was waited for: {reason}.")
            return
        self.stdout.write(f"     Reply to it now; waiting for up to {wait:.0f} seconds …")
        self.stdout.flush()
        yield from _wait_for_reply(reply_to, wait)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _wait_for_reply(recipient: str, seconds: float) -> Iterator[Finding]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        reply = InboundMail.objects.filter(recipient=recipient).first()
        if reply is not None:
            yield ok(f"The reply arrived ({reply.get_channel_display()}).")
            yield sender.check_sender(reply)
            return
        time.sleep(0.2)
    yield fail(
        f"No reply arrived at {settings.MAIL_REPLY_DOMAIN}. Does its MX lead to a server that "
        "hands over to `manage.py listen_mail`, `read_mail`, or the provider's inbound webhook?"
    )
