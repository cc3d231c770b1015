"""A standby takes over from a server that was killed, as docs/scaling.md says."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from atlantis_site.supervisor.postgres import Postgres
from atlantis_site.supervisor.stack import ServiceStack
from tests.support import pgbouncer, replication
from tests.support.processes import kill, run_warm, wait_for

pytestmark = [
    pytest.mark.long,
    pytest.mark.processes,
    pytest.mark.usefixtures("needs_pgbouncer"),
]

GAMES, MOVES = 2, 16


@pytest.fixture
def primary(
    make_stack: Callable[..., ServiceStack], monkeypatch: pytest.MonkeyPatch
) -> ServiceStack:
    """A service whose PostgreSQL may have a standby."""
    monkeypatch.setattr("tests.support.processes.VOLATILE_SETTINGS", replication.SETTINGS)
    stack = make_stack()
    replication.allow(stack.postgres)
    pgbouncer.let_in(stack.postgres.sockets, stack.postgres.data)  # the standby has that account
    return stack


@pytest.fixture
def standby(primary: ServiceStack, tmp_path: Path) -> Iterator[Postgres]:
    """A synchronous standby: a commit of the primary waits until it is here, too."""
    server, folder = primary.postgres, primary.postgres.sockets.parent
    data = folder / "standby"
    options = ("--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf")
    replication.base_backup(server, data, *options)
    standby = Postgres(
        data, folder / "standby-run", tmp_path / "standby.log", settings=replication.SETTINGS
    )
    standby.sockets.parent.mkdir()
    with ExitStack() as after:
        after.callback(standby.child.stop)
        standby.start()
        pgbouncer.let_in(standby.sockets, standby.data)
        replication.reload_settings(server, synchronous_standby_names="*")
        with server.connect("postgres", "postgres") as connection:
            wait_for(
                lambda: (
                    connection.execute("SELECT sync_state FROM pg_stat_replication").fetchone()
                    == ("sync",)
                ),
                "the synchronous standby",
            )
        yield standby


def moves_of(log: Path) -> list[tuple[int, int]]:
    """(game, version) of each move that the player knows to be made."""
    words = [line.split() for line in log.read_text().splitlines()]
    return [(int(game), int(version)) for kind, game, version in filter(is_move, words)]


def is_move(words: list[str]) -> bool:
    return words[:1] == ["moved"] and len(words) == 3


def test_no_accepted_move_is_lost_with_the_server(primary: ServiceStack, standby: Postgres) -> None:
    server = primary.postgres
    with pgbouncer.running(server.sockets, server.data, primary.logs / "pgbouncer.log") as folder:
        url = (
            f"postgresql://atlantis_app@{str(folder).replace('/', '%2F')}:{pgbouncer.PORT}/atlantis"
        )
        player = replication.player(primary, GAMES, MOVES, DATABASE_URL=url, PGBOUNCER="1")
        player.start()
        wait_for(lambda: len(moves_of(player.log)) >= MOVES // 4, "the first moves")
        kill(server.child)
        before = moves_of(player.log)
        assert len(before) < MOVES
        with standby.connect("postgres", "postgres") as connection:
            assert connection.execute("SELECT pg_promote()").fetchone() == (True,)
        pgbouncer.lead_to(folder, standby.sockets)
        wait_for(lambda: not player.running, "the last move")
        assert "done" in player.log.read_text(), player.last_output()

    here = {(game, seq) for game, seq, _digest in replication.moves(standby)}
    assert {*before} <= {*moves_of(player.log)} <= here
    env = {**primary.env, "DATABASE_URL": standby.url()}
    verified = run_warm(("python", "manage.py", "verify"), env, primary.logs / "verify.log")
    assert f"{GAMES} in order, 0 not" in verified
