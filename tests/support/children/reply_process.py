"""Plays by reply in a service whose processes are being killed.

`python -m tests.support.children.reply_process <games> <moves> <port of the listener>` runs with
the variables of that service. It hands every reply to the listener again and again, as a mail
server does, until the listener accepts it, and then waits until all replies of a round have been
processed. It prints a line for every move that a reply made, and "done" at the end.
"""

import os
import smtplib
import sys
import time

import django

from tests.support.children.player_process import PATIENCE, stubborn

PEOPLE = 10  # so that nobody writes more than a person may in an hour
PASS = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"


def main(games: int, moves: int, port: int) -> None:
    """This number of games of two people, a round of one move in each after the other."""
    django.setup()
    from games import services
    from games.log import event_store
    from games.mail.reply_addresses import reply_address
    from games.models import Game, InboundMail, TableSettings, User

    people = [
        User.objects.create_user(f"player{number}@example.org", display_name=f"P {number}")
        for number in range(PEOPLE)
    ]

    def table(number: int) -> Game:
        settings = TableSettings(seat_count=2)
        game = services.game_create(
            host=people[number % PEOPLE], kind="atlantis", name=f"Table {number}", settings=settings
        )
        services.game_join(game_id=game.pk, user=people[(number + 1) % PEOPLE])
        return game

    def reply(game: Game) -> tuple[str, str, bytes]:
        """(sender, reply address, the email) of the player who is asked."""
        now = Game.objects.get(pk=game.pk)
        log = event_store.load(now)
        seat = log.projection.to_act[0]
        user = now.seats.select_related("user").get(number=seat).user
        assert user is not None
        view = log.engine.rules.view(log.state, seat)
        line = log.engine.notation.describe(
            next(iter(log.engine.rules.legal_commands(log.state, seat))), view
        )
        to = reply_address(now.public_id, seat, log.moved_at)
        assert to is not None
        head = [
            PASS,
            f"From: <{user.email}>",
            f"To: <{to}>",
            f"Message-ID: <{now.public_id}.{log.moved_at}@mail.example.org>",
        ]
        return user.email, to, "\r\n".join([*head, "", line, "", "> C statue", ""]).encode()

    tables = [table(number) for number in range(games)]
    count = 0
    while count < moves:
        round_of = tables[: moves - count]
        for game in round_of:
            hand_over(*stubborn(lambda game=game: reply(game)), port)  # type: ignore[misc]
        end = time.monotonic() + PATIENCE
        while stubborn(InboundMail.objects.filter(state="new").count):
            assert time.monotonic() < end, "replies are not read"
            time.sleep(0.05)
        for game in round_of:
            count += 1
            print("moved", game.pk, flush=True)
    print("done", flush=True)


def hand_over(sender: str, to: str, raw: bytes, port: int) -> None:
    """Until it was taken: no answer, "not now" and a broken line all mean: once more."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with smtplib.SMTP("127.0.0.1", port, timeout=5) as server:
                server.sendmail(sender, [to], raw)
            return
        except (OSError, smtplib.SMTPException):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
