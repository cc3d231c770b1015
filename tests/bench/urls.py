"""The URLs of the site and a bare view: read a session, commit one row, redirect."""

from django.contrib.admin.models import CHANGE, LogEntry
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path

from atlantis_site.urls import urlpatterns as site


def bare(request: HttpRequest) -> HttpResponse:
    """The least that a writing view does, with the same middleware, form and response."""
    LogEntry.objects.create(
        user_id=request.user.pk or 0,
        object_repr="bench",
        action_flag=CHANGE,
        change_message=request.POST.get("line", ""),
    )
    return redirect("home")


urlpatterns = [path("bench/bare", bare), *site]
