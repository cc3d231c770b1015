"""A line that is close to a command: the one legal command that it may mean, to ask back."""

import re

from ...errors import MoveError, PartlyRead
from ...everyday_words import DOUBTFUL_SIGNS, MOVING
from .. import model
from ..validation import check_command
from .reading import CommandReader, parse
from .vocabulary import DENIALS, EXPLORER, HEX, NO_MORE, UNSAID, VOCABULARY


def suggest(text: str, view: model.View) -> model.Command | None:
    """The one legal command that a line comes close to; None for a doubtful line."""
    if len(text) > VOCABULARY.longest:
        return None
    text = VOCABULARY.simplified(text)
    try:
        return parse(text, view)
    except PartlyRead as partly:
        text = partly.line
    except MoveError:
        pass
    try:
        command = _denied(text, view) or _Guesser(text, view).guess()
        check_command(view, command)
    except MoveError:
        return None
    return command


def _denied(text: str, view: model.View) -> model.Command | None:
    """The answer of a line that says no more than that nothing is moved or defended."""
    stage, rolled = type(view.board.stage), view.board.rolled
    text = re.sub(r"n['’]t\b", " not", text, flags=re.IGNORECASE)
    if stage not in UNSAID or DOUBTFUL_SIGNS.search(text):
        return None
    tokens = VOCABULARY.tokens(text)
    words = {VOCABULARY.keyword.get(token.word, token.word) for token in tokens}
    fillers = {token.word for token in tokens if VOCABULARY.is_filler(token)}
    is_denied = any(token.word in DENIALS for token in tokens)
    if not is_denied or words.isdisjoint(UNSAID[stage]):
        return None
    if not words <= UNSAID[stage] | NO_MORE | DENIALS | fillers | {rolled, "allow", "stay"}:
        return None
    return model.Steer() if stage is model.CreatureStage else model.Defend(defend=False)


class _Guesser(CommandReader):
    """Reads a line that is close to a command: leaves out what stands around it."""

    def __init__(self, text: str, view: model.View) -> None:
        super().__init__(text, view, is_guess=True)

    def guess(self) -> model.Command:
        board = self.view.board
        may_stay = isinstance(board.stage, model.CreatureStage) and MOVING.isdisjoint(
            token.word for token in self.tokens
        )
        self.leave_out_unknown(_is_known)
        self.begin()
        if may_stay and self.words and {*self.words} <= {"allow", "stay", board.rolled}:
            return model.Steer()  # "no", "let it be"
        return self.command()


def _is_known(word: str) -> bool:
    is_name = HEX.fullmatch(word) or EXPLORER.fullmatch(word)
    return bool(is_name) or word.isdecimal()
