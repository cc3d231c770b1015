"""Forms and the door: nothing that somebody typed is lost where it could not be taken as it was.

A form that came without a sign-in, or that was refused and sent back to its page, is kept in the
session for an hour; `typed` is what that page fills itself with. Reading it writes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

KEY = "typed_form"
SECONDS = 3600  # after that, a form that fills itself would surprise
MOST = 4000  # characters; no form of ours needs more

View = Callable[..., HttpResponse]


def keep(request: HttpRequest, page: str) -> None:
    """Keep what was sent for the page at this path; the form before it is forgotten."""
    form = request.POST.copy()
    form.pop("csrfmiddlewaretoken", None)
    words = form.urlencode()
    if len(words) <= MOST:
        until = int(time.time()) + SECONDS
        request.session[KEY] = {"page": page.partition("?")[0], "form": words, "until": until}


def typed(request: HttpRequest) -> QueryDict | None:
    """What was typed for this page and not taken; None where there is nothing."""
    kept = request.session.get(KEY)
    if kept is None or kept["page"] != page_of(request) or kept["until"] < time.time():
        return None
    return QueryDict(kept["form"])


def typed_word(request: HttpRequest, name: str) -> str:
    """One field of it, "" where there is nothing."""
    form = typed(request)
    return str(form.get(name, "")) if form is not None else ""


def forget(request: HttpRequest) -> None:
    """The form was taken."""
    if KEY in request.session:
        del request.session[KEY]


def page_of(request: HttpRequest) -> str:
    """The path of the page on which the forms of this address stand."""
    match = request.resolver_match
    if match is not None and "public_id" in match.kwargs:
        return reverse("game", args=[match.kwargs["public_id"]])
    return request.path


def _back(request: HttpRequest) -> str:
    """`page_of` with the answers that were in the address."""
    query = request.META.get("QUERY_STRING", "")
    return page_of(request) + (f"?{query}" if query else "")


def signed_in(view: View) -> View:
    """For people who are signed in; others are led to the door and back, with what they typed."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        back = _back(request)
        if request.method == "POST":
            keep(request, back)
        return redirect_to_login(back)

    return wrapped


def deed(view: View) -> View:
    """An address that forms are sent to, by those who are signed in. Whoever only opens it is led to
    the page of the form."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return redirect(_back(request))
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        return signed_in(view)(request, *args, **kwargs)

    return wrapped
