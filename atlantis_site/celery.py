"""The Celery application.

PostgreSQL stores what has to be done (unsent emails, due deadlines). Tasks only trigger the work;
what a lost task leaves undone, the next sweep finds.
"""

import logging
import os
from typing import Any

import click
from celery import Celery
from celery.signals import beat_init, celeryd_init, worker_ready
from kombu.transport.redis import Channel

from atlantis_site import metrics_server
from games import __version__

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")

# When a worker loses the broker, do not put its tasks back: kombu 5.7 tries that over the lost
# connection, and the error ends the worker. No work is lost, because tasks only trigger it. See
# also `ack_emulation` in the settings.
Channel.do_restore = False

logger = logging.getLogger(__name__)
app = Celery("atlantis_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add("atlantis_site.beat:BeatStep")
app.user_options["worker"].add(click.Option(["--beat-thread"], is_flag=True))


BOTS = "bots@"  # how the name of the bots' worker begins


@celeryd_init.connect
def _let_others_go_first(sender: object = None, **_signal: Any) -> None:
    """Run at a low priority: bots use the processor time that other processes leave."""
    if str(sender).startswith(BOTS):
        os.nice(10)


@beat_init.connect
@worker_ready.connect
def _log_version(**_signal: Any) -> None:
    logger.info("Version %s is running.", __version__)


@worker_ready.connect
def _serve_metrics(sender: object = None, **_signal: Any) -> None:
    """Serve metrics at WORKER_METRICS_BIND. The worker is one process, so these are all of them but
    the tasks of the bots."""
    from django.conf import settings
    from prometheus_client import REGISTRY

    from games.operations.metrics import StateCollector

    if settings.WORKER_METRICS_BIND and not getattr(sender, "hostname", "").startswith(BOTS):
        REGISTRY.register(StateCollector())
        metrics_server.serve(settings.WORKER_METRICS_BIND, REGISTRY)
