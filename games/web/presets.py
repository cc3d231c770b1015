"""Presets: named values for the form of a new table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.models import Game
from games.rules.bots import Level
from games.rules.contract import AnyGame
from games.rules.errors import IllegalMove


@dataclass(frozen=True, kw_only=True)
class TablePreset:
    """Values for the fields of NewGameForm; a field that is not named keeps its default.

    bots: places, from 0, and how well each bot plays. options: values by the name of an option of
    the game. summary: without who can join, which a circle changes.
    """

    key: str
    title: str | Promise
    summary: str | Promise
    seat_count: int
    bots: Mapping[int, Level] = field(default_factory=dict)
    pace_days: int
    timeout_policy: Game.TimeoutPolicy
    is_open: bool
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_free_seats(self) -> bool:
        """Whether others than the host can sit down."""
        return self.seat_count - len(self.bots) > 1

    def fits(self, engine: AnyGame) -> bool:
        """Return whether this game has these seats and options."""
        defaults = {spec.name: spec.default for spec in engine.options}
        if self.seat_count not in engine.seats or not self.options.keys() <= defaults.keys():
            return False
        try:
            engine.check_options({**defaults, **self.options}, self.seat_count)
        except IllegalMove:
            return False
        return True

    def initial(self) -> dict[str, Any]:
        """Initial values for NewGameForm."""
        return {
            "seat_count": self.seat_count,
            "bots": list(self.bots),
            "pace_days": self.pace_days,
            "timeout_policy": self.timeout_policy,
            "is_open": "open" if self.is_open else "link",
            **{f"level_{place}": level for place, level in self.bots.items()},
            **{f"option_{name}": value for name, value in self.options.items()},
        }


PRESETS = (
    TablePreset(
        key="friends",
        title=_("With friends"),
        summary=_("3 players, 3 days per move"),
        seat_count=3,
        pace_days=3,
        timeout_policy=Game.TimeoutPolicy.SEAT2,
        is_open=False,
    ),
    TablePreset(
        key="duel",
        title=_("Quick duel"),
        summary=_("2 players, a day per move"),
        seat_count=2,
        pace_days=1,
        timeout_policy=Game.TimeoutPolicy.SEAT2,
        is_open=True,
    ),
    TablePreset(
        key="week",
        title=_("A week per move"),
        summary=_("3 players, 7 days per move"),
        seat_count=3,
        pace_days=7,
        timeout_policy=Game.TimeoutPolicy.MOVE,
        is_open=True,
    ),
    TablePreset(
        key="family",
        title=_("Family with bots"),
        summary=_("2 players and 2 easy bots, 3 days per move"),
        seat_count=4,
        bots={2: Level.EASY, 3: Level.EASY},
        pace_days=3,
        timeout_policy=Game.TimeoutPolicy.MOVE,
        is_open=False,
    ),
    TablePreset(
        key="strong",
        title=_("Against a strong bot"),
        summary=_("You and a bot that thinks ahead, 7 days per move"),
        seat_count=2,
        bots={1: Level.STRONG},
        pace_days=7,
        timeout_policy=Game.TimeoutPolicy.WAIT,
        is_open=False,
    ),
    TablePreset(
        key="challenge3",
        title=_("Challenge 3"),
        summary=_("3 players, 3 days per move, values do not count"),
        seat_count=3,
        pace_days=3,
        timeout_policy=Game.TimeoutPolicy.SEAT2,
        is_open=True,
        options={"equal": "yes"},
    ),
)


def presets_for(engine: AnyGame) -> list[TablePreset]:
    """The presets that this game offers."""
    return [preset for preset in PRESETS if preset.fits(engine)]
