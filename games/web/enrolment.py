"""The page behind the one-time link of `manage.py make_admin`: connect an authenticator app.

It does nothing else and signs nobody in. A GET shows a button; the secret for the app is made by
the first POST and comes back, signed, with the code.
"""

import base64

from allauth.mfa.adapter import get_adapter
from allauth.mfa.totp.internal.auth import generate_totp_secret
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from games import services
from games.models import User

from .decorators import secret_url

SECRET_AGE = 3600  # seconds to scan the picture and enter the code


@secret_url
def enrolment(request: HttpRequest, token: str) -> HttpResponse:
    """A button; then the picture to scan and a field for the code; then the recovery codes."""
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
    """The secret that this page made for this person; "" if there is none, or it is too old."""
    try:
        return str(signing.loads(signed, salt=_salt(user), max_age=SECRET_AGE))
    except signing.BadSignature:
        return ""


def _salt(user: User) -> str:
    return f"games.enrolment.secret:{user.pk}"


urlpatterns = [path("enrol/<str:token>/", enrolment, name="enrolment")]
