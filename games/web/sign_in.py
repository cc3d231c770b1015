"""The page that asks for the code of a sign-in, and the log of proofs and wrong codes."""

import logging
from typing import Any

from allauth.account.views import ConfirmLoginCodeView
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from games.models import User

logger = logging.getLogger(__name__)


def on_proof(user: User, method: str, **_details: Any) -> None:
    """Receives allauth's `authentication_step_completed`. method: "code" or "mfa"."""
    logger.info("User %s proved their identity (%s).", user.pk, method)


def on_wrong_code(user: User | None = None, **_details: Any) -> None:
    """Receives allauth's `login_code_rejected`, and stands for other codes by email."""
    logger.warning("A wrong code by email for user %s.", user.pk if user is not None else "-")


def on_wrong_factor(user: User, **_details: Any) -> None:
    """Receives allauth's `authentication_failed` of a second factor."""
    logger.warning("A wrong code of a second factor for user %s.", user.pk)


class ConfirmCodeView(ConfirmLoginCodeView):  # type: ignore[misc]  # allauth is untyped
    """allauth's, except that it explains the end of an attempt and keeps the page that asked for
    it."""

    _process = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        if self._process is not None or request.user.is_authenticated:
            return response
        if request.method == "POST":
            messages.error(request, _("Your code is no longer valid. Ask for a new one."))
        return self._start_again()

    def form_invalid(self, form: Any) -> HttpResponse:
        """The form again; the first page of the sign-in after the last attempt."""
        response: HttpResponse = super().form_invalid(form)
        return self._start_again() if isinstance(response, HttpResponseRedirect) else response

    def _start_again(self) -> HttpResponse:
        return HttpResponseRedirect(self.passthrough_next_url(reverse("account_login")))


confirm = ConfirmCodeView.as_view()
