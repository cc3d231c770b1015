"""Check whether everything works, here and as seen from outside, and say what to do."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.management import add_name_server, counted, lookup_of
from games.models import database_clock
from games.operations import findings, report


class Command(BaseCommand):
    help = "Checks the service and its public address; exits with status 1 if there is work to do."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--quiet", action="store_true", help="print only what is wrong, for cron"
        )
        add_name_server(parser)

    def handle(self, *args: Any, quiet: bool, dns: str | None, **options: Any) -> None:
        failures = 0
        for found in (
            report.look_inside(),
            report.look_from_outside(lookup_of(dns), database_clock.now()),
        ):
            for line, has_failed in findings.lines(found, only_failures=quiet):
                self.stdout.write(line)
                self.stdout.flush()
                failures += has_failed
        if failures:
            raise CommandError(f"{counted(failures, 'check')} failed.")
        if not quiet:
            self.stdout.write("All is well.")
