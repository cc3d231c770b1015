"""View decorators, and submitted forms that outlive a sign-in or a refusal.

A form that came without a session, or was refused, is saved in the session for an hour, and its
page fills itself in from there. Reading a saved form writes nothing.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from games.models import User

# URLs that only receive forms, and the pages that have these forms.
FORM_PAGES = {"practice": "new_game", "push_devices": "settings"}
SESSION_KEY = "typed_form"
MAX_AGE = 3600  # seconds
MAX_LENGTH = 4000  # characters; no form of ours needs more
# Says the site, but never the path. With "no-referrer", browsers post forms with "Origin: null",
# which Django refuses.
REFERRER_POLICY = "strict-origin"

View = Callable[..., HttpResponse]

form_page = require_http_methods(["GET", "HEAD", "POST"])


class SignedInRequest(HttpRequest):
    """For type checkers: the request of a view that only signed-in people reach."""

    user: User


# -- saved forms -------------------------------------------------------------------------


def save_form(request: HttpRequest, page: str) -> None:
    """Save the submitted form for the page at this path, in place of any other."""
    form = request.POST.copy()
    form.pop("csrfmiddlewaretoken", None)
    encoded = form.urlencode()
    if len(encoded) <= MAX_LENGTH:
        until = int(time.time()) + MAX_AGE
        saved = {"page": page.partition("?")[0], "form": encoded, "until": until}
        request.session[SESSION_KEY] = saved


def saved_form(request: HttpRequest) -> QueryDict | None:
    """The form saved for this page, or None."""
    saved = request.session.get(SESSION_KEY)
    if saved is None or saved["page"] != form_path(request) or saved["until"] < time.time():
        return None
    return QueryDict(saved["form"])


def saved_at_sign_in(request: HttpRequest) -> tuple[str, QueryDict]:
    """(page, form) of the form that was saved, of whichever page; ("", empty) without one."""
    saved = request.session.get(SESSION_KEY)
    if saved is None or saved["until"] < time.time():
        return "", QueryDict()
    return saved["page"], QueryDict(saved["form"])


def saved_value(request: HttpRequest, name: str) -> str:
    """One field of the saved form, "" where there is none."""
    form = saved_form(request)
    return str(form.get(name, "")) if form is not None else ""


def discard_saved_form(request: HttpRequest) -> None:
    """Forget the saved form once it was accepted."""
    if SESSION_KEY in request.session:
        del request.session[SESSION_KEY]


def form_path(request: HttpRequest) -> str:
    """The path of the page that has the forms of this URL on it."""
    match = request.resolver_match
    if match is not None and "public_id" in match.kwargs:
        return reverse("game", args=[match.kwargs["public_id"]])
    if match is not None and match.url_name in FORM_PAGES:
        return reverse(FORM_PAGES[match.url_name])
    return request.path


def _form_url(request: HttpRequest) -> str:
    """`form_path` with the query string, which holds the answers of the turn form."""
    query = request.META.get("QUERY_STRING", "")
    return form_path(request) + (f"?{query}" if query else "")


def sign_in_url(page: str) -> str:
    """The sign-in page, which leads on to this page."""
    return f"{reverse('account_login')}?{urlencode({'next': page})}"


# -- decorators --------------------------------------------------------------------------


def login_required_keep_form(view: View) -> View:
    """Like login_required, but a submitted form is saved until after the sign-in."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        url = _form_url(request)
        if request.method == "POST":
            save_form(request, url)
        return redirect_to_login(url)

    return wrapped


def post_action(view: View) -> View:
    """A URL that forms are posted to by signed-in people. A GET redirects to the form's page."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return redirect(_form_url(request))
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        return login_required_keep_form(view)(request, *args, **kwargs)

    return wrapped


def secret_url(view: View) -> View:
    """A form page whose URL is a secret: not cached, not indexed, not sent as a referrer."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = form_page(view)(request, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        response["Referrer-Policy"] = REFERRER_POLICY
        response["X-Robots-Tag"] = "noindex"
        return response

    return wrapped
