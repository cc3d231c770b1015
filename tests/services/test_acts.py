"""Each act in each state of a person or a table, as acts.txt says: done, refused or asked.

A cell is one letter: "d" done, and its person reads so; "r" refused with words; "a" asked back; "s"
silent, nothing is done and nobody is told; "w" done without a word. Lines with an "s" or a "w" end
with "#" and the reason.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import get_args

import pytest
from allauth.account.models import EmailAddress
from django.urls import URLPattern
from django.utils import timezone

from games import services
from games.inbound import commands
from games.mail import signed_links
from games.models import CredentialChange, Game, User, address_digest, database_clock
from games.web import urls
from tests.factories import (
    fresh,
    log_of,
    miss_deadline,
    play_one,
    play_to_the_end,
    seats_of,
    table_of,
)
from tests.support import acts
from tests.support.lengths import by_length
from tests.support.pages import url
from tests.support.replies import line_of
from tests.support.rolled_back import rolled_back

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "clock"), pytest.mark.long]

WEEK = timedelta(days=7)
PARTS = ("people", "tables, the host", "tables, another player")
TABLE = Path(__file__).with_name("acts.txt")
State = Callable[[], object]
Act = Callable[[], str]


def written(part: str) -> tuple[list[str], dict[str, str], dict[str, str]]:
    """The states of a part of acts.txt, and for each act its letters and its reason."""
    _before, _mark, rest = TABLE.read_text().partition(f"## {part}\n")
    lines = rest.partition("\n## ")[0].strip().splitlines()
    rows, reasons = {}, {}
    for line in lines[1:]:
        cells, _hash, reason = line.partition("#")
        name, _gap, letters = cells.rstrip().rpartition("  ")
        rows[name.strip()], reasons[name.strip()] = letters, reason.strip()
    return lines[0].removeprefix("states: ").split(", "), rows, reasons


def check(part: str, states: Mapping[str, State], found: Mapping[str, str]) -> None:
    """Compare the letters that were found with those of the file."""
    columns, rows, reasons = written(part)
    width = max(map(len, found))
    lines = [f"{act:<{width}}  {letters}" for act, letters in found.items()]
    now = "\n".join([f"## {part}", f"states: {', '.join(states)}", *lines])
    assert (columns, rows) == (list(states), dict(found)), f"as it is now:\n{now}"
    unexplained = [act for act, row in rows.items() if set(row) & set("sw") and not reasons[act]]
    assert not unexplained, "silence and acts without a word need a reason"


# -- people ----------------------------------------------------------------------------------


def changed(user: User, **fields: object) -> None:
    User.objects.filter(pk=user.pk).update(**fields)


def frozen(user: User) -> None:
    """Its owner has pressed "This was not me"; the primary address is the thief's by then."""
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    user.address_records.update(verified_at=timezone.now() - 5 * WEEK)
    EmailAddress.objects.create(user=user, email="mallory@example.com", verified=True)
    change = user.credential_changes.get(kind=CredentialChange.Kind.ADDRESS_ADDED)
    services.change_dispute(change=change)
    changed(user, email="mallory@example.com")


def people_states(alice: User, bob: User) -> dict[str, State]:
    later = timezone.now() + WEEK
    today = database_clock.now().date()
    return {
        "ordinary": lambda: None,
        "away": lambda: services.absence_enter(
            user=alice, first=today, last=today + WEEK, now=database_clock.now()
        ),
        "suspended": lambda: changed(alice, suspended_until=later),
        "frozen": lambda: frozen(alice),
        "closing": lambda: changed(alice, closes_at=later),
        "at its end": lambda: changed(alice, closes_at=timezone.now() - WEEK),
        "bounced": lambda: changed(alice, mail_trouble=f"bounce:{address_digest(alice.email)}"),
        "emails off": lambda: services.all_mail_switch(user=alice, off=True),
        "nameless": lambda: changed(alice, display_name=""),
        "blocks": lambda: changed(alice, blocked=[bob.pk]),
        "is blocked": lambda: changed(bob, blocked=[alice.pk]),
    }


def with_open_seat(*people: User) -> Game:
    game = table_of(*people, timeout_policy=Game.TimeoutPolicy.OPEN)
    miss_deadline(game)
    play_one(game)
    miss_deadline(game)
    return fresh(game)


