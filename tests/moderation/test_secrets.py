"""What a moderator is asked before an action gives away nothing that is hidden."""

import re
from typing import Any

import pytest
from django.urls import reverse

from games import services
from games.models import Game, User
from games.moderation.game_page import ACTIONS
from tests.factories import log_of, miss_deadline, person
from tests.support.indistinguishable_games import Events, atlantis, escape, world
from tests.support.moderators import moderating
from tests.support.pages import text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

WORLDS = {"atlantis": atlantis, "escape": escape}
SEEDS = (b"\1" * 32, b"\2" * 32)
TO_PERSON = "hand_seat to a person"


def asked(kind: str, events: Events, seed: bytes, act: str, people: list[User], by: User) -> str:
    """The words of the page that asks before this action, at a table with this log and luck."""
    name = act.partition(" ")[0]
    with world(kind, events, [*people]) as game:
        Game.objects.filter(pk=game.pk).update(seed=seed)
        if act == "resume":
            services.moderate_pause(game_id=game.pk, ruling=services.Ruling(by, "A storm"))
        elif act == "excuse":
            miss_deadline(game)
        seat = "1" if act == TO_PERSON else "0"
        own: dict[str, Any] = {
            "seat": seat,
            "days": "3",
            "title": "Calm sea",
            "to_seq": str(log_of(game).moves[0][-1].seq),
            "to": "carol@example.org" if act == TO_PERSON else "",
        }
        data = {f"{name}-{key}": value for key, value in own.items()}
        url = reverse("admin:games_game_act", args=[game.pk, name])
        page = text(moderating(by).post(url, {"reason": "A storm", **data}))
    assert 'name="confirmed"' in page, page[:4000]
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


@pytest.mark.parametrize("kind", WORLDS)
@pytest.mark.parametrize("act", [*ACTIONS, TO_PERSON])
def test_the_page_that_asks_is_the_same_in_worlds_that_differ_in_seed_and_cards_only(
    alice: User, bob: User, mona: User, ada: User, kind: str, act: str
) -> None:
    person("Carol")
    people, by = [alice, bob], mona
    if act == "own_game":
        people, by = [alice, ada], ada
        User.objects.filter(pk=mona.pk).update(is_staff=False)
    one, twin = WORLDS[kind]()
    pages = [
        asked(kind, events, seed, act, people, by)
        for events, seed in zip((one, twin), SEEDS, strict=True)
    ]
    assert pages[0] == pages[1]
    assert not any(seed.hex() in page for seed, page in zip(SEEDS, pages, strict=True))
