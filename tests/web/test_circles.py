"""Circles: joined by a member's own yes, and seen by nobody else."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from games import selectors, services
from games.mail.compose import MailComposer
from games.management.commands.verify import verify_game
from games.models import Action, Circle, Decision, Game, Invitation, Membership, OutboxMail, User
from games.web.players import player_key
from tests.factories import (
    fresh,
    given_up,
    log_of,
    person,
    play_to_the_end,
    seats_of,
    table_of,
)
from tests.support import moderators
from tests.support.pages import new_table, page_of, signed_in, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]


@pytest.fixture
def circle(alice: User, bob: User) -> Circle:
    """Alice's circle, of which Bob is a member."""
    made = services.circle_create(founder=alice, name="Sunday table")
    return services.circle_join(token=made.join_token, user=bob)


def page(circle: Circle, user: User) -> str:
    return text(signed_in(user).get(f"/circles/{circle.public_id}/"))


def press(circle: Circle, user: User, button: str, **more: str) -> str:
    client = signed_in(user)
    client.post(f"/circles/{circle.public_id}/", {button: "1", **more})
    return text(client.get("/circles/"))


def members(circle: Circle) -> set[str]:
    return {member.user.name for member in selectors.members(circle)}


def mails(circle: Circle) -> QuerySet[OutboxMail]:
    return OutboxMail.objects.filter(kind="invitation", game=None)


# -- joining -----------------------------------------------------------------------------------


def test_whoever_founds_a_circle_is_its_first_member(alice: User) -> None:
    client = signed_in(alice)
    shown = text(client.post("/circles/", {"name": "Sunday table"}, follow=True))
    assert "Members: 1 of at most 30" in shown
    assert "Sunday table" in text(client.get("/circles/"))


def test_a_circle_has_a_name_without_a_link(alice: User) -> None:
    assert "cannot contain links" in text(
        signed_in(alice).post("/circles/", {"name": "www.example.org"}, follow=True)
    )
    assert not Circle.objects.exists()


def test_its_link_says_who_sees_what_and_a_click_joins(circle: Circle, carol: User) -> None:
    client, link = signed_in(person("Dan")), f"/circles/join/{circle.join_token}/"
    shown = text(client.get(link))
    assert "Alice invites you to the circle “Sunday table”" in shown
    assert "Nobody else sees who is in it." in shown
    assert members(circle) == {"Alice", "Bob"}, "a look joins nobody"
    assert "You are a member of “Sunday table” now." in text(
        client.post(link, {"accept": "1"}, follow=True)
    )
    assert members(circle) == {"Alice", "Bob", "Dan"}


def test_a_visitor_joins_by_signing_in(circle: Circle) -> None:
    link = f"/circles/join/{circle.join_token}/"
    answer = Client().post(link, {"accept": "1", "display_name": "Zoe"})
    assert answer["Location"].startswith("/accounts/login/?next=")


def test_an_invited_address_gets_an_email_and_joins_by_it(circle: Circle, alice: User) -> None:
    press(circle, alice, "invite", address="zoe@example.net", message="Come!", language="en")
    (row,) = mails(circle)
    mail = MailComposer().compose(row)
    assert mail.subject == "Alice invites you to the circle “Sunday table”"
    assert "Come!" in mail.body
    invitation = Invitation.objects.get(circle=circle)
    assert f"/circles/join/{invitation.token}/" in mail.body
    zoe = User.objects.create_user("zoe@example.net", display_name="Zoe")
    signed_in(zoe).post(f"/circles/join/{invitation.token}/", {"accept": "1"})
    assert "Zoe" in members(circle)
    invitation.refresh_from_db()
    assert invitation.answer == Invitation.Answer.ACCEPTED


def test_an_invitation_is_used_once(circle: Circle, alice: User, carol: User) -> None:
    sent = services.circle_invite(circle_id=circle.pk, by=alice, address="zoe@example.net")
    services.circle_join(token=sent.token, user=carol)
    with pytest.raises(services.NotAllowed, match="already been accepted"):
        services.circle_join(token=sent.token, user=person("Dan"))


def test_an_invitation_can_be_declined_and_then_sent_again(circle: Circle, alice: User) -> None:
    sent = services.circle_invite(circle_id=circle.pk, by=alice, address="zoe@example.net")
    again = services.circle_invite(circle_id=circle.pk, by=alice, address="zoe@example.net")
    assert again == sent, "an address is asked once"
    Client().post(f"/circles/join/{sent.token}/", {"decline": "1"})
    second = services.circle_invite(circle_id=circle.pk, by=alice, address="zoe@example.net")
    assert second.asked == 2
    assert mails(circle).count() == 2


