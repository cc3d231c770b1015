"""What came within some minutes, in one email."""

from django.utils.translation import gettext_lazy

from games.models import DeliveryMode

from .base import register
from .batch import BatchMailKind


class _Gathered(BatchMailKind):
    name = "gathered"
    label = gettext_lazy("several games in one email")
    position = 8
    batches = DeliveryMode.BATCHED


GATHERED = register(_Gathered())
