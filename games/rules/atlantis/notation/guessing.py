"""A line that is close to a move: the one legal command that it may mean, to ask back."""

from collections.abc import Iterator

import msgspec

from ...errors import AmbiguousMove, MoveError
from ...line_reader import Token
from .. import model, moves
from .reading import Draft, MoveReader
from .vocabulary import (
    COUNTED,
    DICTATED,
    FULL_NAMES,
    NUMBERS,
    PLURALS,
    SHORTEST,
    VOCABULARY,
    items,
)
from .word_reader import LETTERS, Role


def suggest(text: str, view: model.View) -> model.TurnCommand | None:
    """The one legal command that a line comes close to, payment put in; None for a doubtful line,
    and where it could be several."""
    if len(text) > VOCABULARY.longest:
        return None
    try:
        moves.check_turn(view)
        return _Guesser(VOCABULARY.simplified(text), view).guess()
    except MoveError:
        return None


class _Guesser(MoveReader):
    """Reads a line that is close to a move: leaves out what it does not understand."""

    def __init__(self, text: str, view: model.View) -> None:
        super().__init__(text, view, is_guess=True)

    def guess(self) -> model.TurnCommand | None:
        """The one legal command that the line may mean."""
        self.tokens = [part for token in self.tokens for part in self.parted(token)]
        self.leave_out_unknown(self.is_known, (*FULL_NAMES, *PLURALS))
        words = VOCABULARY.keywords(self.words)
        if "buy" in words or "pass" in words:
            command = self.command()
            moves.simulate(self.view, command)
            return command
        found: set[model.Move] = set()
        for roles in self.readings():
            try:
                move = self.move(self.parts(roles))
                moves.simulate(self.view, move)
            except AmbiguousMove:
                return None
            except MoveError:
                continue
            found.add(move)
        return found.pop() if len(found) == 1 else None

    def parted(self, token: Token) -> Iterator[Token]:
        """A figure and an item that were written as one word, or a letter that was dictated."""
        word = token.word
        if word[:1] in ("a", "b", "c") and word[1:] in FULL_NAMES:
            yield Token(word[0], word[0].upper())
            yield Token(word[1:], word[1:])
        elif word in DICTATED and not self.names_figure():
            yield Token(DICTATED[word], DICTATED[word].upper())
        else:
            yield token

    def is_known(self, word: str) -> bool:
        is_item = word in FULL_NAMES or word in PLURALS or self.shortened_items(word) != ()
        is_letter = len(word) == 1 and (word == "b" or word in LETTERS)
        is_number = word in NUMBERS or word.isdecimal()
        return is_item or is_letter or is_number or COUNTED.fullmatch(word) is not None

    def roles(self, at: int, token: Token) -> tuple[Role, ...]:
        roles = super().roles(at, token)
        others = (t for t in self.tokens if t.word in ("b", "c") and t.raw.isupper())
        if token.raw == "a" and Role.ARTICLE in roles and any(others):
            return (Role.ARTICLE,)
        if self.is_sentence and token.raw == "C" and self.is_capital(token):
            return (Role.FIGURE,) if Role.FIGURE in roles else roles  # nobody writes a crown so
        # A line that says how to pay, or where to build, has named the figure.
        is_whole = any(VOCABULARY.keyword.get(t.word) in ("pay", "bridge") for t in self.tokens)
        if is_whole and token.raw == "A" and Role.FIGURE in roles:
            return (Role.FIGURE,)
        is_noun_next = self.is_sentence and token.raw == "a" and self.may_be_article(at)
        return (Role.ARTICLE,) if is_noun_next and len(roles) > 1 and self.names_figure() else roles

    def shortened_items(self, word: str) -> tuple[model.Item, ...]:
        if len(word) == 1 and word in LETTERS:
            return (LETTERS[word],)
        meant = items(word) if len(word) >= SHORTEST else ()
        return meant if len(meant) == 1 else ()

    def completed(self, draft: Draft, figure: int) -> model.Move:
        if not draft.pays:
            draft = msgspec.structs.replace(draft, is_cheapest=True)
        return super().completed(draft, figure)