def people_acts(alice: User, bob: User, carol: User) -> dict[str, Act]:
    """Acts of Alice: at her table she is asked; she could take part in others."""
    game = table_of(alice, bob, carol)
    waiting, open_game = table_of(bob, seats=2), with_open_seat(bob, carol)
    lost = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.SEAT1)
    miss_deadline(lost)
    left = table_of(alice, bob, carol)
    services.game_resign(game_id=left.pk, user=bob)
    late = table_of(bob, carol, alice)  # Alice waits for Bob
    miss_deadline(late)
    own_circle = services.circle_create(founder=alice, name="Sunday")
    circled = table_of(alice, bob, circle_id=own_circle.pk)
    joinable = services.circle_create(founder=bob, name="Monday")
    line, version, asked = line_of(game), fresh(game).version, seats_of(game)[0].asked_seq
    assert asked is not None
    services.message_write(game_id=game.pk, user=alice, text="Hello")
    services.message_write(game_id=game.pk, user=bob, text="Hello, Alice")
    own, other = game.messages.order_by("pk").values_list("pk", flat=True)
    services.change_report(user=alice, kind=CredentialChange.Kind.FACTOR_REMOVED)
    change = alice.credential_changes.latest("pk")
    key = services.feed_key_create(user=alice, kind="news")

    def me() -> User:
        return User.objects.get(pk=alice.pk)

    def page(table: Game, rest: str, **form: object) -> Act:
        return lambda: acts.by_page(me(), url(table, rest), form)

    def site(path: str, **form: object) -> Act:
        return lambda: acts.by_page(me(), path, form)

    def reply(said: str, table: Game = game, seat: int = 0) -> Act:
        return lambda: acts.by_reply(table, seat, me(), said)

    def link(make: Callable[[User], str]) -> Act:
        return lambda: acts.by_link(make(me()))

    form = {
        "name": "Sunday",
        "seat_count": 3,
        "bots": 0,
        "pace_days": 5,
        "is_open": "link",
        "resign_policy": "end",
        "timeout_policy": "seat1",
        "option_order": "seated",
    }
    return {
        "page move": page(game, "play", line=line, version=version),
        "page talk": page(game, "talk", message="Good luck"),
        "page delete message": page(game, "talk/delete", key=own),
        "page report message": page(game, f"report/message/{other}/", text="Insult"),
        "page report player": page(game, "report/1/", text="Insult"),
        "page mute": page(game, "talk/mute", seat=1, mute="yes"),
        "page block": page(game, "block", seat=1),
        "page vote": page(game, "vote", about="cancel"),
        "page give a day": page(late, "give-day", late=0),
        "page nudge": page(late, "nudge", late=0),
        "page resign": page(game, "resign", sure="1"),
        "page join": page(waiting, "join"),
        "page take over": page(open_game, "take-over", seat=0),
        "page take back": page(lost, "take-back"),
        "page offer seat": page(left, "open-seat", seat=1),
        "page create": site("/new/?game=atlantis", **form),
        "page found circle": site("/circles/", name="Tuesday"),
        "page join circle": site(f"/circles/join/{joinable.join_token}/", accept="1"),
        "page name": site("/settings/name/", display_name="Alicia"),
        "page keep account": site("/settings/delete/cancel/"),
        "reply move": reply(line),
        "reply say": reply("say: good luck"),
        "reply vote": reply("vote cancel"),
        "reply give a day": reply("give a day", late, 2),
        "reply nudge": reply("nudge Bob", late, 2),
        "reply resign": reply("resign"),
        "reply report": reply("report Bob insults"),
        "reply away": reply("away until 12 January"),
        "reply stop emails": reply("stop emails"),
        "reply stop": reply("stop"),
        "reply status": reply("status"),
        "reply help": reply("help"),
        "reply leave circle": reply("leave circle Sunday", circled),
        "reply take back": reply("take my seat back", lost),
        "link turn": link(lambda user: signed_links.turn_path(game.public_id, 0, asked, user)),
        "link unsubscribe": link(lambda user: signed_links.off_path(game.public_id, user)),
        "link unsubscribe kind": link(lambda user: signed_links.kind_off_path("vote", user)),
        "link not me": lambda: acts.by_page(bob, signed_links.not_me_path(change.pk), FREEZE),
        "link feed": lambda: acts.by_look(f"/feed/{key}/turns.atom"),
    }


