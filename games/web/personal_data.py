"""The page on which people download all that is stored about them."""

import msgspec
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from games import selectors, services
from games.mail import kinds

from .decorators import SignedInRequest, form_page, login_required_keep_form


@login_required_keep_form
@form_page
def personal_data(request: SignedInRequest) -> HttpResponse:
    """What the file holds, and a button that answers with it. Both need a fresh proof, see
    `proof`."""
    if request.method != "POST":
        return render(request, "games/personal_data.html")
    services.personal_data_count(user=request.user)
    now = timezone.now()
    found = {"made_at": now, **selectors.personal_data(request.user)}
    for mail in found["emails"]:
        mail["about"] = str(kinds.label(mail["kind"]))  # subjects are not stored
    text = msgspec.json.format(msgspec.json.encode(found), indent=2)
    response = HttpResponse(text, content_type="application/json")
    name = f"{request.get_host().partition(':')[0]}-{now:%Y-%m-%d}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response
