"""The Celery application.

PostgreSQL stores what has to be done (unsent emails, due deadlines). Tasks only trigger the work;
what a lost task leaves undone, the next sweep finds.
"""

from __future__ import annotations

import os

from celery import Celery
from kombu.transport.redis import Channel

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")

# When a worker loses the broker, do not put its tasks back: kombu 5.7 tries that over the lost
# connection, and the error ends the worker. No work is lost, because tasks only trigger it. See also
# `ack_emulation` in the settings.
Channel.do_restore = False

app = Celery("atlantis_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
