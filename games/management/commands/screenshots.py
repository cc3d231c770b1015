"""Take the screenshots of the README with a real browser.

The site runs on servers that the tests start, so no data is touched. Needs the packages of the tests
and Chromium.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

ROOT = Path(__file__).resolve().parents[3]
PICTURES = "tests/browser/screenshots.py"


class Command(BaseCommand):
    help = "Takes the screenshots of the README (into games/static/games/screenshots)."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", PICTURES], cwd=ROOT, check=False
        )
        if done.returncode:
            raise CommandError("The screenshots could not be taken; see above.")
        self.stdout.write("The screenshots are in games/static/games/screenshots.")
