"""Lines about proofs of identity and codes that were wrong, with users by number."""

import logging
from typing import Any

from games.models import User

logger = logging.getLogger(__name__)


def on_proof(user: User, method: str, **_details: Any) -> None:
    """Receives allauth's `authentication_step_completed`. method: "code" or "mfa"."""
    logger.info("User %s proved their identity (%s).", user.pk, method)


def on_wrong_code(user: User | None = None, **_details: Any) -> None:
    """Receives allauth's `login_code_rejected`, and stands for other codes by email."""
    logger.warning("A wrong code by email for user %s.", user.pk if user is not None else "-")


def on_wrong_factor(user: User, **_details: Any) -> None:
    """Receives allauth's `authentication_failed` of a second factor."""
    logger.warning("A wrong code of a second factor for user %s.", user.pk)
