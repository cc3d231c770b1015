"""Circles: their members, who may read what of them, and their standings."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.log import event_store
from games.log.standings import COMPARED, Result, Row, Standings, result_of, standings
from games.models import Circle, Game, Invitation, Membership, Uncounted, User
from games.translate import join_names, with_colon

from .access import NotFound, Reader
from .log_statistics import KEPT, format_of

COUNTED = 400  # of the finished games of a circle, the newest
FORMAT = format_of(Result)


def members(circle: Circle) -> QuerySet[Membership]:
    """The present members of a circle, with their users."""
    return circle.memberships.filter(left_at=None).select_related("user")


def next_founder(circle: Circle) -> User | None:
    """Whoever becomes the founder of a circle after the present one: the member of longest standing
    among those who may act; without any, the one of longest standing. None without members."""
    others = members(circle).exclude(user=circle.founder_id).order_by("joined_at", "pk")
    people = [member.user for member in others]
    return next((user for user in people if may_found(user)), next(iter(people), None))


def may_found(user: User) -> bool:
    """Return whether this person may found or take over a circle, as far as the account goes."""
    return user.is_active and not user.is_closing


def after_leaving(circle: Circle, user: User) -> str:
    """Return what becomes of the circle when its founder leaves; "" for another member."""
    if circle.founder_id != user.pk:
        return ""
    heir = next_founder(circle)
    if heir is None:
        return _("You are its only member: when you leave, it is deleted.")
    return _("When you leave, %(name)s becomes the founder.") % {"name": heir.name}


def circle_for(user: Reader, public_id: str) -> Circle:
    """The circle, for one of its members; NotFound for everybody else, as if there were none."""
    if user.is_authenticated:
        own = Circle.objects.filter(memberships__user=user, memberships__left_at=None)
        if (
            circle := own.select_related("founder").filter(public_id=public_id).first()
        ) is not None:
            return circle
    raise NotFound(_("There is no such circle, or you are not a member of it."))


def circles_of(user: User, *, is_open: bool = False) -> QuerySet[Circle]:
    """The circles of a person by name. is_open: only those that are not closed."""
    own = Circle.objects.filter(memberships__user=user, memberships__left_at=None)
    return (own.filter(closed_at=None) if is_open else own).order_by("name", "pk")


def circle_invitation_for(token: str) -> tuple[Circle, Invitation | None]:
    """The circle of a link, by its own token or by a personal invitation; NotFound."""
    circles = Circle.objects.select_related("founder")
    circle = circles.filter(join_token=token).first()
    if circle is not None:
        return circle, None
    to_circles = Invitation.objects.filter(circle__isnull=False)
    personal = (
        to_circles.select_related("circle__founder", "invited_by").filter(token=token).first()
    )
    if personal is None or personal.circle is None:
        raise NotFound(_("This invitation is not valid."))
    return personal.circle, personal


def circle_invitations_to(user: User) -> QuerySet[Invitation]:
    """The open invitations to circles to this person's verified addresses, the newest first."""
    own = EmailAddress.objects.filter(user=user, verified=True).values("email")
    found = Invitation.objects.filter(
        address__in=own, answer=Invitation.Answer.NONE, circle__closed_at=None
    )
    found = found.exclude(circle=None).exclude(invited_by__in=user.blocked)
    mine = Membership.objects.filter(user=user, left_at=None).values("circle")
    found = found.exclude(circle__in=mine)
    return found.select_related("circle", "invited_by").order_by("-created_at", "-pk")


def unposted_at(circle: Circle) -> datetime | None:
    """When the last message to the channel of a circle was tried, if it has not arrived."""
    last = circle.posts.exclude(tried_at=None).order_by("-tried_at", "-pk").first()
    return last.tried_at if last is not None and not last.sent else None


# -- standings -----------------------------------------------------------------------------


def standings_of(circle: Circle) -> Standings:
    """The standings of a circle: of everybody who is or was a member, folded from the logs."""
    people = circle.memberships.values_list("user_id", flat=True)
    return standings(_results(circle), list(people))


def counted_games(circle: Circle) -> QuerySet[Game]:
    """The finished games of a circle, the newest first, but those that its founder has declared as
    not counted."""
    finished = circle.games.filter(status=Game.Status.FINISHED, uncounted=None).defer("seed")
    return finished.order_by("-ended_at", "-pk")


