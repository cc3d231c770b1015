"""The page that asks for the code of a sign-in: allauth's, except that the end of an attempt is
explained and the way on to the page that asked for the sign-in is kept."""

from typing import Any

from allauth.account.views import ConfirmLoginCodeView
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _


class ConfirmCodeView(ConfirmLoginCodeView):  # type: ignore[misc]  # allauth is untyped
    """Signs in by the code that was sent."""

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
