"""Store one email from standard input, for the pipe transport of a mail server.

In Postfix's master.cf, with `move+…` addresses sent to it by a transport map:

    replies unix - n n - - pipe flags=R user=atlantis null_sender=
        argv=/path/to/.venv/bin/python /path/to/manage.py read_mail --sender ${sender} ${recipient}

The exit status is one of sysexits.h: 0 stored, 65 too large, 67 no such address, 75 try again.
"""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from games.inbound import intake, mime
from games.models import InboundMail

# EX_DATAERR, EX_NOUSER, EX_TEMPFAIL of sysexits.h
BAD_DATA, NO_USER, TRY_AGAIN = 65, 67, 75
CHUNK = 64 * 1024


class Command(BaseCommand):
    help = "Stores one email from standard input for the worker (Postfix pipe, procmail)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "recipient", nargs="*", help="envelope recipients (default: those in the headers)"
        )
        parser.add_argument(
            "--sender", default=None, help='envelope sender; "" for the null sender'
        )

    def handle(self, *args: Any, recipient: list[str], sender: str | None, **options: Any) -> None:
        raw = sys.stdin.buffer.read(intake.KEPT_BYTES + 1)  # the last byte says that there are more
        size = len(raw)
        while chunk := sys.stdin.buffer.read(CHUNK):
            size += len(chunk)
        if size > intake.ACCEPTED_BYTES:
            raise CommandError(intake.TOO_LARGE, returncode=BAD_DATA)
        if sender is not None and sender.upper() == "MAILER-DAEMON":
            sender = ""  # Postfix's default for the null sender
        try:
            kept = intake.store(
                raw,
                channel=InboundMail.Channel.PIPE,
                sender=sender,
                recipients=recipient or _recipients(raw),
            )
        except (DatabaseError, OSError) as error:
            raise CommandError(
                f"The email could not be stored: {error}", returncode=TRY_AGAIN
            ) from None
        if not kept:
            raise CommandError("5.1.1 No such address here", returncode=NO_USER)
        if options["verbosity"] > 1:
            self.stdout.write(f"Kept for {', '.join(row.recipient for row in kept)}")


def _recipients(raw: bytes) -> list[str]:
    """The addresses in the headers; of an email that cannot be parsed, those of ours in it."""
    try:
        return intake.recipients_in(mime.read(raw).headers)
    except mime.Unreadable:
        return intake.ours_in(raw)
