"""The Celery application: nudges and sweeps, never the only place where work is remembered.

PostgreSQL knows what is to be done (unsent mails, due deadlines); a task that the broker loses is
found again by the next sweep.
"""

from __future__ import annotations

import os

from celery import Celery
from kombu.transport.redis import Channel

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")

# What a worker has in hand when it loses the broker is not put back: kombu 5.7 tries that over the
# connection that is gone, and the error ends the worker. Nothing is lost, since a task only says
# where to look. (Settings: `ack_emulation`.)
Channel.do_restore = False

app = Celery("atlantis_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
