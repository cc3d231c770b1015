"""Pages and forms with recovery codes: connecting an app, new codes, and entering a code."""

from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms
from allauth.mfa.base.internal.flows import check_rate_limit
from allauth.mfa.totp.views import ActivateTOTPView
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from games import services
from games.models import User

from . import second_factor
from .decorators import form_page


class RecoveryCodeMixin:
    """Takes a recovery code where allauth's form takes the code of an app."""

    def clean_code(self) -> str:
        """Use up a recovery code; codes of apps are allauth's."""
        form: Any = self
        code: str = form.cleaned_data["code"]
        factor = services.recovery_codes_of(form.user)
        if factor is None or not services.is_recovery_code(code):
            return str(super().clean_code())  # type: ignore[misc]  # of allauth's form
        clear_limit = check_rate_limit(form.user)
        if not services.recovery_code_use(factor=factor, code=code):
            form._emit_authentication_failed(factor)
            raise get_adapter().validation_error("incorrect_code")
        form.authenticator = factor
        clear_limit()
        return code


class AuthenticateForm(RecoveryCodeMixin, forms.AuthenticateForm):  # type: ignore[misc]  # untyped
    """The second code of a sign-in."""


class ReauthenticateForm(RecoveryCodeMixin, forms.ReauthenticateForm):  # type: ignore[misc]  # untyped
    """The second code as a fresh proof."""


class ConnectAppView(ActivateTOTPView):  # type: ignore[misc]  # allauth is untyped
    """allauth's, which shows recovery codes once the app is connected."""

    def form_valid(self, form: Any) -> HttpResponse:
        super().form_valid(form)
        return _shown(self.request, services.recovery_codes_make(user=self.request.user))


connect_app = ConnectAppView.as_view()


@form_page
@login_required
def new_codes(request: HttpRequest) -> HttpResponse:
    """A button; then the new codes, once."""
    user = request.user
    assert isinstance(user, User)
    if not second_factor.is_enrolled(request):
        return redirect("mfa_index")
    problem = ""
    if request.method == "POST":
        try:
            return _shown(request, services.recovery_codes_renew(user=user))
        except services.ServiceError as error:
            problem = error.text
    factor = services.recovery_codes_of(user)
    context = {"left": len(factor.data["hashes"]) if factor else 0, "problem": problem}
    status = 422 if problem else 200
    return render(request, "mfa/recovery_codes/generate.html", context, status=status)


def _shown(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return render(request, "mfa/recovery_codes/index.html", {"codes": codes})