def uncounted_games(circle: Circle) -> QuerySet[Uncounted]:
    """The games of a circle that do not count, the newest first."""
    return Uncounted.objects.filter(game__circle=circle).select_related("game").order_by("-at")


def _results(circle: Circle) -> list[Result]:
    """The results of the finished games that count. What a log says is cached by its version."""
    games = list(counted_games(circle)[:COUNTED])
    keys = {f"results:{FORMAT}:{game.pk}:{game.version}": game for game in games}
    found = cache.get_many(keys)
    new = {key: [result_of(event_store.load(keys[key]))] for key in keys.keys() - found.keys()}
    if new:
        cache.set_many(new, KEPT)
    return [result for (result,) in (found | new).values() if result is not None]


@dataclass(frozen=True)
class StandingsText:
    """The standings of a circle in words: (name, figures) of each row, of those with few games, and
    lines about pairs. nothing: what is said without rows."""

    rows: tuple[tuple[str, str], ...]
    few: tuple[tuple[str, str], ...]
    pairs: tuple[str, ...]
    nothing: str

    @property
    def lines(self) -> list[str]:
        """All rows, a line each, for an email."""
        if not (self.rows or self.few):
            return [self.nothing]
        placed, few = (
            [f"{with_colon(name)} {text}" for name, text in rows] for rows in (self.rows, self.few)
        )
        named = [f"{number}. {line}" for number, line in enumerate(placed, 1)]
        if few:
            named += [with_colon(_("Fewer than five games")), *few]
        return named


def standings_text(circle: Circle) -> StandingsText:
    """The standings of a circle in words, for its members. Who left is nameless at once."""
    found = standings_of(circle)
    present = {member.user_id: member.user.name for member in members(circle)}
    names = dict.fromkeys((row.person for row in (*found.rows, *found.few)), _("a former member"))
    names |= {person: name for person, name in present.items() if person in names}

    def written(rows: Iterable[Row]) -> tuple[tuple[str, str], ...]:
        return tuple((names[row.person], _figures(row, names)) for row in rows)

    pairs = tuple(
        _("%(one)s and %(other)s: %(before)s to %(behind)s, %(equal)s tied")
        % {
            "one": names[pair.one],
            "other": names[pair.other],
            "before": pair.before,
            "behind": pair.behind,
            "equal": pair.equal,
        }
        for pair in found.pairs
        if pair.one in present and pair.other in present
    )
    nothing = _("No game of this circle has ended with a result yet.")
    if uncounted_games(circle).exists():
        nothing = _("All games that ended with a result have been left out of the standings.")
    return StandingsText(written(found.rows), written(found.few), pairs, nothing)


def _figures(row: Row, names: dict[int, str]) -> str:
    """The figures of a row in a sentence or two."""
    games = ngettext("%(n)s game", "%(n)s games", row.games) % {"n": row.games}
    wins = round(float(row.wins), 2)
    won = ngettext("%(n)s win", "%(n)s wins", 1 if wins == 1 else 2)
    known = [
        games,
        won % {"n": f"{wins:g}"},
        _("beat %(share)s%% of the others") % {"share": share_of(row)},
    ]
    if row.left:
        left = ngettext("left %(n)s game early", "left %(n)s games early", row.left)
        known.append(left % {"n": row.left})
    if row.ahead_of:
        ahead = join_names([names[person] for person in row.ahead_of if person in names])
        known.append(_("clearly ahead of %(names)s") % {"names": ahead})
    elif row.games >= COMPARED:
        known.append(_("not clearly ahead of anyone"))
    return ", ".join(known)


def share_of(row: Row) -> int:
    """The share of others beaten, in whole percent."""
    return int(row.beaten * 100 + Fraction(1, 2))


def standing_line(game: Game, user: User) -> str:
    """The line about the standing of a member in the email about the end of a game of a circle; ""
    for who is no member, and without a game that counts."""
    if game.circle is None or not members(game.circle).filter(user=user).exists():
        return ""
    row = standings_of(game.circle).row_of(user.pk)
    if row is None:
        return ""
    text = ngettext(
        "“%(circle)s”: you have beaten %(share)s%% of the others in %(n)s game.",
        "“%(circle)s”: you have beaten %(share)s%% of the others in %(n)s games.",
        row.games,
    )
    return text % {"circle": game.circle.name, "share": share_of(row), "n": row.games}
