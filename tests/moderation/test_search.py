"""One box finds tables, people and emails, by indexes, and nothing that its reader may not see."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse
from django.utils.http import urlencode

from games.models import Game, InboundMail, OutboxMail, User
from games.moderation import admin_site
from tests.factories import person, table_of
from tests.support.emails import Kind, row_for
from tests.support.moderators import moderating
from tests.support.pages import signed_in, text
from tests.support.replies import unclear_reply

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(db: None) -> User:
    """An administrator, who may see people."""
    return person("Root", is_staff=True, is_superuser=True)


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return table_of(alice, bob, name="Übers Meer")


def found(user: User, words: str) -> list[str]:
    """What the search finds: the page that it leads to, or the links of the list."""
    answer = moderating(user).get(f"/admin/search/?{urlencode({'q': words})}")
    if answer.status_code == 302:
        return [answer["Location"]]
    assert answer.status_code == 200
    return re.findall(r'<td><a href="([^"]*)"', text(answer))


def reply_of(game: Game, user: User) -> InboundMail:
    """A reply with a Message-ID."""
    reply = unclear_reply(game, user)
    reply.message_id = f"<{user.pk}@mail.example.org>"
    reply.save()
    return reply


def page_of(row: Game | User | OutboxMail | InboundMail) -> str:
    return reverse(f"admin:games_{row._meta.model_name}_change", args=[row.pk])


def test_each_list_that_can_be_searched_has_a_box_of_its_own(admin: User) -> None:
    lists = [row for row in admin_site.moderation_site._registry.values() if row.search_fields]
    assert lists
    for row in lists:
        path = reverse(f"admin:games_{row.opts.model_name}_changelist")
        page = text(moderating(admin).get(path))
        assert 'name="q"' in page, path
        assert 'action="/admin/search/"' not in page, path


def test_the_first_page_has_the_box(mona: User) -> None:
    page = text(moderating(mona).get("/admin/"))
    assert '<form id="search" role="search" action="/admin/search/">' in page
    assert 'name="q"' in page


@pytest.mark.parametrize(
    "words",
    [
        "{id}",
        "{ID}",
        " {id} ",
        "https://games.example.org/g/{id}/",
        "/g/{id}/?typed=x",
        "Übers Meer",
        "übers",
        "ÜBERS M",
    ],
)
def test_a_table_is_found_by_id_link_and_the_beginning_of_its_name(
    game: Game, mona: User, words: str
) -> None:
    written = words.format(id=game.public_id, ID=game.public_id.upper())
    assert found(mona, written) == [page_of(game)]


@pytest.mark.parametrize("words", ["Meer", "%", "_bers", "bers", "/g/abcdefghijkl/", "\\"])
def test_nothing_else_of_a_name_finds_a_table(game: Game, mona: User, words: str) -> None:
    page = text(moderating(mona).get("/admin/search/", {"q": words}))
    assert "Nothing was found. Names are found by their beginning." in page


def test_several_tables_are_a_list_in_the_order_of_their_names(
    alice: User, bob: User, mona: User
) -> None:
    second, first = (table_of(alice, bob, name=name) for name in ("Storm b", "storm A"))
    assert found(mona, "STORM") == [page_of(first), page_of(second)]


def test_a_list_ends_after_twenty_tables(alice: User, bob: User, mona: User) -> None:
    model = table_of(alice, bob)
    for _table in range(25):
        model.pk = None
        model.public_id, model.invite_token = (f"{_table:z>12}", f"{_table:z>26}")
        model.save()
    assert len(found(mona, "Round")) == admin_site.MOST


@pytest.mark.parametrize("words", ["Alice", "aLi", "alice@example.org", "ALICE@EX"])
def test_a_person_is_found_by_name_and_by_those_who_may_see_people_by_address(
    alice: User, admin: User, mona: User, words: str
) -> None:
    person_page = reverse("admin:games_user_conduct", args=[alice.pk])
    assert found(admin, words) == [person_page]
    assert found(mona, words) == ([] if "@" in words else [person_page])
    mona.user_permissions.add(Permission.objects.get(codename="view_user"))
    assert found(mona, words) == [person_page]


def test_no_address_is_shown_to_a_moderator_who_finds_people(alice: User, mona: User) -> None:
    person("Alicia")
    page = text(moderating(mona).get("/admin/search/", {"q": "Alic"}))
    assert "Alicia" in page
    assert "@example.org" not in page


def test_an_email_is_found_by_its_message_id(game: Game, alice: User, mona: User) -> None:
    sent, came = row_for(game, Kind.TURN), reply_of(game, alice)
    assert found(mona, sent.message_id) == [page_of(sent)]
    assert found(mona, sent.message_id.strip("<>")) == [page_of(sent)]
    assert found(mona, came.message_id) == [page_of(came)]
    assert found(mona, sent.message_id[:-3]) == []


def test_a_moderator_who_plays_finds_no_emails_of_the_others(mona: User, bob: User) -> None:
    own = table_of(bob, mona)
    came, sent = reply_of(own, bob), row_for(own, Kind.TURN, bob)
    assert found(mona, came.message_id) == found(mona, sent.message_id) == []
    other = person("Root", is_staff=True)
    assert found(other, came.message_id) == [page_of(came)]
    assert found(other, sent.message_id) == [page_of(sent)]


@pytest.mark.parametrize("words", ["", " ", "x\0", "y" * 400])
def test_words_that_cannot_be_searched_for_are_no_error(mona: User, words: str) -> None:
    page = moderating(mona).get("/admin/search/", {"q": words})
    assert page.status_code == 200
    assert "errorlist" in text(page)


def test_nobody_else_searches(game: Game, alice: User, client: Client) -> None:
    for browser in (client, signed_in(alice)):
        assert browser.get("/admin/search/", {"q": game.public_id}).status_code == 302


# -- the lists -----------------------------------------------------------------------------


def listed(user: User, model: str, words: str) -> int:
    """How many rows the list of this model shows for these words."""
    page = moderating(user).get(reverse(f"admin:games_{model}_changelist"), {"q": words})
    return text(page).count('class="action-select"') or text(page).count('class="field-name')


def test_the_list_of_games_finds_the_same_and_the_tables_of_people(
    game: Game, alice: User, admin: User, mona: User
) -> None:
    for words in (game.public_id, f"/g/{game.public_id}/", "übers"):
        assert listed(mona, "game", words) == 1
    for words, of_moderator in (("Alice", 1), ("bob@", 0)):
        assert listed(admin, "game", words) == 1
        assert listed(mona, "game", words) == of_moderator


def test_lists_are_searched_for_addresses_by_those_who_may_see_people(
    game: Game, admin: User, mona: User
) -> None:
    assert listed(admin, "outboxmail", "alice@example") > 0
    assert listed(mona, "outboxmail", "alice@example") == 0
    assert listed(mona, "outboxmail", game.public_id) > 0


# -- indexes -------------------------------------------------------------------------------


def plan_of(rows: QuerySet[Game]) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
    return str(rows.explain())


def test_the_beginning_of_a_name_is_a_range_of_an_index(game: Game) -> None:
    plan = plan_of(admin_site.tables_found("Über")[:20])
    assert "games_game_name_begins" in plan
    assert "Index Cond" in plan
    assert "Sort" not in plan
