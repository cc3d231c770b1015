"""Push messages on this device: switched on and off in the settings."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from games import services

from .decorators import SignedInRequest, post_action


@post_action
def push_devices(request: SignedInRequest) -> HttpResponse:
    """POST from push.js: do=on with the address and keys that the browser got, or do=off."""
    user, sent = request.user, request.POST
    try:
        match sent.get("do"):
            case "on":
                services.device_add(
                    user=user,
                    endpoint=sent.get("endpoint", ""),
                    p256dh=sent.get("p256dh", ""),
                    auth=sent.get("auth", ""),
                )
                messages.success(
                    request, _("This device shows a notification when it is your turn.")
                )
            case "off":
                services.device_remove(user=user, endpoint=sent.get("endpoint", ""))
                messages.success(request, _("This device no longer shows notifications."))
            case "none":
                services.devices_remove(user=user)
                messages.success(request, _("Your devices no longer show notifications."))
    except services.ServiceError as error:
        messages.error(request, error.text)
    return redirect("settings")
