"""A deadline for calls that have none of their own."""

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def call_within(seconds: float, call: Callable[[], Result]) -> Result:
    """Return or raise what `call` does. Raises TimeoutError after that time.

    The call runs in a daemon thread, which is left to itself when the time is up: nothing can end
    it.
    """
    results: list[Result] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:  # noqa: BLE001 (raised in the thread that waits)
            errors.append(error)

    thread = threading.Thread(target=run, name="call_within", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {seconds:.0f} seconds")
    return results[0]
