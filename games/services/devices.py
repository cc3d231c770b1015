"""Devices that show push messages to their user."""

from django.utils.translation import gettext as _

from games.mail import push
from games.models import PushDevice, User

from . import quotas
from .errors import ServiceError
from .quotas import atomic


def device_add(*, user: User, endpoint: str, p256dh: str, auth: str) -> None:
    """Send push messages to this browser. Another user of the same browser gets none there
    any more."""
    try:
        push.check(endpoint, p256dh, auth)
    except push.BadEndpoint as error:
        raise ServiceError(_("This browser does not support our notifications.")) from error
    with atomic():
        quotas.spend(quotas.PUSH_CHANGES, person=user)
        found = push.digest(endpoint)
        PushDevice.objects.filter(digest=found).delete()
        sentence = _(
            "%(count)s of your devices receive notifications already. Switch them off on one first."
        )
        count = "SELECT count(*) FROM games_pushdevice WHERE user_id = %s"
        quotas.require_room(quotas.PUSH_DEVICES, user, count, sentence)
        PushDevice.objects.create(
            user=user, endpoint=endpoint, digest=found, p256dh=p256dh, auth=auth
        )


def device_remove(*, user: User, endpoint: str) -> None:
    """Send no push messages to this browser any more."""
    PushDevice.objects.filter(user=user, digest=push.digest(endpoint)).delete()


def devices_remove(*, user: User) -> None:
    """Send no push messages to any device of this user."""
    PushDevice.objects.filter(user=user).delete()
