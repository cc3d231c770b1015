"""Limits on what reaches other people or costs work: no number of tries or processes exceeds
them."""

import logging
import re
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation
from pytest_django import Settings

from games import services
from games.models import Game, Invitation, OutboxMail, QuotaUse, User
from games.services import QuotaExceeded, quotas
from games.services.locked_game import LockedGame
from games.services.quota_subjects import Scope
from tests.factories import fresh, given_up, person, play_one, quota_windows_end, table_of
from tests.support.forked_work import forked
from tests.support.moderators import give_factor, moderating

pytestmark = pytest.mark.django_db

DOCUMENTED = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"


def open_table(host: User) -> Game:
    return table_of(host, seats=3)


def invite(game: Game, by: User, address: str) -> Invitation:
    return services.game_invite(game_id=game.pk, by=by, address=address)


# -- counting ------------------------------------------------------------------------------------


def test_a_refusal_counts_in_no_quota_of_the_action(alice: User, settings: Settings) -> None:
    """Four hosts have written to Zoe; Alice keeps the invitation that was refused."""
    settings.QUOTAS = {"invitations_person_day": 2, "invitations_address_day": 1}
    invite(open_table(person("Hugo")), User.objects.get(display_name="Hugo"), "zoe@example.org")
    game = open_table(alice)
    with pytest.raises(QuotaExceeded, match="This address has reached the limit"):
        invite(game, alice, "zoe@example.org")
    for address in ("yves@example.org", "xenia@example.org"):
        invite(game, alice, address)
    with pytest.raises(QuotaExceeded, match="You have reached the limit"):
        invite(game, alice, "will@example.org")


def test_a_window_starts_with_the_first_use_and_starts_again(
    alice: User, settings: Settings
) -> None:
    settings.QUOTAS = {"invitations_person_day": 1}
    game = open_table(alice)
    invite(game, alice, "zoe@example.org")
    with pytest.raises(QuotaExceeded) as refused:
        invite(game, alice, "yves@example.org")
    left = refused.value.until - timezone.now() if refused.value.until else None
    assert left is not None
    assert timedelta(hours=23) < left <= timedelta(days=1)
    assert 23 * 3600 < refused.value.retry_after <= 24 * 3600
    quota_windows_end()
    invite(game, alice, "yves@example.org")
    assert QuotaUse.objects.get(quota="invitations_person_day").used == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", r"You have reached the limit for invitations \(1 per day\)\. Try again after "),
        (
            "de",
            r"Du hast das Limit für Einladungen erreicht \(1 pro Tag\)\. Versuche es ab .* noch einmal",
        ),
        ("fr", r"Vous avez atteint la limite pour les invitations \(1 par jour\)\. "),
    ],
)
def test_the_refusal_names_limit_and_time_in_each_language(
    alice: User, settings: Settings, language: str, words: str
) -> None:
    settings.QUOTAS = {"invitations_person_day": 1}
    game = open_table(alice)
    invite(game, alice, "zoe@example.org")
    with translation.override(language), pytest.raises(QuotaExceeded, match=words) as refused:
        invite(game, alice, "yves@example.org")
    assert re.search(r"\d\d:\d\d", refused.value.text)


def test_counting_takes_one_statement_for_all_quotas_of_an_action(alice: User) -> None:
    game = open_table(alice)
    with CaptureQueriesContext(connection) as sent:
        quotas.spend(quotas.INVITATIONS, person=alice, addresses=["zoe@x.org"], table=game)
    assert len(sent) == 1


def test_a_new_kind_registers_in_one_line(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "REGISTRY", dict(quotas.REGISTRY))
    pushes = quotas.register("pushes", quotas.INVITATIONS.quotas[0].what, person_hour=2)
    for _push in range(2):
        quotas.spend(pushes, person=alice)
    with pytest.raises(QuotaExceeded):
        quotas.spend(pushes, person=alice)
    with pytest.raises(ValueError, match="per hour or per day"):
        quotas.register("pushes", quotas.INVITATIONS.quotas[0].what, person_week=2)


def test_an_action_without_any_of_its_subjects_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match="replies"):
        quotas.spend(quotas.REPLIES)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("203.0.113.7", "203.0.113.7", True),
        ("203.0.113.7", "203.0.113.8", False),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("2001:db8:1:2::1", "2001:db8:1:ff::2", True),
        ("2001:db8:1:2::1", "2001:db8:1:100::1", False),
        ("no address", "no address", True),
    ],
)
def test_addresses_of_one_network_count_together(
    settings: Settings, first: str, second: str, same: bool
) -> None:
    settings.QUOTAS = {"exports_network_hour": 1}
    quotas.spend(quotas.EXPORTS, network=first)
    if same:
        with pytest.raises(QuotaExceeded, match="too many requests for downloads"):
            quotas.spend(quotas.EXPORTS, network=second)
    else:
        quotas.spend(quotas.EXPORTS, network=second)


