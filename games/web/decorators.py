"""View decorators, and submitted forms that outlive a sign-in or a refusal.

A form that was refused is saved in the session for an hour. One that came without a sign-in is
saved in a signed cookie of the browser: in a session, it would be a row that anybody can make. Its
page fills itself in from there. Reading a saved form writes nothing.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from games import selectors, services
from games.models import Game, User

# URLs that only receive forms, and the pages that have these forms.
FORM_PAGES = {"practice": "new_game", "push_devices": "settings"}
SESSION_KEY = "typed_form"
MAX_AGE = 3600  # seconds
MAX_LENGTH = 4000  # characters; no form of ours needs more
COOKIE = settings.SESSION_COOKIE_NAME.replace("sessionid", "form")
COOKIE_SALT = "games.web.form_cookie"
COOKIE_LENGTH = 3500  # characters; browsers keep cookies of 4096 bytes, with name and attributes
# Says the site, but never the path. With "no-referrer", browsers post forms with "Origin: null",
# which Django refuses.
REFERRER_POLICY = "strict-origin"

View = Callable[..., HttpResponse]
Page = Callable[[HttpRequest], HttpResponse]

form_page = require_http_methods(["GET", "HEAD", "POST"])


class SignedInRequest(HttpRequest):
    """The request of a view that only signed-in people reach, for type checkers."""

    user: User


GameAction = Callable[[SignedInRequest, Game], HttpResponse | Game | str | None]


# -- saved forms -------------------------------------------------------------------------


def save_form(request: HttpRequest, page: str) -> None:
    """Save the submitted form for the page at this path, in place of any other. Say so to a
    visitor whose form is too long for that."""
    form = request.POST.copy()
    for secret in ("csrfmiddlewaretoken", "channel_address"):
        form.pop(secret, None)
    encoded = form.urlencode()
    until = int(time.time()) + MAX_AGE
    saved = {"page": page.partition("?")[0], "form": encoded, "until": until}
    if request.user.is_authenticated:
        if len(encoded) <= MAX_LENGTH:
            _forget_cookie(request)
            request.session[SESSION_KEY] = saved
    elif not _keep_in_cookie(request, saved):
        messages.warning(
            request,
            _(
                "What you entered is too long to be kept while you sign in. Go back in your "
                "browser and copy it, or enter it again afterwards."
            ),
        )


def _saved(request: HttpRequest) -> dict[str, Any] | None:
    """The saved form of any page, unless it is too old."""
    saved: dict[str, Any] | None = request.session.get(SESSION_KEY) or _kept_in_cookie(request)
    return saved if saved is not None and saved["until"] >= time.time() else None


def saved_form(request: HttpRequest) -> QueryDict | None:
    """The form saved for this page, or None."""
    saved = _saved(request)
    if saved is None or saved["page"] != form_path(request):
        return None
    return QueryDict(saved["form"])


def saved_at_sign_in(request: HttpRequest) -> tuple[str, QueryDict]:
    """(page, form) of the form that was saved, of whichever page; ("", empty) without one."""
    saved = _saved(request)
    if saved is None:
        return "", QueryDict()
    return saved["page"], QueryDict(saved["form"])


def saved_value(request: HttpRequest, name: str) -> str:
    """Return one field of the saved form, "" where there is none."""
    form = saved_form(request)
    return str(form.get(name, "")) if form is not None else ""


def discard_saved_form(request: HttpRequest) -> None:
    """Forget the saved form once it was accepted."""
    _forget_cookie(request)
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


# -- the cookie of saved forms -----------------------------------------------------------


def _keep_in_cookie(request: HttpRequest, saved: dict[str, Any]) -> bool:
    """Keep this in the browser, in place of anything earlier. Returns whether it fits."""
    value = signing.dumps(saved, salt=COOKIE_SALT, compress=True)
    if len(value) > COOKIE_LENGTH:
        return False
    request.COOKIES[COOKIE] = value
    return True


def _kept_in_cookie(request: HttpRequest) -> dict[str, Any] | None:
    """Return the form kept in this browser, or None."""
    try:
        found: dict[str, Any] = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=COOKIE_SALT, max_age=MAX_AGE
        )
    except signing.BadSignature:
        return None
    return found


def _forget_cookie(request: HttpRequest) -> None:
    """Remove what is kept in this browser."""
    request.COOKIES.pop(COOKIE, None)


def form_cookie(get_response: Page) -> Page:
    """Middleware: bring the browser what was changed in its cookie."""

    def middleware(request: HttpRequest) -> HttpResponse:
        before = request.COOKIES.get(COOKIE)
        response = get_response(request)
        after = request.COOKIES.get(COOKIE)
        if after is None and before is not None:
            response.delete_cookie(COOKIE, samesite="Lax")
        elif after is not None and after != before:
            response.set_cookie(
                COOKIE,
                after,
                max_age=MAX_AGE,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return middleware


def carry_out(form: Form, service: Callable[..., object], **known: object) -> bool:
    """Call the service with the values of the form, and return whether it did what was asked.

    If the form is not valid, or the service refuses, the form has the errors to show.
    """
    if not form.is_valid():
        return False
    try:
        service(**known, **form.cleaned_data)
    except services.ServiceError as error:
        form.add_error(None, error.text)
        return False
    return True


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


def game_action(view: GameAction) -> Callable[..., HttpResponse]:
    """A form posted to a game by somebody who may see it; leads back to the game's page.

    The view returns a message to show, another game to go to or a response of its own. The text of
    its ServiceError is shown, with the form filled in again.
    """

    @post_action
    @wraps(view)
    def wrapped(request: SignedInRequest, public_id: str, **kwargs: Any) -> HttpResponse:
        game = selectors.game_for(request.user, public_id)
        try:
            result = view(request, game, **kwargs)
        except services.ServiceError as error:
            messages.error(request, error.text)
            save_form(request, reverse("game", args=[public_id]))
            return redirect("game", public_id)
        discard_saved_form(request)
        if isinstance(result, HttpResponse):
            return result
        if isinstance(result, str):
            messages.success(request, result)
        return redirect("game", result.public_id if isinstance(result, Game) else public_id)

    return wrapped


def number_of(request: HttpRequest, name: str) -> int:
    """A whole number in the form, or −1, which is no seat."""
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else -1


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
