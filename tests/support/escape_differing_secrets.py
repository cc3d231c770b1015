"""Pages and emails of *Escape* in two worlds that differ in secrets alone."""

import re
from typing import Any

import pytest
from django.utils import timezone
from msgspec.structs import replace

from games.log import event_store, game_log
from games.mail import compose
from games.models import Game, OutboxMail, User
from games.rules import GAMES
from games.rules.escape.model import KEPT as KEPT_BACKS
from games.rules.escape.model import Back
from tests.factories import log_of
from tests.support.pages import signed_in, text

ESCAPE = GAMES["escape"]


def last_mail(game: Game, user: User, kind: str) -> Any:
    """The last email of this kind to this person, as it would be sent now."""
    row = OutboxMail.objects.filter(game=game, user=user, kind=kind).latest("pk")
    return compose.MailComposer().compose(row)


def both_parts(mail: Any) -> list[str]:
    """The words of the text and of the HTML part, each as one line."""
    parts = (mail.body, mail.alternatives[0][0])
    return [
        " ".join(re.sub(r"<[^>]+>|^\| ", " ", part, flags=re.MULTILINE).split()) for part in parts
    ]


KEPT_IN_HAND = sorted(back for back in Back if back in KEPT_BACKS)
OTHER_BACK = dict(zip(KEPT_IN_HAND, (*KEPT_IN_HAND[1:], KEPT_IN_HAND[0]), strict=True))


def still_held(log: game_log.Log, seat: int) -> set[int]:
    """The events by which others than `seat` came to the tiles that they hold now."""
    found = set()
    for other, tiles in enumerate(log.state.kept):
        left = [] if other == seat else list(tiles)
        for entry in reversed(log.effective):
            event: Any = entry.event
            if entry.kind == "sank" and event.kept and event.seat == other and event.back in left:
                left.remove(event.back)
                found.add(entry.seq)
    return found


def other_plan(event: Any) -> Any:
    """The same order with the values of a plan the other way round."""
    return replace(event, values=event.values[::-1]) if hasattr(event, "values") else event


def other_world(game: Game, seat: int) -> game_log.Log:
    """The same table, but for all that `seat` may not know: backs, and the others' tiles, values,
    plans and answers."""
    log = log_of(game)
    entries = []
    held = still_held(log, seat)
    for entry in log.effective:
        event: Any = entry.event
        match entry.kind:
            case "sank" if entry.seq in held:
                event = replace(event, back=OTHER_BACK[event.back])
            case "prepared":
                backs: dict[str, list[Any]] = {}
                for tile in event.tiles:
                    backs.setdefault(tile.terrain, []).append(tile.back)
                event = replace(
                    event,
                    tiles=tuple(
                        replace(tile, back=backs[tile.terrain].pop()) for tile in event.tiles
                    ),
                )
            case "placed" if event.seat != seat:
                event = replace(event, value=7 - event.value if event.value in (1, 6) else 3)
            case "planned" if event.seat != seat:
                event = replace(event, values=event.values[::-1])
            case _:
                pass
        entries.append(event)
    assert [ESCAPE.rules.visible(e, seat) for e in entries] == [
        ESCAPE.rules.visible(e.event, seat) for e in log.effective
    ]
    changed = dict(zip((e.seq for e in log.effective), entries, strict=True))
    twin = game_log.Log(
        log.engine,
        [replace(e, event=changed.get(e.seq, e.event)) for e in log.entries],
        log.digest,
        orders=[
            replace(order, event=other_plan(order.event)) if order.seat != seat else order
            for order in log.orders
        ],
    )
    assert twin.state != log.state, "another world"
    return twin


def headers_and_page(game: Game, user: User, query: str) -> tuple[dict[str, str], str]:
    """The headers and the page, without what differs from one request to the next."""
    answer = signed_in(user).get(f"/g/{game.public_id}/{query}")
    once = re.compile(r'nonce[="-][^ "]*"?|name="csrfmiddlewaretoken" value="[^"]*"')
    headers = {name: once.sub("", value) for name, value in answer.headers.items()}
    del headers["Request-Id"]  # a random number
    return headers, once.sub("", text(answer))


def assert_indistinguishable(
    monkeypatch: pytest.MonkeyPatch, game: Game, user: User, *queries: str, mail: bool = False
) -> None:
    """This person gets the same pages, and the same email, in a world that differs in secrets
    alone."""
    now = timezone.now()
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)
    seat = game.seats.filter(user=user).first()

    def seen() -> list[object]:
        pages: list[object] = [headers_and_page(game, user, query) for query in queries]
        return [*pages, both_parts(last_mail(game, user, "turn"))] if mail else pages

    first = seen()
    twin = other_world(game, -1 if seat is None else seat.number)
    with monkeypatch.context() as patch:
        patch.setattr(event_store, "load", lambda _game: twin)
        assert seen() == first