FREEZE: dict[str, object] = {"action": "freeze"}


def test_acts_of_people_in_each_state(alice: User, bob: User, carol: User) -> None:
    states, known = people_states(alice, bob), people_acts(alice, bob, carol)
    check("people", states, letters(states, known))


def letters(states: Mapping[str, State], known: Mapping[str, Act]) -> dict[str, str]:
    """For each act its letters, one for each state."""
    found = dict.fromkeys(known, "")
    for begin in states.values():
        with rolled_back():
            begin()
            for name, act in known.items():
                with rolled_back():
                    found[name] += act()
    return found


# -- tables ----------------------------------------------------------------------------------


def table_states(alice: User, bob: User, carol: User, ada: User) -> dict[str, Callable[[], Game]]:
    """Tables of Alice, the host, whose turn it is, Bob and Carol."""

    def of(change: Callable[[Game], object] = fresh, **more: object) -> Callable[[], Game]:
        def make() -> Game:
            game = table_of(alice, bob, carol, **more)  # type: ignore[arg-type]
            change(game)
            return fresh(game)

        return make

    def vote(game: Game, about: str, **more: object) -> None:
        services.vote_open(game_id=game.pk, user=alice, about=about, **more)  # type: ignore[arg-type]

    def agreed(game: Game, about: str, **more: object) -> None:
        vote(game, about, **more)
        for person in (bob, carol):
            found = log_of(game).vote
            if found is not None:
                services.vote_answer(game_id=game.pk, user=person, vote=found.seq, agrees=True)

    def rolled(game: Game) -> None:
        seq = log_of(game).version
        play_one(game)
        moderation(services.moderate_rollback, game, to_seq=seq)

    def moderation(service: Callable[..., object], game: Game, **more: object) -> None:
        service(game_id=game.pk, ruling=services.Ruling(ada, "Because"), **more)

    day = database_clock.now().date() + timedelta(days=14)
    seat1 = Game.TimeoutPolicy.SEAT1
    return {
        "waiting": of(seats=4),
        "running": of(),
        "late": of(miss_deadline),
        "paused by vote": of(lambda game: agreed(game, "pause", until=day)),
        "paused by moderator": of(lambda game: moderation(services.moderate_pause, game)),
        "vote open": of(lambda game: vote(game, "cancel")),
        "over": of(play_to_the_end),
        "cancelled": of(lambda game: agreed(game, "cancel")),
        "closed before start": of(lambda game: moderation(services.moderate_abort, game), seats=4),
        "rolled back": of(rolled),
        "bot in seat": of(miss_deadline, timeout_policy=seat1),
        "messages closed": of(talk_open=False),
    }


def table_acts(game: Game, person: User, seat: int, bob: User) -> dict[str, Act]:
    """Acts of one of the people at a table. They write to the address of the seat."""
    asked = fresh(game).status == Game.Status.RUNNING and bool(fresh(game).to_act)
    line = line_of(game) if asked else "pass"
    vote = log_of(game).vote
    key = vote.seq if vote is not None else 1

    def page(rest: str, **form: object) -> Act:
        return lambda: acts.by_page(person, url(game, rest), form)

    def reply(said: str) -> Act:
        return lambda: acts.by_reply(game, seat, person, said)

    return {
        "page move": page("play", line=line, version=game.version),
        "page move with note": page("play", line=line, version=game.version, note="Hm"),
        "page talk": page("talk", message="Good luck"),
        "page pause": page("vote", about="pause", until=str(database_clock.now().date() + WEEK)),
        "page resume": page("vote", about="resume"),
        "page cancel": page("vote", about="cancel"),
        "page take back a move": page("vote", about="take_back"),
        "page agree": page("vote/answer", vote=key, answer="yes"),
        "page give a day": page("give-day", late=0),
        "page nudge": page("nudge", late=0),
        "page resign": page("resign", sure="1"),
        "page leave": page("leave"),
        "page start": page("start"),
        "page add bot": page("bot"),
        "page take seat back": page("take-back"),
        "page offer seat": page("open-seat", seat=0),
        "page rematch": page("rematch"),
        "page emails": page("mails", off="1"),
        "page report": page("report/1/", text="Insult") if person != bob else page("report/0/"),
        "reply move": reply(line),
        "reply move with note": reply(f"{line}\nnote: Hm"),
        "reply say": reply("say: good luck"),
        "reply pause": reply("vote pause until 20 January"),
        "reply resume": reply("vote resume"),
        "reply cancel": reply("vote cancel"),
        "reply take back a move": reply("vote take back"),
        "reply yes": reply("yes"),
        "reply give a day": reply("give a day"),
        "reply nudge": reply("nudge"),
        "reply resign": reply("resign"),
        "reply undo": reply("undo"),
        "reply take seat back": reply("take my seat back"),
        "reply status": reply("status"),
        "reply away": reply("away until 12 January"),
        "reply stop emails": reply("stop emails"),
        "reply stop": reply("stop"),
    }


