"""Second factors: whether a session proved one, recovery codes, and the first app of an admin."""

import base64
import time
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms
from allauth.mfa.base.internal.flows import check_rate_limit
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import generate_totp_secret
from allauth.mfa.totp.views import ActivateTOTPView
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path

from games import services
from games.models import User
from games.services import QuotaExceeded, quotas

from .decorators import form_page, secret_url

MAX_AGE = 12 * 3600  # seconds; a working day of moderation, then the app is asked again

# Recovery codes belong to another factor and are none of their own.
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)

SECRET_AGE = 3600  # seconds to scan the picture and enter the code


def is_enrolled(request: HttpRequest) -> bool:
    """Return whether the signed-in user has a second factor."""
    return any(kind in FACTORS for kind in _own(request).values())


def was_used(request: HttpRequest, max_age: int = MAX_AGE) -> bool:
    """Return whether this session entered a code of a second factor that the user still has, or one
    of its recovery codes, in the last `max_age` seconds."""
    if not is_enrolled(request):
        return False
    own, earliest = _own(request), time.time() - max_age
    return any(
        record["method"] == "mfa" and record.get("id") in own and record["at"] > earliest
        for record in get_authentication_records(request, request.user)
    )


def _own(request: HttpRequest) -> dict[int, str]:
    """The user's authenticators, key → type; one query per request."""
    known: tuple[int, dict[int, str]] | None = getattr(request, "second_factors", None)
    if known is None or known[0] != request.user.pk:
        mine = Authenticator.objects.filter(user_id=request.user.pk)
        known = (request.user.pk or 0, dict(mine.values_list("pk", "type")))
        request.second_factors = known  # type: ignore[attr-defined]  # cached on the request
    return known[1]


class RecoveryCodeMixin:
    """Takes a recovery code where allauth's form takes the code of an app. Counts each try before
    the comparison, and takes that back where it was right."""

    def clean_code(self) -> str:
        """The code of an app, or a recovery code, which is used up."""
        form: Any = self
        try:
            quotas.spend(quotas.FACTOR_GUESSES, person=form.user)
        except QuotaExceeded as refused:
            raise ValidationError(refused.text) from None
        code = self._compared()
        quotas.take_back(quotas.FACTOR_GUESSES, person=form.user)
        return code

    def _compared(self) -> str:
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
    if not is_enrolled(request):
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


@secret_url
def enrolment(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind the one-time link of `manage.py make_admin`: connect an authenticator app.

    It shows a button; then the picture to scan and a field for the code; then the recovery codes.
    It signs nobody in. The secret for the app is made by the first POST and comes back, signed,
    with the code.
    """
    user = services.enrolment_user(token)
    if user is None:
        return render(request, "games/enrolment.html", {"step": "over"}, status=410)
    if request.method != "POST":
        return render(request, "games/enrolment.html", {"step": "begin", "reader": user})
    secret, problem = _read(user, request.POST.get("secret", "")), ""
    if secret and request.POST.get("code"):
        try:
            codes = services.enrolment_finish(token=token, secret=secret, code=request.POST["code"])
        except services.ServiceError as error:
            problem = error.text
        else:
            return render(request, "games/enrolment.html", {"step": "done", "codes": codes})
    secret = secret or generate_totp_secret()
    adapter = get_adapter()
    svg = adapter.build_totp_svg(adapter.build_totp_url(user, secret))
    context = {
        "step": "connect",
        "reader": user,
        "picture": f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}",
        "secret": secret,
        "signed": signing.dumps(secret, salt=_salt(user)),
        "problem": problem,
    }
    return render(request, "games/enrolment.html", context, status=422 if problem else 200)


def _read(user: User, signed: str) -> str:
    """The enrolment secret, or "" if missing or expired."""
    try:
        return str(signing.loads(signed, salt=_salt(user), max_age=SECRET_AGE))
    except signing.BadSignature:
        return ""


def _salt(user: User) -> str:
    return f"games.enrolment.secret:{user.pk}"


urlpatterns = [path("enrol/<str:token>/", enrolment, name="enrolment")]
