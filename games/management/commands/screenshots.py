"""`manage.py screenshots`: take the pictures of the README anew, of the real site in a real browser.

It runs on servers of its own, which the tests start and stop, so it touches no data; it needs what
the tests need (requirements-test.lock and Chromium).
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
    help = "Take the pictures of the README anew (into games/static/games/screenshots)."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", PICTURES], cwd=ROOT, check=False
        )
        if done.returncode:
            raise CommandError("The pictures could not be taken; see above.")
        self.stdout.write("The pictures are in games/static/games/screenshots.")
