"""The link "This was not me", restoring and deleting an account, and downloading its data."""

import msgspec
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from games import selectors, services
from games.mail import kinds, signed_links
from games.mail.kinds.account import change_sentence
from games.models import CredentialChange, User, address_mask

from . import sign_in
from .decorators import SignedInRequest, form_page, login_required_keep_form, secret_url
from .sign_in import CodeByEmail, CodeForm


class RestoreCode(CodeByEmail):
    """A code that was sent to a trusted address of a frozen account."""

    session_key = "restore_code"
    template = "account/email/restore"

    @classmethod
    def resume(cls, request: HttpRequest, user: User) -> "RestoreCode | None":
        """The pending code for this account in this browser."""
        return cls.pending(request, user, user_id=cls.initial_state(user)["user_id"])


@secret_url
def not_me(request: HttpRequest, token: str) -> HttpResponse:
    """The page of "This was not me": the change and a button that freezes the account; then the way
    to restore it."""
    key = signed_links.read_not_me_token(token)
    changes = CredentialChange.objects.select_related("user")
    change = changes.filter(pk=key).first() if key is not None else None
    if change is None:
        return render(request, "account/not_me.html", {"unknown": True}, status=404)
    user = change.user
    with translation.override(user.language), timezone.override(user.zone):
        if request.method == "POST":
            response = _act(request, change)
            if response is not None:
                return response
            user.refresh_from_db()
        return _render(request, change)


def _act(request: HttpRequest, change: CredentialChange) -> HttpResponse | None:
    user = change.user
    match request.POST.get("action"):
        case "freeze":
            services.change_dispute(change=change)
        case "send":
            trusted = {str(record.pk): record for record in selectors.trusted_addresses(user)}
            record = trusted.get(request.POST.get("address", ""))
            if record is not None:
                RestoreCode.begin(request, user, record.address)
        case "verify":
            return _verify(request, change)
    return None


def _verify(request: HttpRequest, change: CredentialChange) -> HttpResponse | None:
    process = RestoreCode.resume(request, change.user)
    if process is None:
        return None
    form = CodeForm(request.POST, code=process.code)
    if not form.is_valid():
        sign_in.on_wrong_code(change.user)
        process.record_invalid_attempt()
        return _render(request, change, form)
    process.abort()
    try:
        services.account_restore(user=change.user, address=process.state["email"])
    except services.ServiceError as error:
        messages.error(request, error.text)
        return None
    return render(request, "account/not_me.html", {"restored": True, "reader": change.user})


def _render(
    request: HttpRequest, change: CredentialChange, form: CodeForm | None = None
) -> HttpResponse:
    user = change.user
    process = RestoreCode.resume(request, user) if user.is_frozen else None
    over = not user.is_frozen and not services.change_is_disputable(change)
    context = {
        "reader": user,
        "said": change_sentence(change),
        "at": change.at,
        "over": over,
        "frozen": user.is_frozen,
        "addresses": [
            (record.pk, address_mask(record.address))
            for record in selectors.trusted_addresses(user)
        ],
        "sent_to": address_mask(process.state["email"]) if process is not None else "",
        "form": form or CodeForm(code=""),
    }
    return render(request, "account/not_me.html", context, status=410 if over else 200)


def inactive_page(request: HttpRequest, user: User) -> HttpResponse:
    """The page for a person who has proved an address of an account that may not act: why, and what
    protects it.

    Its buttons need the proof that the same acts need elsewhere: with a second factor, only keeping
    the account is left. A frozen account has none: whoever is here may be the thief.
    """
    with translation.override(user.language), timezone.override(user.zone):
        decision = services.last_suspension(user) if user.is_suspended else None
        change = services.freezing_change(user) if user.is_frozen else None
        has_factor = is_mfa_enabled(user)
        has_buttons = not user.is_frozen and (user.is_closing or not has_factor)
        context = {
            "person": user,
            "appeal_path": signed_links.appeal_path(decision, user) if decision else "",
            "restore_path": signed_links.not_me_path(change.pk) if change else "",
            "account_path": signed_links.account_path(user) if has_buttons else "",
            "has_factor": has_factor,
        }
        return render(request, "account/account_inactive.html", context)


@secret_url
def inactive_act(request: HttpRequest, token: str) -> HttpResponse:
    """POST: keep the account, delete it, or download its data, from `inactive_page`."""
    user = signed_links.read_account_token(token)
    is_usable = user is not None and not user.is_active and not user.is_frozen
    if request.method != "POST" or user is None or not is_usable:
        return redirect("account_login")
    try:
        match request.POST.get("action"):
            case "keep":
                services.account_keep(user=user)
                messages.success(request, _("Your account will not be deleted."))
            case "close" if not is_mfa_enabled(user):
                services.account_close(user=user)
            case "data" if not is_mfa_enabled(user):
                return _data_file(request, user)
    except services.ServiceError as error:
        messages.error(request, error.text)
    return inactive_page(request, User.objects.get(pk=user.pk))


@login_required_keep_form
@form_page
def close(request: SignedInRequest) -> HttpResponse:
    """The page that deletes the account. A POST needs a fresh proof, see `proof`."""
    user = request.user
    if request.method == "POST":
        try:
            services.account_close(user=user)
        except services.ServiceError as error:
            messages.error(request, error.text)
        return redirect("account_close")
    return render(request, "account/close.html")


@login_required_keep_form
@form_page
def keep(request: SignedInRequest) -> HttpResponse:
    """POST: cancel the deletion."""
    if request.method == "POST":
        services.account_keep(user=request.user)
        messages.success(request, _("Your account will not be deleted."))
    return redirect("settings")


urlpatterns = [
    path("account/not-me/<token>/", not_me, name="not_me"),
    path("account/inactive/<token>/", inactive_act, name="account_inactive_act"),
    path("settings/delete/", close, name="account_close"),
    path("settings/delete/cancel/", keep, name="account_keep"),
]


@login_required_keep_form
@form_page
def personal_data(request: SignedInRequest) -> HttpResponse:
    """A list of the contents of the file, and a button to download it. Both need a fresh proof,
    see `proof`."""
    if request.method != "POST":
        return render(request, "games/personal_data.html")
    return _data_file(request, request.user)


def _data_file(request: HttpRequest, user: User) -> HttpResponse:
    services.personal_data_count(user=user)
    now = timezone.now()
    found = {"made_at": now, **selectors.personal_data(user)}
    for mail in found["emails"]:
        mail["about"] = str(kinds.label(mail["kind"]))  # subjects are not stored
    text = msgspec.json.format(msgspec.json.encode(found), indent=2)
    response = HttpResponse(text, content_type="application/json")
    name = f"{request.get_host().partition(':')[0]}-{now:%Y-%m-%d}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response