def test_who_has_declined_twice_is_not_asked_again(circle: Circle, alice: User) -> None:
    for _time in range(2):
        sent = services.circle_invite(circle_id=circle.pk, by=alice, address="zoe@example.net")
        Client().post(f"/circles/join/{sent.token}/", {"decline": "1"})
    last = services.circle_invite(circle_id=circle.pk, by=alice, address="zoe@example.net")
    assert (last, mails(circle).count()) == (sent, 2)


def test_the_founder_does_not_learn_which_address_a_member_has(
    circle: Circle, alice: User, bob: User
) -> None:
    client = signed_in(alice)
    path = f"/circles/{circle.public_id}/"
    answers = set[str]()
    for address in (bob.email, "nobody@example.org"):
        form = {"invite": "1", "address": address, "language": "en"}
        shown = text(client.post(path, form, follow=True))
        answers.add(
            shown.partition('class="messages"')[2].partition("</div>")[0].replace(address, "")
        )
    assert len(answers) == 1


def test_only_the_founder_invites(circle: Circle, bob: User) -> None:
    with pytest.raises(services.NotAllowed):
        services.circle_invite(circle_id=circle.pk, by=bob, address="zoe@example.net")
    assert "Invite members" not in page(circle, bob)
    assert circle.join_token not in page(circle, bob)


def test_an_old_link_invites_nobody(circle: Circle, alice: User) -> None:
    press(circle, alice, "replace_link")
    answer = Client().get(f"/circles/join/{circle.join_token}/")
    assert answer.status_code == 404


def test_a_circle_has_at_most_thirty_members(circle: Circle) -> None:
    for number in range(28):
        services.circle_join(token=circle.join_token, user=person(f"Guest{number}"))
    with pytest.raises(services.ServiceError, match="30 members"):
        services.circle_join(token=circle.join_token, user=person("Late"))


def test_a_person_is_in_at_most_ten_circles(alice: User) -> None:
    for number in range(10):
        services.circle_create(founder=alice, name=f"Circle {number}")
    with pytest.raises(services.ServiceError, match="already in 10 circles"):
        services.circle_create(founder=alice, name="One more")


# -- who sees it --------------------------------------------------------------------------------


def test_strangers_former_members_and_nobody_get_the_same_answer(
    circle: Circle, bob: User, carol: User
) -> None:
    services.circle_leave(circle_id=circle.pk, user=bob)
    answers = {
        text(signed_in(user).get(path)).replace(path, "").replace(user.name, "")
        for user, path in (
            (bob, f"/circles/{circle.public_id}/"),
            (bob, "/circles/abcdefghijkl/"),
        )
    }
    assert len(answers) == 1
    for user in (bob, carol):
        assert signed_in(user).get(f"/circles/{circle.public_id}/").status_code == 404
        assert signed_in(user).post(f"/circles/{circle.public_id}/").status_code == 404
    assert "Sunday table" not in text(signed_in(bob).get("/circles/"))


def test_nothing_of_a_circle_shows_on_a_profile(circle: Circle, alice: User, bob: User) -> None:
    assert "Sunday table" not in text(signed_in(bob).get(f"/players/{player_key(alice)}/"))


# -- leaving, handing over, closing -----------------------------------------------------------


def test_leaving_takes_a_tick(circle: Circle, bob: User) -> None:
    press(circle, bob, "leave")
    assert members(circle) == {"Alice", "Bob"}
    press(circle, bob, "leave", sure="1")
    assert members(circle) == {"Alice"}


def test_who_clicks_twice_on_leaving_reads_so_on_the_list_of_circles(
    circle: Circle, bob: User
) -> None:
    client, path = signed_in(bob), f"/circles/{circle.public_id}/"
    clicks = [client.post(path, {"leave": "1", "sure": "1"}) for _click in range(2)]
    assert [click["Location"] for click in clicks] == ["/circles/", "/circles/"]
    assert "You have left “Sunday table”." in text(client.get("/circles/"))


def test_a_founder_who_leaves_passes_the_circle_on(
    circle: Circle, alice: User, bob: User, carol: User
) -> None:
    services.circle_join(token=circle.join_token, user=carol)
    services.circle_leave(circle_id=circle.pk, user=alice)
    circle.refresh_from_db()
    assert circle.founder == bob


