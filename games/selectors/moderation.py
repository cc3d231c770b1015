"""What moderators read about a game besides its log."""

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet

from games.models import Game, OutboxMail

ROWS_SHOWN = 30  # the newest


def mails_about(game: Game, mails: QuerySet[OutboxMail]) -> QuerySet[OutboxMail]:
    """The newest of these emails that are about a game."""
    return mails.filter(game=game).order_by("-created_at")[:ROWS_SHOWN]


def moderator_actions(game: Game) -> QuerySet[LogEntry]:
    """What moderators did to a game or looked at, the newest first."""
    entries = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Game), object_id=str(game.pk)
    )
    return entries.select_related("user").order_by("-action_time")[:ROWS_SHOWN]
