"""Whether a move that was prepared on an earlier position still fits the game."""

from games.log import table_events
from games.log.game_log import Log


def is_current(log: Log, seat: int, version: int) -> bool:
    """Whether a move of this seat that was prepared at `version` still fits the game.

    It does while the position is unchanged, and also if only other seats have moved since that
    were asked at the same time or left orders in advance.
    """
    if version > log.version:
        return False
    if log.moved_at <= version:
        return True
    if any(isinstance(e.event, table_events.RolledBack) for e in log.entries if e.seq > version):
        return False
    made = (log.engine.rules.command_of(e.event) for e in log.effective if e.seq > version)
    if any(move is not None and move[0] == seat for move in made):
        return False
    engine, then = log.engine, log.until(version)
    if not then.effective:
        return False
    before = engine.rules.view(then.state, seat)
    if seat not in engine.rules.to_act(then.state):
        return engine.accepts_input(before)
    still = seat in engine.rules.to_act(log.state)
    return still and engine.rules.question(before) == engine.rules.question(
        engine.rules.view(log.state, seat)
    )
