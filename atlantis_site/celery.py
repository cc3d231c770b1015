"""The Celery application.

PostgreSQL stores what has to be done (unsent emails, due deadlines). Tasks only trigger the work;
what a lost task leaves undone, the next sweep finds.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_ready
from kombu.transport.redis import Channel

from atlantis_site import metrics_server

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")

# When a worker loses the broker, do not put its tasks back: kombu 5.7 tries that over the lost
# connection, and the error ends the worker. No work is lost, because tasks only trigger it. See also
# `ack_emulation` in the settings.
Channel.do_restore = False

app = Celery("atlantis_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_ready.connect
def _serve_metrics(**_signal: Any) -> None:
    """Serve metrics at WORKER_METRICS_BIND. The worker is one process, so these are all of them."""
    from django.conf import settings
    from prometheus_client import REGISTRY

    from games.web.state_metrics import StateCollector

    if settings.WORKER_METRICS_BIND:
        REGISTRY.register(StateCollector())
        metrics_server.serve(settings.WORKER_METRICS_BIND, REGISTRY)
