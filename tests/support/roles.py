"""A table with a row of each kind that the admin shows, and a browser for each role."""

import re
from http.cookies import SimpleCookie

from django.db import connection, transaction
from django.test import Client

from games import services
from games.models import (
    Appeal,
    Decision,
    Invitation,
    MailTransport,
    Message,
    OutboxMail,
    QuotaUse,
    Report,
    SecondFactor,
)
from tests.factories import log_of, person, play_one, table_of
from tests.support.moderators import give_factor, moderating
from tests.support.pages import signed_in
from tests.support.replies import unclear_reply
from tests.support.url_walk import filled

ACTS = {"user": "warn", "message": "delete", "decision": "delete", "secondfactor": "delete"}
# Each route takes its own fields from these.
FORMS = {
    "sure": "1",
    "seat": "0",
    "do": "hand",
    "off": "1",
    "reason": "A storm",
    "post": "yes",
    "reveal-reason": "A storm",
    "kind": "pause",
    "days": "2",
    "answer": "yes",
    "display_name": "Hedda",
    "language": "en",
    "time_zone": "UTC",
    "end_sessions": "on",
    "text": "He calls everybody a donkey.",
    "outcome": "acted",
    "note": "A donkey",
    "lifts": "no",
}
ROWS = """SELECT (SELECT count(*) FROM games_gameevent), (SELECT count(*) FROM games_decision),
    (SELECT count(*) FROM games_message), (SELECT count(*) FROM games_report)"""


def counted() -> tuple[int, ...]:
    """How many rows there are that only happen for a reason."""
    with connection.cursor() as cursor:
        cursor.execute(ROWS)
        found: tuple[int, ...] = cursor.fetchone()
    return found


class Site:
    """A running table with a host, a player and a moderator; a row of each kind that the admin
    shows, about the host where it is somebody's; and a browser for each role."""

    def __init__(self) -> None:
        host, player, plays = person("Hedda"), person("Pia"), person("Mona", is_staff=True)
        mona, ada = person("Mina", is_staff=True), person("Ada", is_staff=True, is_superuser=True)
        gone = person("Gustav")
        game = table_of(host, player, plays)
        play_one(game, note="Hello")
        game.seats.update(overdue=True)
        services.moderate_reveal(game_id=game.pk, ruling=services.Ruling(mona, "A complaint"))
        services.moderate_extend(game_id=game.pk, days=2, ruling=services.Ruling(mona, "A storm"))
        warning = services.moderate_warn(user=host, ruling=services.Ruling(ada, "Insults"))
        services.appeal_make(decision_id=warning.pk, text="I quoted Bob")
        reply = unclear_reply(game, host)
        waiting = table_of(host, seats=4)
        services.game_invite(game_id=waiting.pk, by=host, address="zoe@example.org")
        MailTransport.objects.get_or_create(name=MailTransport.ALL)
        give_factor(host)
        QuotaUse.objects.update(refused=1)
        services.name_report(user=plays, person=player, text="It is rude.")
        rows = {
            "game": game,
            "user": host,
            "message": Message.objects.get(),
            "inboundmail": reply,
            "outboxmail": OutboxMail.objects.filter(game=game, user=host).earliest("pk"),
            "invitation": Invitation.objects.get(),
            "mailtransport": MailTransport.objects.get(name=MailTransport.ALL),
            "quotause": QuotaUse.objects.earliest("pk"),
            "secondfactor": SecondFactor.objects.get(user=host),
            "decision": Decision.objects.filter(game=game).latest("pk"),
            "appeal": Appeal.objects.get(),
            "report": Report.objects.get(),
        }
        self.rows = {name: str(row.pk) for name, row in rows.items()}
        self.samples = {
            "public_id": game.public_id,
            "table": game.public_id,
            "message": str(Message.objects.get().pk),
            "seq": str(game.version),
            "kind": "atlantis",
            "name": "pause",
            "app_label": "games",
            "token": "x",
            "key": "x",
        }
        self.clients = {
            "visitor": Client(),
            "signed in": signed_in(person("Sven")),
            "player": signed_in(player),
            "host": signed_in(host),
            "moderator": moderating(mona),
            "playing moderator": moderating(plays),
            "administrator": moderating(ada),
            "suspended": signed_in(gone),
        }
        services.moderate_suspend(user=gone, until=None, ruling=services.Ruling(ada, "Insults"))
        self.versions = {"game": log_of(game).version, "decision": 0}
        self.latest = services.latest_decision(host)
        self.form = {
            **FORMS,
            "keys": self.rows["report"],
        }
        self.before = counted()

    def path(self, route: str) -> str:
        """A path of this route, with the row that it is about."""
        model = re.match(r"admin/games/(\w+)/", route)
        about = model[1] if model else "game"
        pk = self.rows.get(about, "1")
        act = {"name": ACTS.get(about, "pause")}
        return filled(route, {**self.samples, **act, "pk": pk, "object_id": pk})

    def answer(self, role: str, method: str, path: str) -> str:
        """The status, with a star if something happened at a table or was decided; "sign-in" or
        "proof" for what is asked first. What happened is undone."""
        client, about = self.clients[role], re.match(r"/admin/games/(\w+)/", path)
        seen = self.versions.get(about[1], self.latest) if about else 0
        client.raise_request_exception = False
        cookies = SimpleCookie(client.cookies)
        with transaction.atomic():
            response = getattr(client, method)(
                path, {**self.form, "confirmed": seen} if method == "post" else None
            )
            acted = counted() != self.before
            transaction.set_rollback(True)
        client.cookies = cookies
        place = response.headers.get("Location", "")
        if place.startswith(("/accounts/login", "/admin/login")):
            return "sign-in"
        if "/2fa/" in place or "reauthenticate" in place:
            return "proof"
        return f"{response.status_code}{'*' if acted else ''}"