def told_founders() -> list[tuple[str, str]]:
    """(name, subject) of each email to a founder."""
    rows = OutboxMail.objects.filter(kind="account", dedupe_key__contains=":circle:")
    return [(row.user.name, row.context["subject"]) for row in rows.order_by("pk") if row.user]


def test_whoever_becomes_the_founder_gets_one_email(
    circle: Circle, alice: User, bob: User, carol: User
) -> None:
    services.circle_join(token=circle.join_token, user=carol)
    services.circle_leave(circle_id=circle.pk, user=alice)
    services.circle_hand_over(circle_id=circle.pk, by=bob, to=carol)
    assert told_founders() == [
        ("Bob", "You’re the founder of “Sunday table” now"),
        ("Carol", "Die Runde „Sunday table“ leitest jetzt du"),
    ]
    mail = OutboxMail.objects.filter(kind="account", user=carol).get()
    assert f"/circles/{circle.public_id}/" in MailComposer().compose(mail).body


def test_nobody_is_told_of_becoming_the_founder_of_a_closed_circle(
    circle: Circle, alice: User
) -> None:
    services.circle_close(circle_id=circle.pk, by=alice)
    services.circle_leave(circle_id=circle.pk, user=alice)
    assert told_founders() == []


def test_before_a_founder_leaves_the_page_says_who_comes_after(
    circle: Circle, alice: User, bob: User
) -> None:
    assert "When you leave, Bob becomes the founder." in page(circle, alice)
    assert "becomes the founder" not in page(circle, bob)
    services.circle_leave(circle_id=circle.pk, user=bob)
    assert "when you leave, it is deleted" in page(circle, alice)


def test_a_circle_is_not_passed_on_to_somebody_who_is_suspended(
    circle: Circle, alice: User, bob: User, carol: User, ada: User
) -> None:
    services.circle_join(token=circle.join_token, user=carol)
    services.moderate_suspend(user=bob, ruling=services.Ruling(ada, "Insults"), until=None)
    services.circle_leave(circle_id=circle.pk, user=alice)
    circle.refresh_from_db()
    assert circle.founder == carol


def test_the_last_one_who_leaves_ends_the_circle(circle: Circle, alice: User, bob: User) -> None:
    for user in (alice, bob):
        services.circle_leave(circle_id=circle.pk, user=user)
    assert not Circle.objects.exists()


def test_a_second_click_on_leaving_finds_no_circle(circle: Circle, alice: User, bob: User) -> None:
    for user in (alice, bob):
        services.circle_leave(circle_id=circle.pk, user=user)
    with pytest.raises(services.ServiceError, match="There is no such circle"):
        services.circle_leave(circle_id=circle.pk, user=bob)


def test_the_founder_hands_the_circle_over(circle: Circle, alice: User, bob: User) -> None:
    press(circle, alice, "hand_over", member=player_key(bob))
    circle.refresh_from_db()
    assert circle.founder == alice, "without “Yes, I’m sure”"
    press(circle, alice, "hand_over", member=player_key(bob), sure="1")
    circle.refresh_from_db()
    assert circle.founder == bob
    assert "Invite members" not in page(circle, alice)


def test_a_circle_is_not_handed_over_to_somebody_who_may_not_act(
    circle: Circle, alice: User, bob: User
) -> None:
    services.account_close(user=bob)
    with pytest.raises(services.ServiceError, match="cannot run the circle now"):
        services.circle_hand_over(circle_id=circle.pk, by=alice, to=bob)


@pytest.mark.parametrize("way", ["suspended", "closing"])
def test_a_founder_who_may_not_act_passes_the_circle_on(
    circle: Circle, alice: User, ada: User, way: str
) -> None:
    if way == "closing":
        services.account_close(user=alice)
    else:
        services.moderate_suspend(user=alice, ruling=services.Ruling(ada, "Insults"), until=None)
    assert [name for name, _subject in told_founders()] == ["Bob"]