@pytest.mark.parametrize("who", by_length(["alice"], ["alice", "bob"]))
def test_acts_at_tables_in_each_state(
    alice: User, bob: User, carol: User, ada: User, who: str
) -> None:
    seat, person = ((0, alice), (1, bob))[who == "bob"]
    states, found = table_states(alice, bob, carol, ada), dict[str, str]()
    for make in states.values():
        with rolled_back():
            known = table_acts(make(), User.objects.get(pk=person.pk), seat, bob)
            for name, act in known.items():
                with rolled_back():
                    found[name] = found.get(name, "") + act()
    check(f"tables, {'the host' if who == 'alice' else 'another player'}", states, found)


# -- nothing is missing ------------------------------------------------------------------------

# The forms at a table by the name of their address, and the line about each.
FORMS = {
    "play": "page move",
    "talk": "page talk",
    "talk_delete": "page delete message",
    "talk_mute": "page mute",
    "block": "page block",
    "report_player": "page report",
    "message_report": "page report message",
    "join": "page join",
    "leave": "page leave",
    "start": "page start",
    "add_bot": "page add bot",
    "game_email": "page emails",
    "resign": "page resign",
    "rematch": "page rematch",
    "take_back": "page take seat back",
    "take_over": "page take over",
    "seat_open": "page offer seat",
    "vote_ask": "page cancel",
    "vote_answer": "page agree",
    "day_give": "page give a day",
    "nudge": "page nudge",
}
# Forms and pages without a line, and why.
FORMLESS = {
    "look": "game board_svg board_png position_png game_version choices position record",
    "for the host alone, see tests/web/test_waiting_table.py": "talk_switch remove_bot remove_player "
    "invite replace_link",
    "about somebody who is late, see tests/web/test_buttons_of_tables.py": "host_call excuse step_in",
    "change nothing that others see": "turn_scope_close no_more_hints talk_seen",
}
COMMANDS = {
    "Move": "reply move",
    "Say": "reply say",
    "Report": "reply report",
    "Resign": "reply resign",
    "SwitchMail": "reply stop emails",
    "Status": "reply status",
    "Help": "reply help",
    "StopAll": "reply stop",
    "Undo": "reply undo",
    "Away": "reply away",
    "LeaveCircle": "reply leave circle",
    "GiveDay": "reply give a day",
    "Nudge": "reply nudge",
    "TakeBack": "reply take seat back",
    "AskVote": "reply cancel",
    "AnswerVote": "reply yes",
}
# Commands without a line: they show something, or answer or go with what has a line.
COMMANDLESS = {
    "Show",
    "Legal",
    "Preview",
    "Note",
    "ShowWords",
    "ShowOrders",
    "ShowStandings",
    "Rules",
    "Answer",
}


def test_no_act_and_no_state_is_missing() -> None:
    lines = "\n".join(row for part in PARTS for row in written(part)[1])
    assert not [row for row in [*FORMS.values(), *COMMANDS.values()] if row not in lines]
    at_tables = {
        str(pattern.name)
        for pattern in urls.urlpatterns
        if isinstance(pattern, URLPattern) and str(pattern.pattern).startswith("g/<")
    }
    assert at_tables == set(FORMS) | set(" ".join(FORMLESS.values()).split())
    named = {one.__name__ for one in get_args(commands.AnyAct)}
    assert named == set(COMMANDS) | COMMANDLESS


def test_the_tables_have_each_status(alice: User, bob: User, carol: User, ada: User) -> None:
    found = set[str]()
    for make in table_states(alice, bob, carol, ada).values():
        with rolled_back():
            found.add(make().status)
    assert found == set(Game.Status.values)
