"""Escape from Atlantis! in nouns: tiles, pieces, commands, events, the state and the view of it.

Hexes are the numbers of `hexes`. Seats and colours are numbered from 0; seat s plays colour s, and
with two colours each also colour s + 2. Explorer e is the (e % 10 + 1)-th that colour e // 10
placed, so that its public name does not reveal its value.
"""

from .commands import *
from .events import *
from .state import *
from .things import *