def test_whom_the_founder_removes_returns_by_a_personal_invitation_only(
    circle: Circle, alice: User, bob: User
) -> None:
    press(circle, alice, "remove", member=player_key(bob))
    assert members(circle) == {"Alice", "Bob"}, "without “Yes, I’m sure”"
    press(circle, alice, "remove", member=player_key(bob), sure="1")
    assert members(circle) == {"Alice"}
    with pytest.raises(services.NotAllowed, match="removed you"):
        services.circle_join(token=circle.join_token, user=bob)
    sent = services.circle_invite(circle_id=circle.pk, by=alice, address=bob.email)
    services.circle_join(token=sent.token, user=bob)
    assert members(circle) == {"Alice", "Bob"}


def test_another_member_removes_and_closes_nothing(circle: Circle, alice: User, bob: User) -> None:
    press(circle, bob, "remove", member=player_key(alice), sure="1")
    press(circle, bob, "close", sure="1")
    circle.refresh_from_db()
    assert members(circle) == {"Alice", "Bob"}
    assert not circle.is_closed


def test_a_closed_circle_is_read_and_joined_by_nobody_more(
    circle: Circle, alice: User, bob: User, carol: User
) -> None:
    press(circle, alice, "close", sure="1")
    assert "This circle is closed" in page(circle, bob)
    with pytest.raises(services.ServiceError, match="closed"):
        services.circle_join(token=circle.join_token, user=carol)


# -- accounts -----------------------------------------------------------------------------------


def test_a_deleted_account_leaves_its_circles(circle: Circle, alice: User, bob: User) -> None:
    User.objects.filter(pk=alice.pk).update(closes_at=timezone.now())
    services.accounts_delete_due()
    circle.refresh_from_db()
    assert circle.founder == bob
    assert members(circle) == {"Bob"}
    assert Membership.objects.count() == 1


def test_the_download_of_ones_data_has_the_circles(circle: Circle, bob: User) -> None:
    (row,) = selectors.personal_data(bob)["circles"]
    assert (row["name"], row["is_founder"], row["left_at"]) == ("Sunday table", False, None)


def test_the_download_of_who_has_left_has_no_later_name(
    circle: Circle, alice: User, carol: User
) -> None:
    EmailAddress.objects.create(user=carol, email=carol.email, verified=True)
    sent = services.circle_invite(circle_id=circle.pk, by=alice, address=carol.email)
    services.circle_join(token=sent.token, user=carol)
    assert selectors.personal_data(carol)["invitations_received"][0]["circle"] == "Sunday table"
    services.circle_remove(circle_id=circle.pk, by=alice, member=carol)
    data = selectors.personal_data(carol)
    assert [row["name"] for row in data["circles"]] == [None]
    assert [row["circle"] for row in data["invitations_received"]] == [None]


# -- moderators ---------------------------------------------------------------------------------


def test_a_moderator_renames_a_circle_and_its_founder_reads_why(
    circle: Circle, alice: User, mona: User
) -> None:
    ruling = services.Ruling(mona, "It insults Bob.")
    services.moderate_circle_rename(circle_id=circle.pk, ruling=ruling, title="Circle of Alice")
    circle.refresh_from_db()
    assert circle.name == "Circle of Alice"
    decision = Decision.objects.get(action=Action.RENAME_CIRCLE)
    assert decision.person == alice
    row = OutboxMail.objects.get(kind="decision", user=alice)
    mail = MailComposer().compose(row).body
    assert "Sunday table" in mail
    assert "It insults Bob." in mail
    appeal = services.appeal_make(decision_id=decision.pk, text="It was a joke.")
    other = person("Max", is_staff=True)
    services.appeal_answer(
        appeal_id=appeal.pk, lifts=True, ruling=services.Ruling(other, "It was.")
    )
    circle.refresh_from_db()
    assert circle.name == "Sunday table"


def test_nobody_judges_the_circle_of_somebody_with_whom_they_play(
    circle: Circle, alice: User, mona: User
) -> None:
    table_of(alice, mona)
    other = person("Max", is_staff=True)
    with pytest.raises(services.NotAllowed, match="You play with this person"):
        services.moderate_circle_close(circle_id=circle.pk, ruling=services.Ruling(mona, "Spam."))
    services.moderate_circle_close(circle_id=circle.pk, ruling=services.Ruling(other, "Spam."))


def test_nobody_judges_a_circle_in_which_they_are_or_were(circle: Circle, mona: User) -> None:
    other = person("Max", is_staff=True)
    services.circle_join(token=circle.join_token, user=mona)
    for _time in range(2):
        ruling = services.Ruling(mona, "Spam.")
        with pytest.raises(services.NotAllowed, match="You play with this person"):
            services.moderate_circle_close(circle_id=circle.pk, ruling=ruling)
        services.circle_leave(circle_id=circle.pk, user=mona)
    services.moderate_circle_close(circle_id=circle.pk, ruling=services.Ruling(other, "Spam."))