def test_no_counter_holds_an_address_or_a_network(alice: User) -> None:
    quotas.spend(quotas.SIGN_IN_CODES, addresses=[" Zoe@Example.org"], network="203.0.113.7")
    quotas.spend(quotas.SIGN_IN_CODES, addresses=["zoe@example.org"], network="203.0.113.7")
    found = QuotaUse.objects.values_list("subject", "used")
    assert all(used == 2 for _subject, used in found)
    assert not [subject for subject, _used in found if "zoe" in subject or "203" in subject]


# -- parallel processes ------------------------------------------------------------------------


def accepted(action: Callable[[], object], tries: int) -> int:
    """Count the tries that were not refused."""
    count = 0
    for _try in range(tries):
        try:
            action()
        except QuotaExceeded:
            continue
        count += 1
    return count


@pytest.mark.django_db(transaction=True)
def test_ten_processes_never_exceed_a_limit(settings: Settings) -> None:
    settings.QUOTAS = {
        "sign_in_codes_source_hour": 17,
        "sign_in_codes_source_day": 17,
        "sign_in_codes_network_hour": 23,
    }

    def ask(number: int) -> int:
        def code() -> None:
            with transaction.atomic():
                quotas.spend(
                    quotas.SIGN_IN_CODES,
                    addresses=[f"{number % 2}@example.org"],
                    network="203.0.113.7",
                )

        return accepted(code, 5)

    with forked(ask, 10) as counts:
        assert sum(counts) == 23
    used = QuotaUse.objects.filter(quota="sign_in_codes_source_hour").values_list("used")
    assert sum(count for (count,) in used) == 23
    assert max(count for (count,) in used) <= 17


@pytest.mark.django_db(transaction=True)
def test_ten_processes_open_no_more_tables_than_allowed(alice: User) -> None:
    def host(_number: int) -> int:
        return accepted(lambda: open_table(alice), 2)

    with forked(host, 10) as counts:
        assert sum(counts) == 5
    assert Game.objects.filter(host=alice).count() == 5


# -- tables, invitations, rematches --------------------------------------------------------------


def test_tables_that_run_are_limited_as_well(alice: User, settings: Settings) -> None:
    """Forty in ten seconds, each with bots only."""
    settings.QUOTAS = {"tables_person_day": 3}
    for _table in range(3):
        table_of(alice, bots=1)
    with pytest.raises(QuotaExceeded, match=r"the limit for new tables \(3 per day\)"):
        table_of(alice, bots=1)
    assert Game.objects.count() == 3


def test_nobody_takes_part_in_more_games_than_allowed(
    alice: User, bob: User, settings: Settings
) -> None:
    settings.QUOTAS = {"games_at_once_person": 2}
    game = open_table(bob)
    first, _second = table_of(alice, bots=1), table_of(alice, bots=1)
    with pytest.raises(QuotaExceeded, match="already in 2 games"):
        services.game_join(game_id=game.pk, user=alice)
    with pytest.raises(QuotaExceeded, match="already in 2 games"):
        table_of(alice, bots=1)
    services.game_resign(game_id=first.pk, user=alice)
    services.game_join(game_id=game.pk, user=alice)


def test_asking_for_a_rematch_over_and_over_sends_few_invitations(alice: User, bob: User) -> None:
    """Thirty invitations in sixteen seconds: leave the new table, and ask again."""
    old = given_up(alice, bob)
    for _time in range(3):
        again = services.game_rematch(game_id=old.pk, by=alice)
        services.game_leave(game_id=again.pk, user=alice)
    with pytest.raises(QuotaExceeded, match="You have reached the limit for rematches"):
        services.game_rematch(game_id=old.pk, by=alice)
    assert OutboxMail.objects.filter(kind="invitation", to_address=bob.email).count() == 3
    assert Game.objects.filter(rematch_of=old).count() == 3


def test_a_person_is_asked_for_rematches_at_all_tables_together(
    alice: User, bob: User, carol: User, settings: Settings
) -> None:
    settings.QUOTAS = {"rematches_address_day": 1}
    first, second = (given_up(host, bob) for host in (alice, carol))
    services.game_rematch(game_id=first.pk, by=alice)
    with pytest.raises(QuotaExceeded, match="This address has reached the limit for rematches"):
        services.game_rematch(game_id=second.pk, by=carol)
    assert not fresh(second).rematches.exists()


