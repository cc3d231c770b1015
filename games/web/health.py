"""Liveness and readiness checks for load balancers and containers.

The reports hold figures only, nothing about players or games.
"""

from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.db import DatabaseError
from django.db.models import Case, F, Min, When
from django.db.models.functions import Greatest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from games.models import Heartbeat, OutboxMail

BEAT_LATE = timedelta(minutes=3)
MAIL_LATE = timedelta(minutes=15)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as this process answers; depends on nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when everything works, else 503, both with the report."""
    report = check(timezone.now())
    return JsonResponse(report, status=200 if report["ready"] else 503)


def check(now: datetime) -> dict[str, Any]:
    """The report: "ok" or an error per part, ages in seconds (None where there is nothing)."""
    parts: dict[str, str] = {}
    mail_age: float | None = None
    beat_age: float | None = None
    try:
        # Email that was held until the morning has been due since the morning.
        untried = When(attempts=0, error="", then=Greatest("created_at", "next_try_at"))
        oldest = OutboxMail.objects.filter(
            state__in=["queued", "sending"], next_try_at__lte=now
        ).aggregate(at=Min(Case(untried, default=F("created_at"))))["at"]
        beat = Heartbeat.objects.filter(name=Heartbeat.BEAT).values_list("at", flat=True).first()
    except DatabaseError as error:
        parts["database"] = f"does not answer ({type(error).__name__})"
    else:
        parts["database"] = "ok"
        mail_age = None if oldest is None else (now - oldest).total_seconds()
        beat_age = None if beat is None else (now - beat).total_seconds()
        late = mail_age is not None and mail_age > MAIL_LATE.total_seconds()
        parts["mail"] = "emails have waited too long" if late else "ok"
        silent = beat_age is None or beat_age > BEAT_LATE.total_seconds()
        parts["beat"] = "no regular task has run lately" if silent else "ok"
    parts["broker"] = _broker()
    return {
        "ready": all(word == "ok" for word in parts.values()),
        **parts,
        "oldest_unsent_mail_seconds": mail_age,
        "last_beat_seconds": beat_age,
    }


def _broker() -> str:
    try:
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
    except (OSError, OperationalError) as error:
        return f"does not answer ({type(error).__name__})"
    return "ok"