def test_the_desk_lists_no_invitation_to_a_circle_or_its_tables(
    circle: Circle, alice: User, carol: User, mona: User
) -> None:
    services.circle_invite(circle_id=circle.pk, by=alice, address=carol.email)
    table_of(alice, seats=2, circle_id=circle.pk)
    assert Invitation.objects.count() == 2
    desk = moderators.moderating(mona)
    assert "0 invitations" in text(desk.get("/admin/games/invitation/"))
    for invitation in Invitation.objects.all():
        page = desk.get(f"/admin/games/invitation/{invitation.pk}/change/", follow=True)
        assert invitation.masked_address not in text(page)


def test_a_moderator_closes_a_circle_at_the_desk(circle: Circle, mona: User) -> None:
    desk = moderators.moderating(mona)
    answer = desk.get(f"/admin/games/circle/{circle.pk}/change/", follow=True)
    assert "Close the circle" in text(answer)
    assert circle.join_token not in text(answer)
    asked = moderators.press(desk, "circle", circle.pk, "close", reason="Spam.")
    assert "Circle “Sunday table”" in asked, "as the founder will read it"
    moderators.confirm(desk, "circle", circle.pk, "close", asked, reason="Spam.")
    circle.refresh_from_db()
    assert circle.is_closed


# -- tables for a circle ------------------------------------------------------------------------


@pytest.fixture
def table(circle: Circle, alice: User, carol: User) -> Game:
    """Alice's table of two, for the circle, in which Carol is, too."""
    services.circle_join(token=circle.join_token, user=carol)
    return table_of(alice, seats=2, circle_id=circle.pk)


def test_the_form_offers_ones_circles_and_the_page_of_one_chooses_it(
    circle: Circle, alice: User, bob: User
) -> None:
    client, key = signed_in(alice), f"circle-{circle.public_id}"
    form = text(client.get(f"/new/?circle={circle.public_id}"))
    chosen = re.search(rf'value="{key}"[^>]* checked', form)
    assert chosen, "its circle is chosen"
    game = new_table(client, is_open=key)
    assert (game.circle, game.is_open) == (circle, False)
    assert log_of(game).table.circle == circle.public_id
    assert verify_game(game.pk)[2] == []


def test_the_form_of_a_circle_begins_with_a_seat_for_each_member(
    circle: Circle, alice: User, carol: User, dave: User
) -> None:
    def seats(kind: str) -> str:
        form = text(signed_in(alice).get(f"/new/?circle={circle.public_id}&game={kind}"))
        found = re.search(r'name="seat_count" value="(\d)"[^>]* checked', form)
        return found[1] if found else ""

    assert seats("atlantis") == "2"
    for number in range(5):
        services.circle_join(token=circle.join_token, user=person(f"Guest{number}"))
        if number == 0:
            assert seats("atlantis") == "3"
    assert (seats("atlantis"), seats("escape")) == ("4", "4")


@pytest.mark.parametrize("way", ["closed", "left"])
def test_an_old_link_to_the_form_of_a_circle_offers_the_invitation_link(
    circle: Circle, alice: User, bob: User, way: str
) -> None:
    if way == "closed":
        services.circle_close(circle_id=circle.pk, by=alice)
    else:
        services.circle_leave(circle_id=circle.pk, user=bob)
    form = text(signed_in(bob).get(f"/new/?circle={circle.public_id}"))
    assert "This circle is closed, or you have left it." in form
    assert re.search(r'name="is_open" value="link"[^>]* checked', form)
    assert "for your circle" not in form


def test_a_circle_of_others_is_none_for_a_table(circle: Circle, carol: User) -> None:
    with pytest.raises(services.NotAllowed, match="not a member"):
        table_of(carol, seats=2, circle_id=circle.pk)


def test_nobody_makes_a_table_for_a_closed_circle(circle: Circle, alice: User) -> None:
    services.circle_close(circle_id=circle.pk, by=alice)
    with pytest.raises(services.NotAllowed, match="closed"):
        table_of(alice, seats=2, circle_id=circle.pk)


