"""Absences, lost seats and time control on a phone, with and without JavaScript."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page

from games.models import Game, Seat, User
from tests.factories import miss_deadline, play_one, table_of
from tests.support.lengths import by_length

from .expectations import expect
from .people import Enter, table

PHONE = {"width": 360, "height": 740}


def fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.long
@pytest.mark.parametrize("scripts", by_length([False], [True, False]))
def test_time_on_a_phone(enter: Enter, alice: User, bob: User, dave: User, scripts: bool) -> None:
    """These pages have no script of their own: the short form is without any, the long one also
    with.

    The short form chooses the first and the last option of each list, the long one all.
    """
    User.objects.update(language="en")
    options = {"viewport": PHONE, "java_script_enabled": scripts}
    host = enter(alice, **options)
    host.goto("/new/?game=atlantis")
    host.get_by_text("Choose everything yourself").click()
    for name, number in (("pace_days", 7), ("bank_days", None), ("min_in_time", None)):
        select = host.locator(f"select[name={name}]")
        assert number in (None, select.locator("option").count())
        values = [option.get_attribute("value") for option in select.locator("option").all()]
        for value in values[:: by_length(len(values) - 1, 1)]:
            select.select_option(value)
            fits(host)
    for name in ("bank_returns", "weekends_off", "no_newcomers"):
        host.locator(f"input[name={name}]").check()
    for policy in Game.TimeoutPolicy.values:
        host.locator(f"input[name=timeout_policy][value={policy}]").check()
        fits(host)
    host.locator("input[name=timeout_policy][value=open]").check()
    host.locator("button.big").click()
    expect(host).to_have_url(re.compile("/g/"))
    made = Game.objects.get()
    assert (made.timeout_policy, made.newcomers, made.weekends_off) == ("open", False, True)
    assert (made.pace_days, made.bank_days, made.bank_returns) == (14, 14, True)

    host.goto("/settings/mails/")
    for name in ("remind_half", "remind_day", "remind_last", "quiet"):
        host.locator(f"input[name={name}]").check()
    host.locator("select[name=quiet_from]").select_option("23")
    fits(host)
    host.locator("form.card button").last.click()
    expect(host.locator("input[name=remind_last]")).to_be_checked()
    alice.refresh_from_db()
    assert (alice.reminders, alice.quiet_from) == (("half", "day", "last"), 23)

    host.goto("/settings/absences/")
    first = datetime.now(UTC).date() + timedelta(days=2)
    host.locator("input[name=first]").fill(first.isoformat())
    host.locator("input[name=last]").fill((first + timedelta(days=3)).isoformat())
    host.locator("form.card button").click()
    expect(host.get_by_text("Your absence has been entered.")).to_be_visible()
    fits(host)

    game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.OPEN)
    host.goto("/")
    fits(host)
    host.locator("li.game-row a").first.click()
    host.get_by_text("Why this deadline?").click()
    expect(host.locator("#why-0")).to_be_visible()
    guest = enter(bob, **options)
    guest.goto(table(game))
    expect(guest.get_by_text("Alice will be away from").first).to_be_attached()
    miss_deadline(game)
    play_one(game)
    miss_deadline(game)
    host.goto(table(game))
    host.get_by_role("button", name="Take my seat back").click()
    expect(host.get_by_text("You have your seat back.")).to_be_visible()
    assert Seat.objects.get(game=game, number=0).user == alice

    other = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.OPEN)
    miss_deadline(other)
    play_one(other)
    miss_deadline(other)
    third = enter(dave, **options)
    third.goto(table(other))
    fits(third)
    third.get_by_role("button", name="Take over seat 1").click()
    expect(third.get_by_text("You have taken over the seat.")).to_be_visible()
    assert Seat.objects.get(game=other, number=0).user == dave
