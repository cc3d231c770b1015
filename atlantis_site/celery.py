"""The Celery application: nudges and sweeps, never the only place where work is remembered.

PostgreSQL knows what is to be done (unsent mails, due deadlines); a task that the broker loses is
found again by the next sweep.
"""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")

app = Celery("atlantis_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
