"""Liveness and readiness for load balancers, containers and monitoring."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.models import Heartbeat, database_clock

from . import health


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as this process answers; depends on nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def healthz_pages(request: HttpRequest) -> HttpResponse:
    """200 while pages are served, else 503: the workers ask (`games.services.deadlines`).

    As for any page, that needs a free process, which the front does not wait for, and the database.
    """
    Heartbeat.objects.exists()
    return HttpResponse("ok\n", content_type="text/plain")


class _Report(JsonResponse):
    _has_been_logged = True  # Django logs each 503 otherwise; beat logs the parts that change


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when everything works, else 503, both with the report, each part on a line of its own."""
    report = {"version": settings.VERSION, **health.report(database_clock.now())}
    return _Report(report, status=200 if report["ready"] else 503, json_dumps_params={"indent": 2})
