"""A context in which rows are written only for a moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction


@contextmanager
def rolled_back() -> Iterator[None]:
    """Roll back the changes of the database within this context at its end."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
