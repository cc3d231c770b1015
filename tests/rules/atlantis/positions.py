"""Small positions for hypothesis: a few spaces, two players, seat 0 to act."""

from hypothesis import strategies as st

from games.rules.atlantis.model import State

from .tables import table

TILES = st.builds("{}{}".format, st.sampled_from("foh"), st.integers(1, 4))
STACKS = st.one_of(TILES, TILES, st.builds("{}{}".format, TILES, TILES))
SPACES = st.one_of(STACKS, STACKS, st.just("."), st.just("="))


@st.composite
def small_positions(
    draw: st.DrawFn, *, spaces: int = 6, cards: int = 3, tiles: int = 1, bridge: bool = True
) -> State:
    """Positions in which everything can be tried: few items, short hands."""
    path = draw(st.lists(SPACES, min_size=2, max_size=spaces))
    stacks = [number for number, space in enumerate(path, 1) if space not in (".", "=")]
    places = draw(st.permutations([*stacks, 0, 0, 0, 0, 0, 0, 54, 54, 54, 54]))
    own, other = places[:3], places[3:6]
    if own == [54, 54, 54]:
        own[0] = 0
    if other == [54, 54, 54]:
        other[0] = 0
    hand = "".join(draw(st.lists(st.sampled_from("fohs"), max_size=cards))) or "-"
    owned = "".join(draw(st.lists(TILES, max_size=tiles))) or "-"
    built = " b" if bridge and draw(st.booleans()) else ""
    rest = "fohsfohsfohs" if draw(st.booleans()) else "f"
    return table(
        f"{' '.join(path)} | *{'/'.join(map(str, own))} {hand} {owned}{built}"
        f" | {'/'.join(map(str, other))} oh h3 b | deck {rest} | discards ss"
    )
