"""Say in plain words whether the mails of this service will be believed, and what to mend."""

from __future__ import annotations

import secrets
import time
from argparse import ArgumentParser
from collections.abc import Iterable
from email.utils import make_msgid
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.forms import ValidationError

from games.mail import dns, doctor, reply_address
from games.mail.doctor import Finding, Grade, good, mend, note
from games.mail.post import Failed, Post, RoadClosed
from games.models import InboundMail

NOBODYS_GAME = "doctordoctor"  # a reply to it is kept, found to be nobody's, and left alone
SIGNS = {Grade.GOOD: "ok   ", Grade.NOTE: "note ", Grade.MEND: "MEND "}


class Command(BaseCommand):
    help = "Looks at the sender of our mails: settings, DNS, a test mail, its reply."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", help="an address of yours: a test mail goes there")
        parser.add_argument(
            "--wait",
            type=float,
            default=0.0,
            metavar="SECONDS",
            help="wait so long for your reply to the test mail (default: do not wait)",
        )
        parser.add_argument(
            "--selector",
            action="append",
            default=[],
            help="name of a DKIM key (s=… in the signature); may be given several times",
        )
        parser.add_argument(
            "--dns", help="address[:port] of a name server (default: this machine's)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        faults = self._tell(doctor.of_the_settings())
        faults += self._tell(self._dns(options["dns"], options["selector"]))
        if options["to"]:
            faults += self._tell(self._mail(options["to"], options["wait"]))
        else:
            self._tell([note("No test mail was sent: say --to with an address of yours.")])
        if faults:
            raise CommandError(f"{faults} to mend." if faults > 1 else "One thing to mend.")
        self.stdout.write("Nothing to mend.")

    def _tell(self, findings: Iterable[Finding]) -> int:
        """Write each as soon as it is known; how many are to be mended."""
        faults = 0
        for finding in findings:
            self.stdout.write(SIGNS[finding.grade] + finding.words)
            self.stdout.flush()
            faults += finding.grade is Grade.MEND
        return faults

    def _dns(self, server: str | None, selectors: list[str]) -> Iterable[Finding]:
        servers = [server] if server else dns.servers()
        if not servers:
            yield note("The DNS was not looked at: this machine names no name server.")
            return
        try:
            yield from doctor.of_the_dns(
                lambda name, kind: dns.ask(name, kind, servers[0]), selectors
            )
        except dns.Unreachable as error:
            yield note(f"The DNS was not looked at any further, it does not answer ({error}).")

    def _mail(self, to: str, wait: float) -> Iterable[Finding]:
        try:
            validate_email(to)
        except ValidationError:
            yield mend(f"--to {to} is no address.")
            return
        way_back = reply_address(NOBODYS_GAME, 0, secrets.randbelow(10**9))
        message = EmailMessage(
            subject="A test of the mails of this service",
            body=_words(way_back),
            from_email=settings.MAIL_FROM,
            to=[to],
            reply_to=[way_back] if way_back else None,
            headers={
                "Message-ID": make_msgid(domain=settings.SITE_HOST),
                "Auto-Submitted": "auto-generated",
            },
        )
        try:
            with Post() as post:
                post.send(message)
        except (Failed, RoadClosed) as error:
            yield mend(f"The test mail was not taken: {error}")
            return
        yield good(f"The test mail to {to} was taken. Look whether it lies in the inbox.")
        if way_back is None or not wait:
            yield note(
                "No reply was waited for: "
                + ("say --wait." if way_back else "nobody reads replies here.")
            )
            return
        self.stdout.write(f"     Answer it now; waiting for up to {wait:.0f} seconds …")
        self.stdout.flush()
        yield _reply(way_back, wait)


def _words(way_back: str | None) -> str:
    words = "If you read this in your inbox and not among the spam, mails of this service arrive.\n"
    return words + ("\nPlease answer this mail with any word.\n" if way_back else "")


def _reply(way_back: str, wait: float) -> Finding:
    until = time.monotonic() + wait
    while time.monotonic() < until:
        came = InboundMail.objects.filter(recipient=way_back).first()
        if came is not None:
            return good(f"The reply came in ({came.get_door_display()}).")
        time.sleep(0.2)
    return mend(
        f"No reply came to {settings.MAIL_REPLY_DOMAIN}. Does its MX lead to a server that hands "
        "over to `manage.py listen_mail`, `read_mail`, or the provider's inbound webhook?"
    )