def test_free_seats_are_offered_to_the_other_members_once(
    table: Game, alice: User, bob: User, carol: User
) -> None:
    offered = OutboxMail.objects.filter(kind="invitation", game=table)
    assert {row.user for row in offered} == {bob, carol}
    said = " ".join(str(MailComposer().compose(offered.get(user=bob)).body).split())
    assert "This table was made for the circle “Sunday table”." in said


def test_nobody_is_invited_by_somebody_whom_they_block(
    circle: Circle, alice: User, bob: User
) -> None:
    services.person_block(user=alice, person=bob, is_blocked=True)
    alice.refresh_from_db()
    made = table_of(alice, seats=2, circle_id=circle.pk)
    assert not OutboxMail.objects.filter(kind="invitation", game=made).exists()


def test_members_watch_and_join_without_a_link_and_strangers_do_not(
    table: Game, bob: User, dave: User
) -> None:
    assert "This table was made for the circle “Sunday table”." in page_of(table, bob)
    assert signed_in(dave).get(url(table)).status_code == 404
    with pytest.raises(services.NotAllowed):
        services.game_join(game_id=table.pk, user=dave)
    services.game_join(game_id=table.pk, user=bob)
    assert fresh(table).status == Game.Status.RUNNING


def test_whoever_leaves_the_circle_watches_no_more(table: Game, bob: User, circle: Circle) -> None:
    services.circle_leave(circle_id=circle.pk, user=bob)
    assert signed_in(bob).get(url(table)).status_code == 404


def test_whoever_is_no_member_any_more_has_no_seat_on_offer(
    table: Game, circle: Circle, alice: User, bob: User, carol: User
) -> None:
    offered = Invitation.objects.get(game=table, invitee=bob).token
    services.circle_remove(circle_id=circle.pk, by=alice, member=bob)
    assert Client().get(f"/i/{offered}/").status_code == 404
    with pytest.raises(services.NotAllowed):
        services.game_join(game_id=table.pk, user=bob, token=offered)
    assert Invitation.objects.get(game=table).invitee == carol


def test_whoever_has_played_the_game_before_keeps_the_offer_of_a_rematch(
    circle: Circle, alice: User, bob: User
) -> None:
    again = services.game_rematch(game_id=given_up(alice, bob, circle_id=circle.pk).pk, by=alice)
    services.circle_leave(circle_id=circle.pk, user=bob)
    assert again.invitations.get().invitee == bob


def test_the_invitation_says_for_which_circle_the_table_is(table: Game) -> None:
    shown = text(Client().get(f"/i/{table.invite_token}/"))
    assert "This table was made for the circle “Sunday table”." in shown
    assert "/circles/" not in shown, "nobody but members has a link"


def test_the_page_of_the_circle_lists_its_tables(table: Game, circle: Circle, bob: User) -> None:
    assert table.name in page(circle, bob)


def test_the_record_of_the_game_names_the_circle_by_its_key(
    table: Game, circle: Circle, bob: User, alice: User
) -> None:
    services.game_join(game_id=table.pk, user=bob)
    over = play_to_the_end(table)
    record = "\n".join(selectors.record_lines(selectors.game_for(alice, over.public_id)))
    assert circle.public_id in record
    assert "Sunday table" not in record


def test_a_rematch_asks_the_circle_and_lets_the_next_player_begin(
    circle: Circle, alice: User, bob: User, carol: User
) -> None:
    services.circle_join(token=circle.join_token, user=carol)
    first = given_up(alice, bob, circle_id=circle.pk)
    again = services.game_rematch(game_id=first.pk, by=alice)
    assert again.circle == circle
    assert {sent.invitee for sent in again.invitations.all()} == {bob, carol}
    services.game_rematch(game_id=first.pk, by=bob)
    assert [seat.user for seat in seats_of(again)] == [bob, alice]


def test_rematches_of_others_do_not_use_up_those_with_a_member_who_did_not_play(
    circle: Circle, alice: User, bob: User, carol: User, dave: User
) -> None:
    """An address gets 10 invitations to rematches a day from those it has played with."""
    services.circle_join(token=circle.join_token, user=carol)
    erin = person("Erin")
    for _time in range(5):
        for host in (alice, bob):
            first = given_up(host, erin, circle_id=circle.pk)
            services.game_rematch(game_id=first.pk, by=host)
    over = given_up(carol, dave)
    assert services.game_rematch(game_id=over.pk, by=dave).invitations.get().invitee == carol


