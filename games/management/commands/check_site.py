"""Check whether everything works, here and as seen from outside, and say what to do."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.mail import dns_lookup
from games.mail.deliverability import Finding, Severity, note
from games.management import counted
from games.models import database_clock
from games.web import site_report


class Command(BaseCommand):
    help = "Checks the service and its public address; exits with status 1 if there is work to do."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--quiet", action="store_true", help="print only what is wrong, for cron"
        )

    def handle(self, *args: Any, quiet: bool, **options: Any) -> None:
        failures = 0
        for finding in _findings():
            is_failure = finding.severity is Severity.FAIL
            failures += is_failure
            if is_failure or not quiet:
                self.stdout.write(f"{finding.severity:<4} {finding.text}")
                if finding.record is not None:
                    self.stdout.write(f"     {finding.record}")
                self.stdout.flush()
        if failures:
            raise CommandError(f"{counted(failures, 'check')} failed.")
        if not quiet:
            self.stdout.write("All is well.")


def _findings() -> Iterator[Finding]:
    yield from site_report.look_inside()
    yield from _from_outside()


def _from_outside() -> Iterable[Finding]:
    try:
        lookup = dns_lookup.lookup_at()
    except dns_lookup.DnsUnavailable as error:
        return [note(f"The site was not looked at from outside: {error}")]
    return site_report.look_from_outside(lookup, database_clock.now())
