"""Note that a dump of the database was made and checked: docs/backup.sh calls this."""

from typing import Any

from django.core.management.base import BaseCommand

from games.models import Heartbeat, database_clock


class Command(BaseCommand):
    help = "Notes the time of the last good backup, whose age /metrics shows."

    def handle(self, *args: Any, **options: Any) -> None:
        Heartbeat.objects.update_or_create(
            name=Heartbeat.BACKUP, defaults={"at": database_clock.now()}
        )
