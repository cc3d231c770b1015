"""Fresh proof of identity, which changes of credentials and the download of all data need.

The proof is a code of the second factor, or, for accounts without one, a code sent to the current
primary address; at most ten minutes old. Signing in counts, too. `ProofMiddleware` asks for it
before the views named in PROTECTED. A submitted form is processed after the proof.
"""

import time
from collections.abc import Callable
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows import reauthentication
from allauth.account.internal.flows.login import record_authentication
from allauth.account.views import BaseReauthenticateView
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from games.models import User, address_mask

from . import second_factor, sign_in
from .sign_in import MAX_AGE, CodeByEmail, CodeForm

# Views that change credentials or give out all that is stored, by the name of their URL, and the
# methods that need a proof. The page that shows the secret of an app needs it already for a look;
# that of the download, so that its button answers with the file.
PROTECTED = {
    "account_email": ("POST",),
    "account_close": ("POST",),
    "feeds": ("POST",),
    "personal_data": ("GET", "POST"),
    "usersessions_list": ("POST",),
    "mfa_activate_totp": ("GET", "POST"),
    "mfa_deactivate_totp": ("GET", "POST"),
    "mfa_generate_recovery_codes": ("GET", "POST"),
}


class ProofMiddleware:
    """Asks for a fresh proof before a view that changes credentials."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, _view: object, _args: object, _kwargs: object
    ) -> HttpResponse | None:
        """A redirect to the page that asks for the proof; None where there is nothing to prove."""
        user, match = request.user, request.resolver_match
        method = "GET" if request.method == "HEAD" else request.method
        if not isinstance(user, User) or match is None:
            return None
        if method not in PROTECTED.get(match.url_name or "", ()):
            return None
        if is_fresh(request):
            return None
        methods = get_adapter().get_reauthentication_methods(user)
        response: HttpResponse = reauthentication.suspend_request(request, methods[0]["url"])
        return response


def is_fresh(request: HttpRequest) -> bool:
    """Return whether the session has proved its user's identity in the last ten minutes."""
    if second_factor.is_enrolled(request):
        return second_factor.was_used(request, MAX_AGE)
    earliest, user = time.time() - MAX_AGE, request.user
    assert isinstance(user, User)
    return any(
        record["method"] == "code"
        and str(record.get("email", "")).lower() == user.email.lower()
        and record["at"] > earliest
        for record in get_authentication_records(request, user)
    )


class ProofCode(CodeByEmail):
    """A code that was sent to the user's primary address."""

    session_key = "proof_code"
    template = "account/email/proof"

    @classmethod
    def resume(cls, request: HttpRequest) -> "ProofCode | None":
        """The pending code of this session, as long as it is valid for the user's address."""
        user = request.user
        return cls.pending(request, user, email=getattr(user, "email", None))


class ProofView(BaseReauthenticateView):  # type: ignore[misc]  # allauth is untyped
    """Sends a code to the primary address and takes it."""

    form_class = CodeForm
    template_name = "account/proof.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Redirect users with a second factor to the page for its code, as allauth does."""
        self.process = ProofCode.resume(request)
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        return response

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Send a code, or check the one that was entered."""
        if request.POST.get("action") == "send" or self.process is None:
            user = request.user
            assert isinstance(user, User)
            ProofCode.begin(request, user, user.email)
            return redirect(self.passthrough_next_url(request.path))
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = super().get_form_kwargs()
        kwargs["code"] = self.process.code if self.process is not None else ""
        return kwargs

    def form_valid(self, form: Any) -> HttpResponse:
        """Record the proof, then do what was asked for."""
        assert self.process is not None
        self.process.abort()
        email = self.process.state["email"]
        record_authentication(
            self.request, self.request.user, "code", email=email, reauthenticated=True
        )
        response: HttpResponse = super().form_valid(form)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        assert self.process is not None
        sign_in.on_wrong_code(self.process.user)
        if not self.process.record_invalid_attempt():
            return redirect(self.passthrough_next_url(self.request.path))
        response: HttpResponse = super().form_invalid(form)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        user = self.request.user
        assert isinstance(user, User)
        context["is_sent"] = self.process is not None
        context["address"] = address_mask(user.email)
        return context

    def get_default_success_url(self) -> str:
        return reverse("settings")


prove = login_required(ProofView.as_view())
