"""The kinds of email, by what they are about. Importing the package registers all of them."""

import pkgutil
from importlib import import_module

from .base import (
    SEND,
    BoardPicture,
    MailContent,
    MailKind,
    SendDecision,
    get,
    label,
    names,
    selectable,
    selectable_by,
)

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
