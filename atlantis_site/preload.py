"""Imports what the processes of the service need, once, for the fork server of `make play`.

Importing this module sets up Django with the variables of this process, runs the system checks, and
registers the tasks. It connects to nothing. Memory that the processes read, but do not change,
stays shared between them.
"""

import importlib
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")

import django
from django.conf import settings
from django.core.management import call_command
from django.template import engines
from django.utils import translation

MODULES = (
    "atlantis_site.urls",
    "games.inbound.listener",
    "games.tasks",
    "games.web.unavailable",
    "celery.bin.celery",
    "celery.apps.worker",
    "celery.apps.beat",
    "celery.fixups.django",
    "celery.app.control",
    "celery.app.events",
    "celery.concurrency.thread",
    "celery.contrib.django.task",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.consumer.delayed_delivery",
    "kombu.mixins",
    "kombu.transport.redis",
    "gunicorn.app.wsgiapp",
    "gunicorn.workers.sync",
    "h11",
    "django.core.handlers.wsgi",
    "django.core.management.commands.migrate",
    "django.contrib.admin.views.main",
    "django.contrib.messages.storage.fallback",
    "aiosmtpd.controller",
    "aiosmtpd.lmtp",
)


def preload() -> None:
    """Import, check, and fill what Django and Celery compute once."""
    django.setup()
    for name in MODULES:
        importlib.import_module(name)
    engines.all()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            translation.gettext("Settings")
    call_command("check")
    os.environ["CELERY_SKIP_CHECKS"] = "1"
    from atlantis_site.celery import app

    app.loader.import_default_modules()
    app.finalize()


preload()
