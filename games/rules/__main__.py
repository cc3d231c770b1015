"""The rules from the command line, without a service or a database.

    python -m games.rules selfplay atlantis --players 3 --seed 7 --games 10 > records.jsonl
    python -m games.rules replay records.jsonl

selfplay: whole games of the bot (or of players that pick any legal move), as records.
replay: checks the records of a file, or from standard input. Exit status: 0 consistent and
finished, 3 consistent and not finished, or without digests, 4 not finished although the seed is
revealed, 1 and a sentence at the first fault.
Both exit with 2 where their arguments cannot be used.
With --head, a check code from an email must be that of the record: its last event's, or that of the
event whose number stands before a colon, as in --head 57:0123456789.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from . import GAMES, selfplay
from .chance import SeededChance
from .contract import AnyGame
from .errors import MoveError
from .record_checks import NO_DIGESTS, may_be_head
from .records import RecordFault, record_of
from .replay import Checked, check

REFUSED, UNFINISHED, UNFINISHED_REVEALED = 1, 3, 4  # exit statuses of replay
NO_PROOF = UNFINISHED
UNUSABLE = 2  # the exit status for arguments that cannot be used, as argparse has it


def game_seed(seed: str, number: int) -> bytes:
    """The secret seed of the game of this number in a series."""
    return hashlib.sha256(f"selfplay {seed} {number}".encode()).digest()


def records(
    engine: AnyGame, options: Mapping[str, str], seats: int, seed: str, games: int, *, bots: bool
) -> Iterator[bytes]:
    """The lines of a series of games."""
    options = engine.check_options(options, seats)
    for number in range(games):
        secret = game_seed(seed, number)
        dice = SeededChance(secret, 0)
        player = selfplay.by_bot(engine, secret) if bots else selfplay.by_chance(engine, dice)
        played = selfplay.play(engine, options, seats, secret, player)
        events = [event for _state, news in played for event in news]
        yield from record_of(engine, options, seats, secret, events)


# -- the command line ------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status."""
    args = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = args.run
    try:
        return run(args)
    except BrokenPipeError:  # the reader has closed the pipe
        sys.stderr.close()
        return 0
    except MoveError as error:
        reason = str(error)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    print(reason, file=sys.stderr)
    return UNUSABLE


def _selfplay(args: argparse.Namespace) -> int:
    options = dict(args.option)
    for line in records(
        GAMES[args.game], options, args.players, args.seed, args.games, bots=args.who == "bot"
    ):
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
    return 0


def _replay(args: argparse.Namespace) -> int:
    if args.file is None:
        return _check(sys.stdin.buffer, args)
    with Path(args.file).open("rb") as lines:
        return _check(lines, args)


def _check(lines: Iterable[bytes], args: argparse.Namespace) -> int:
    """Print a line for each record, or the first fault; the exit status."""
    count = status = 0
    try:
        for count, checked in enumerate(check(lines, args.head), 1):
            if not checked.finished:
                status = max(status, UNFINISHED_REVEALED if checked.fair else UNFINISHED)
            if not checked.proves:
                status = max(status, NO_PROOF)
                print(f"record {count}: {NO_DIGESTS}, it proves nothing", file=sys.stderr)
            if not args.quiet:
                print(f"{checked.game} {count}: {_summary(checked)}")
    except RecordFault as fault:
        print(f"record {count + 1}, {fault}", file=sys.stderr)
        return REFUSED
    return status


def _summary(checked: Checked) -> str:
    """The content of a faultless record, in a few words."""
    if checked.outcome is None:
        result = "ended without a result" if checked.finished else "not finished"
    else:
        scores = ", ".join(map(str, checked.outcome.scores))
        result = f"scores {scores}, won by {_seats(checked.outcome.winners)}"
    chance = "random results match the seed" if checked.fair else "seed not revealed"
    undone = f", {checked.undone} taken back" if checked.undone else ""
    code = f"; check code {checked.code}" if checked.code else ""
    moves = f"{checked.moves} move{'' if checked.moves == 1 else 's'}"
    return f"{moves}{undone}, {result}; {chance}{code}"


def _seats(numbers: Sequence[int]) -> str:
    """ "seat 1", "seats 1 and 3" or "seats 1, 2 and 3"."""
    *others, last = [str(number + 1) for number in numbers]
    return f"seats {', '.join(others)} and {last}" if others else f"seat {last}"


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m games.rules", description=__doc__, formatter_class=raw
    )
    commands = parser.add_subparsers(required=True, metavar="selfplay | replay")

    play = commands.add_parser(
        "selfplay",
        help="play whole games and write their records",
        epilog=_options_of_games(),
        formatter_class=raw,
    )
    play.add_argument("game", choices=sorted(GAMES))
    play.add_argument("--players", type=int, default=3, metavar="N", help="seats (3)")
    play.add_argument(
        "--seed", default="0", help="any text; the same text plays the same games again (0)"
    )
    play.add_argument(
        "--games", type=_positive, default=1, metavar="N", help="how many games to play (1)"
    )
    play.add_argument(
        "--who",
        choices=("bot", "random"),
        default="bot",
        help="who plays: the normal bot, or players that pick any legal move (bot)",
    )
    play.add_argument(
        "--option",
        type=_name_and_value,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, see below; can be repeated",
    )
    play.set_defaults(run=_selfplay)

    replay = commands.add_parser("replay", help="check records")
    replay.add_argument("file", nargs="?", help="records as JSON lines (standard input)")
    replay.add_argument(
        "--head",
        type=_head,
        action="append",
        default=[],
        help="a check code, or <event>:<check code>",
    )
    replay.add_argument("--quiet", action="store_true", help="print faults only")
    replay.set_defaults(run=_replay)
    return parser


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def _head(text: str) -> str:
    if not may_be_head(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no check code, such as 0123456789 or 57:0123456789"
        )
    return text


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE, such as order=seated")
    return name, value


def _options_of_games() -> str:
    """Return the values that --option takes, by game and option, the default first."""
    lines = ["options of the games, with the default value first:"]
    for key, engine in sorted(GAMES.items()):
        for spec in engine.options:
            values = [value for value, _label in spec.choices if value != spec.default]
            lines.append(f"  {key}: {spec.name}={'|'.join([spec.default, *values])}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
