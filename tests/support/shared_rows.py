"""Rows that all tests of a module begin with, made once."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker

T = TypeVar("T")


@contextmanager
def shared_rows(blocker: DjangoDbBlocker, make: Callable[[], T]) -> Iterator[T]:
    """Yield the result of `make`. The rows that it writes are in the database until the context
    ends: the transactions of tests run within theirs. No test of the module may be transactional.
    """
    with ExitStack() as after:
        with blocker.unblock():
            after.enter_context(transaction.atomic())
            made = make()
        yield made
        with blocker.unblock():
            transaction.set_rollback(True)
            after.close()