def test_the_address_of_a_refused_invitation_stands_in_the_form_again(
    client: Client, alice: User, settings: Settings
) -> None:
    settings.QUOTAS = {"invitations_person_day": 0}
    game = open_table(alice)
    client.force_login(alice)
    page = client.post(
        f"/g/{game.public_id}/invite", {"address": "zoe@example.org"}, follow=True
    ).content.decode()
    assert "You have reached the limit for invitations" in page
    assert "zoe@example.org</textarea>" in page


MODERATIONS: dict[str, Callable[[Game, User, User], object]] = {
    "pausing": lambda game, by, _to: services.moderate_pause(
        game_id=game.pk, ruling=services.Ruling(by, "x")
    ),
    "aborting": lambda game, by, _to: services.moderate_abort(
        game_id=game.pk, ruling=services.Ruling(by, "x")
    ),
    "a bot's turn": lambda game, by, _to: services.moderate_play_bot(
        game_id=game.pk, seat=game.to_act[0], ruling=services.Ruling(by, "x")
    ),
    "signing somebody out": lambda _game, by, to: services.moderate_sessions(
        user=to, ruling=services.Ruling(by, "x")
    ),
    "closing an account": lambda _game, by, to: services.moderate_close(
        user=to, ruling=services.Ruling(by, "x")
    ),
    "removing a second factor": lambda _game, by, to: services.moderate_factor(
        factor=give_factor(to), ruling=services.Ruling(by, "x")
    ),
    "retrying emails": lambda _game, by, _to: services.mails_retry(ids=[], by=by),
    "trying the mail server": lambda _game, by, _to: services.transport_retry(by=by),
}


@pytest.mark.parametrize("action", MODERATIONS)
def test_what_moderators_do_is_limited(
    alice: User, bob: User, ada: User, settings: Settings, action: str
) -> None:
    game = table_of(alice, bob)
    settings.QUOTAS = {"moderations_person_hour": 1}
    services.moderate_extend(game_id=game.pk, days=1, ruling=services.Ruling(ada, "x"))
    give_factor(alice)
    emails = OutboxMail.objects.count()
    with pytest.raises(QuotaExceeded, match="the limit for moderation actions"):
        MODERATIONS[action](fresh(game), ada, alice)
    assert OutboxMail.objects.count() == emails
    settings.QUOTAS = {}
    quota_windows_end()
    MODERATIONS[action](fresh(game), ada, alice)


def test_asking_for_a_deletion_over_and_over_sends_few_emails(
    alice: User, settings: Settings
) -> None:
    settings.QUOTAS = {"account_changes_person_day": 2}
    services.account_close(user=alice)
    services.account_keep(user=alice)
    with pytest.raises(QuotaExceeded, match="the limit for account changes"):
        services.account_close(user=alice)


def test_absences_are_changed_only_so_often(alice: User, settings: Settings) -> None:
    settings.QUOTAS = {"absences_person_day": 1}
    now = timezone.now()
    day = (now + timedelta(days=3)).date()
    services.absence_enter(user=alice, first=day, last=day, now=now)
    with pytest.raises(QuotaExceeded, match="the limit for changes to absences"):
        services.absence_end(user=alice, first=day, now=now)


def test_notes_by_email_are_limited_and_the_note_is_quoted(
    alice: User, bob: User, settings: Settings
) -> None:
    settings.QUOTAS = {"messages_person_hour": 0}
    game = table_of(alice, bob)
    play_one(game)
    with transaction.atomic(), pytest.raises(QuotaExceeded, match="the limit for messages"):
        services.note_add_locked(LockedGame(game.pk), alice, "Good luck!")


def test_too_many_downloads_get_a_page_that_says_when_to_come_back(
    client: Client, alice: User, bob: User, settings: Settings
) -> None:
    settings.QUOTAS = {"exports_person_hour": 1, "exports_network_hour": 1}
    game = given_up(alice, bob)
    url = f"/g/{game.public_id}/record.jsonl"
    for _reader in range(2):
        assert client.get(url).status_code == 200
        refused = client.get(url)
        assert refused.status_code == 429
        assert 3500 < int(refused["Retry-After"]) <= 3600
        assert "downloads of games" in refused.content.decode()
        client.force_login(alice)  # who has a limit of her own


# -- what moderators and operators see -----------------------------------------------------------


def test_a_refusal_outlives_the_transaction_that_it_ends(alice: User, settings: Settings) -> None:
    settings.QUOTAS = {"tables_person_day": 0}
    for _try in range(3):
        with pytest.raises(QuotaExceeded):
            open_table(alice)
    use = QuotaUse.objects.get(quota="tables_person_day")
    assert (use.subject, use.used, use.limit, use.refused) == (str(alice.pk), 0, 0, 3)
    assert use.refused_at is not None


