"""Players hold outside evidence: the check codes in their emails fit the record of the game."""

import json
import re

import pytest
from django.conf import settings

from games import selectors, services
from games.mail.compose import MailComposer
from games.models import Game, OutboxMail, User
from games.rules.records import RecordFault
from games.rules.replay import check
from tests.factories import fresh, play_to_the_end, play_turns, table_of
from tests.support.escape_games import escape_table, play_line
from tests.support.tampering import rechained

pytestmark = pytest.mark.django_db


def codes(game: Game, kind: str) -> list[str]:
    """The check codes of all emails of this kind, the same in both parts."""
    found: list[str] = []
    for row in OutboxMail.objects.filter(game=game, kind=kind).order_by("pk"):
        mail = MailComposer().compose(row)
        in_parts = {
            match
            for part in (str(mail.body), str(mail.alternatives[0][0]))
            for match in re.findall(r"Check code:\s+(\d+:[0-9a-f]{10})", part)
        }
        assert len(in_parts) == 1
        for part in (str(mail.body), str(mail.alternatives[0][0])):
            assert f"{settings.SITE_URL}/about/#check-codes" in part  # what it is good for
        found.extend(in_parts)
    return found


def record(game: Game) -> list[bytes]:
    return [line.encode() for line in selectors.record_lines(fresh(game))]


def test_the_codes_of_turns_and_of_the_end_fit_the_record(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 3)
    turns = codes(game, "turn")
    assert len(turns) >= 2
    over = play_to_the_end(game)
    last = codes(over, "over")
    assert len(set(last)) == 1
    (checked,) = check(record(over), [*turns, *last])
    assert last == [f"{over.version}:{checked.code}"] * 2


def test_a_record_with_another_time_does_not_fit_the_codes(alice: User, bob: User) -> None:
    over = play_to_the_end(table_of(alice, bob))
    lines = record(over)
    forged = rechained([line.replace(b'"at":"20', b'"at":"19') for line in lines])
    assert forged != lines
    list(check(forged))  # all digests are recomputed
    with pytest.raises(RecordFault, match="another game"):
        list(check(forged, codes(over, "over")))


def test_a_private_order_does_not_change_the_code(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    before = codes(game, "turn")
    play_line(game, bob, "standing shark always")
    assert codes(game, "turn") == before


def test_the_code_is_no_digest_that_hidden_values_could_be_tried_against(
    alice: User, bob: User
) -> None:
    game = escape_table(alice, bob)
    (code,) = codes(game, "turn")
    digest = event_digest(game, int(code.partition(":")[0]))
    assert code.partition(":")[2] not in digest


def event_digest(game: Game, seq: int) -> str:
    return bytes(game.events.get(seq=seq).digest).hex()


def test_the_record_has_private_orders_and_is_refused_without_them(
    alice: User, bob: User, mona: User
) -> None:
    game = escape_table(alice, bob)
    play_line(game, bob, "standing shark always")
    play_line(game, bob, "plan coast")
    play_line(game, alice, "plan spread")
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "enough"))
    lines = record(game)
    (checked,) = check(lines)
    assert (checked.finished, checked.outcome, checked.fair) == (True, None, True)
    assert [line["order"] for line in map(json.loads, lines[1:]) if "order" in line] == [1, 2]
    with pytest.raises(RecordFault):
        list(check(rechained([line for line in lines if b'"order":2' not in line])))
    without = [line for n, line in enumerate(lines) if n == 0 or "order" not in json.loads(line)]
    with pytest.raises(RecordFault, match="not all private orders"):
        list(check(rechained(without)))
    with pytest.raises(RecordFault):
        list(check([line.replace(b'"at_least":1', b'"at_least":0') for line in lines]))