def test_a_rematch_of_somebody_who_left_is_for_no_circle(
    circle: Circle, alice: User, bob: User
) -> None:
    first = given_up(alice, bob, circle_id=circle.pk)
    services.circle_leave(circle_id=circle.pk, user=bob)
    assert services.game_rematch(game_id=first.pk, by=bob).circle is None


# -- standings ----------------------------------------------------------------------------------


@pytest.fixture
def over(circle: Circle, alice: User, bob: User) -> Game:
    """A game of Alice and Bob for the circle, played to the end."""
    return play_to_the_end(table_of(alice, bob, circle_id=circle.pk))


def first_and_last(game: Game) -> tuple[str, str]:
    ranked = sorted(seats_of(game), key=lambda seat: seat.number not in (game.winners or ()))
    return str(ranked[0].user), str(ranked[-1].user)


def test_the_page_has_the_standings_of_those_who_played(
    over: Game, circle: Circle, bob: User
) -> None:
    winner, loser = first_and_last(over)
    shown = " ".join(re.sub(r"<[^>]+>", " ", page(circle, bob)).split())
    assert f"Fewer than five games {winner} 1 game, 1 win, beat 100% of the others" in shown
    assert f"{loser} 1 game, 0 wins, beat 0% of the others" in shown
    assert "1 to 0, 0 tied" in shown or "0 to 1, 0 tied" in shown


def test_who_leaves_is_nameless_at_once_and_the_results_of_others_stay(
    over: Game, circle: Circle, alice: User, bob: User
) -> None:
    before = selectors.standings_of(circle)
    services.circle_leave(circle_id=circle.pk, user=alice)
    assert selectors.standings_of(circle) == before
    standing = page(circle, bob).partition('id="standings-title"')[2].partition("</section>")[0]
    assert "a former member" in standing
    assert "Alice" not in standing
    assert "the tables at which you played still show it" in " ".join(page(circle, bob).split())


def test_a_deleted_account_has_no_row_but_was_beaten(
    over: Game, circle: Circle, alice: User, bob: User
) -> None:
    before = selectors.standings_of(circle).row_of(bob.pk)
    User.objects.filter(pk=alice.pk).update(closes_at=timezone.now())
    services.accounts_delete_due()
    assert selectors.standings_of(circle).row_of(bob.pk) == before
    assert "Alice" not in page(circle, bob)


def test_the_standings_of_many_games_take_few_queries(
    over: Game, circle: Circle, django_assert_max_num_queries: Any
) -> None:
    selectors.standings_of(circle)
    with django_assert_max_num_queries(3):
        selectors.standings_of(circle)


def test_the_email_about_the_end_has_a_line_of_standings_for_members(
    over: Game, circle: Circle, alice: User, bob: User
) -> None:
    services.circle_leave(circle_id=circle.pk, user=bob)
    said = {
        row.user: " ".join(str(MailComposer().compose(row).body).split())
        for row in OutboxMail.objects.filter(kind="over", game=over)
    }
    assert re.search(r"“Sunday table”: you have beaten \d+% of the others in 1 game\.", said[alice])
    assert "Sunday table" not in said[bob]


def test_the_founder_declares_a_game_as_not_counted_and_takes_that_back(
    over: Game, circle: Circle, alice: User, bob: User
) -> None:
    before = selectors.standings_of(circle)
    press(circle, alice, "uncount", game=over.public_id, reason="Bob’s cat played")
    assert selectors.standings_of(circle).few == ()
    assert "have been left out of the standings" in page(circle, bob)
    assert "has ended with a result yet" not in page(circle, bob)
    assert f"“{over.name}” does not count: Bob’s cat played" in page(circle, bob)
    assert "Count it again" not in page(circle, bob)
    signed_in(alice).post(f"/circles/{circle.public_id}/", {"count": over.public_id})
    assert selectors.standings_of(circle) == before
    assert "does not count" not in page(circle, bob)


def test_a_game_is_declared_as_not_counted_by_the_founder_with_a_reason_alone(
    over: Game, circle: Circle, alice: User, bob: User
) -> None:
    press(circle, bob, "uncount", game=over.public_id, reason="I lost")
    press(circle, alice, "uncount", game=over.public_id, reason=" ")
    elsewhere = play_to_the_end(table_of(alice, bob))
    press(circle, alice, "uncount", game=elsewhere.public_id, reason="Not ours")
    assert not selectors.uncounted_games(circle)
    assert selectors.standings_of(circle).few