def test_only_the_first_refusal_of_a_window_is_logged(
    alice: User, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.QUOTAS = {"tables_person_day": 0, "tables_service_hour": 0}
    for _try in range(3):
        with pytest.raises(QuotaExceeded):
            open_table(alice)
    (line,) = [record for record in caplog.records if "Limit exceeded" in record.message]
    assert (line.levelno, line.name) == (logging.WARNING, "games.services.quotas")


def test_a_limit_of_the_whole_service_is_an_error_in_the_log(
    alice: User, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.QUOTAS = {"tables_service_hour": 0}
    with pytest.raises(QuotaExceeded, match="too many requests for new tables"):
        open_table(alice)
    (line,) = [record for record in caplog.records if "Limit exceeded" in record.message]
    assert (line.levelno, line.message) == (
        logging.ERROR,
        "Limit exceeded: tables_service_hour (0) ",
    )


def test_moderators_see_who_exceeded_which_limit(
    client: Client, alice: User, mona: User, settings: Settings
) -> None:
    settings.QUOTAS = {"tables_person_day": 0}
    with pytest.raises(QuotaExceeded):
        open_table(alice)
    quotas.spend(quotas.EXPORTS, person=mona)
    moderating(mona, client)
    page = client.get("/admin/games/quotause/").content.decode()
    assert "tables_person_day" in page
    assert "Alice" in page
    assert page.count(">exports_person_hour<") == 1  # the filter: this limit is not exceeded
    assert client.get("/admin/games/quotause/?q=tables").status_code == 200


def test_counters_go_when_they_are_over_and_refusals_after_a_month(
    alice: User, settings: Settings
) -> None:
    quotas.spend(quotas.MESSAGES, person=alice)
    settings.QUOTAS = {"tables_person_day": 0}
    with pytest.raises(QuotaExceeded):
        open_table(alice)
    assert quotas.purge_old() == 0
    QuotaUse.objects.update(ends_at=timezone.now() - timedelta(days=2))
    assert quotas.purge_old() > 0
    assert [use.quota for use in QuotaUse.objects.all()] == ["tables_person_day"]
    QuotaUse.objects.update(refused_at=timezone.now() - timedelta(days=31))
    assert quotas.purge_old() == 1


# -- settings ------------------------------------------------------------------------------------


def test_a_wrong_name_in_the_setting_stops_the_service(settings: Settings) -> None:
    quotas.check_setting()
    settings.QUOTAS = {"invitation_person_day": 3}
    with pytest.raises(ImproperlyConfigured, match="invitation_person_day"):
        quotas.check_setting()


def test_the_documentation_lists_each_limit_with_its_default() -> None:
    listed = re.findall(r"^\| `([a-z_]+)` \| (\d+) \|", DOCUMENTED.read_text(), re.MULTILINE)
    assert listed == [(name, str(quota.default)) for name, quota in quotas.REGISTRY.items()]


# -- whose limit it is -------------------------------------------------------------------------

# Whose acts can use up the limit of another, nevertheless. docs/configuration.md says why.
SHARED = {
    "OWN_CODES": "whoever has signed in with the address",
}


@pytest.mark.parametrize(
    "name", sorted(name for name, found in vars(quotas).items() if isinstance(found, quotas.Quotas))
)
def test_what_one_person_does_never_uses_up_the_limit_of_another(
    alice: User, bob: User, settings: Settings, name: str
) -> None:
    """At one table, to one address, from two networks, with the limits of the service."""
    action, game = getattr(quotas, name), table_of(alice, bob)
    if not any(quota.per for quota in action.quotas):
        return

    def use(by: User, network: str) -> None:
        to = ["zoe@example.org"]
        quotas.spend(action, person=by, addresses=to, table=game, network=network, code=network)

    with pytest.raises(QuotaExceeded):
        for _use in range(500):
            use(alice, "203.0.113.7")
    with pytest.raises(QuotaExceeded) if name in SHARED else nullcontext():
        use(bob, "198.51.100.7")


def test_every_limit_that_others_can_reach_is_explained() -> None:
    text = DOCUMENTED.read_text().partition("### Limits that somebody else can use up")[2]
    named = [re.escape(found).replace("…", ".*") for found in re.findall(r"`([\w…]+)`", text)]
    reached = [
        quota.name
        for quota in quotas.REGISTRY.values()
        if quota.scope in {Scope.ADDRESS, Scope.TABLE, Scope.NETWORK, Scope.SERVICE}
    ]
    assert [name for name in reached if not any(re.fullmatch(one, name) for one in named)] == []


def test_a_host_who_opens_and_closes_talk_all_day_keeps_no_moderator_out(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    with pytest.raises(QuotaExceeded):
        for number in range(200):
            services.talk_switch(game=game, user=alice, is_open=number % 2 == 0)
    services.moderate_rename(game_id=game.pk, ruling=services.Ruling(mona, "Insult"), title="Quiet")
