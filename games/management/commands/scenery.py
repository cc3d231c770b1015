"""Write the scenery of the boards as static files."""

from typing import Any

from django.core.management.base import BaseCommand

from games.web.boards import STATIC, scenery_files


class Command(BaseCommand):
    help = "Writes the scenery of the boards as static files, after a change of the drawings."

    def handle(self, *args: Any, **options: Any) -> None:
        for path, svg in scenery_files().items():
            (STATIC / path).write_text(svg, encoding="utf-8")
            self.stdout.write(path)
