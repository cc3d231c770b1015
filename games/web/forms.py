"""Forms: the shape of what people submit. Rules and permissions are checked in services."""

import re
from collections.abc import Iterable, Sequence
from typing import Any
from zoneinfo import available_timezones

from allauth.account.adapter import get_adapter
from allauth.account.forms import LoginForm
from allauth.core import context, ratelimit
from django import forms
from django.conf import settings
from django.core.validators import MaxLengthValidator, validate_email
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, ngettext
from django.utils.translation import gettext_lazy as _

from games import selectors, services
from games.models import (
    BANKS,
    HALF_DAY,
    MAX_MESSAGE,
    PACES,
    SHARES,
    BotLevel,
    Circle,
    Game,
    TableSettings,
)
from games.rules import GAMES
from games.rules.bots import Level
from games.rules.contract import AnyGame
from games.rules.errors import IllegalMove
from games.translate import pace, say

FOR_CIRCLE = "circle-"  # before the public id of a circle, in a field
MOST_INVITED = 20  # people with one form


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth is untyped
    """One form for signing in and signing up: an address, then the code sent there.

    A new address gets an account with an unverified address, which the code verifies. Neither the
    response nor the work it takes reveals whether the address was known.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Your email address")
        self.fields["login"].widget.attrs.pop("placeholder", None)
        self.fields["login"].validators.append(MaxLengthValidator(services.MAX_ADDRESS))
        # app.js fills in the browser's time zone, for the emails of a new account.
        zone = forms.HiddenInput(attrs={"data-zone": ""})
        self.fields["time_zone"] = forms.CharField(required=False, widget=zone)

    def _clean_without_password(self, email: str, phone: None) -> dict[str, Any]:
        """Clean as allauth does, but look up every address with the same queries."""
        if not ratelimit.consume(context.request, action="request_login_code", key=email.lower()):
            self.add_error("login", get_adapter().validation_error("too_many_login_attempts"))
        self.user = selectors.person_by_address(email)
        cleaned: dict[str, Any] = self.cleaned_data
        return cleaned

    def login(self, request: HttpRequest, redirect_url: str | None = None) -> HttpResponse:
        """Create the account if need be, then send the code; over a limit, do neither."""
        with services.quotas.atomic():
            self.user = services.person_sign_up(
                email=self.cleaned_data["login"],
                language=get_language() or "",
                time_zone=self.cleaned_data["time_zone"],
                known=self.user,
            )
            response: HttpResponse = super().login(request, redirect_url=redirect_url)
        return response


class TimeZoneField(forms.ChoiceField):
    """A choice of named zones, without abbreviations and offsets, and of the zone that is stored:
    browsers also report zones of the other kinds."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=_zones, **kwargs)

    def get_bound_field(self, form: forms.BaseForm, field_name: str) -> forms.BoundField:
        """Add the zone that is stored to the choices."""
        self.choices = _zones(form.get_initial_for_field(self, field_name) or "")
        return super().get_bound_field(form, field_name)


def _zones(own: str = "") -> list[tuple[str, str]]:
    """The named zones, and `own` if it is a zone."""
    known = available_timezones()
    zones = (zone for zone in known if "/" in zone or zone == "UTC")
    named = {zone for zone in zones if not zone.startswith(("Etc/", "SystemV/", "US/"))}
    return [(zone, zone.replace("_", " ")) for zone in sorted(named | ({own} & known))]


class SettingsForm(forms.Form):
    """Display name, time zone, language, and for newcomers whether there are hints."""

    display_name = forms.CharField(
        label=_("Display name"),
        max_length=40,
        help_text=_("Shown to other players. Your email address is never shown."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )
    time_zone = TimeZoneField(
        label=_("Time zone"),
        help_text=_("Used for all times on this site and in your emails."),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        choices=settings.LANGUAGES,
        help_text=_("Used on this site and in your emails."),
    )
    wants_hints = forms.BooleanField(
        label=_("Hints at tables"),
        required=False,
        help_text=_("On your turn, in the first 30 days after signing up."),
    )


class NameForm(forms.Form):
    """The display name of a new player, and the browser's time zone where it reported one."""

    display_name = forms.CharField(
        label=_("What should other players call you?"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )
    time_zone = forms.CharField(required=False, widget=forms.HiddenInput)

    def clean_display_name(self) -> str:
        return " ".join(self.cleaned_data["display_name"].split())

    def clean_time_zone(self) -> str:
        """Ignore a zone that is not known here."""
        zone: str = self.cleaned_data["time_zone"]
        return zone if zone in available_timezones() else ""


class NewGameForm(forms.Form):
    """A new game; its options come from the engine. cleaned_data: arguments of game_create."""

    SUMMARY = ("seat_count", "bots", "pace_days", "is_open")
    WHO = (
        ("open", _("Anyone: the table is listed publicly")),
        ("link", _("Only people with the invitation link")),
    )

    name = forms.CharField(
        label=_("Table name"),
        max_length=60,
        help_text=_("Helps you recognise it in your list of games."),
    )
    seat_count = forms.TypedChoiceField(
        label=_("Number of players"), coerce=int, widget=forms.RadioSelect, choices=[]
    )
    bots = forms.TypedMultipleChoiceField(
        label=_("Seats for bots"),
        coerce=int,
        choices=[],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Bots are always available. You can add or remove them until the game starts."),
    )
    pace_days = forms.TypedChoiceField(
        label=_("Time per move"),
        coerce=int,
        initial=3,
        choices=[],
    )
    bank_days = forms.TypedChoiceField(
        label=_("Time bank for each player"),
        coerce=int,
        initial=0,
        required=False,
        choices=[],
        help_text=_("Used when a move takes longer than the time per move."),
    )
    bank_returns = forms.BooleanField(
        label=_("Every move made on time returns a tenth of the time bank"), required=False
    )
    weekends_off = forms.BooleanField(
        label=_("Saturdays and Sundays do not count, in each player’s time zone"), required=False
    )
    timeout_policy = forms.ChoiceField(
        label=_("If a player misses a deadline"),
        initial=Game.TimeoutPolicy.SEAT2,
        choices=Game.TimeoutPolicy.choices,
        widget=forms.RadioSelect,
        help_text=_("A player whose seat a bot took can take it back while the game is running."),
    )
    min_in_time = forms.TypedChoiceField(
        label=_("Required share of turns made on time"),
        coerce=int,
        initial=0,
        required=False,
        choices=[],
        help_text=_("As shown on players’ profiles. People you invite by email can always join."),
    )
    no_newcomers = forms.BooleanField(
        label=_("People who have hardly played here cannot join"), required=False
    )
    is_open = forms.ChoiceField(
        label=_("Who can join"),
        initial="open",
        widget=forms.RadioSelect,
        choices=[],
    )
    no_talk = forms.BooleanField(
        label=_("Without messages between the players"),
        required=False,
        help_text=_("You can turn them on or off later on the page of the table."),
    )
    resign_policy = forms.ChoiceField(
        label=_("If a player resigns"),
        initial=Game.ResignPolicy.BOT,
        choices=Game.ResignPolicy.choices,
    )

    def __init__(
        self, *args: Any, engine: AnyGame, circles: Iterable[Circle] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.engine = engine
        self.circles = {f"{FOR_CIRCLE}{circle.public_id}": circle for circle in circles}
        label = gettext("“%(circle)s”: its members are invited, and only they can see the results")
        posted = gettext(
            "“%(circle)s”: its members are invited; they and the readers of its channel can see the results"
        )
        theirs = [
            (key, (posted if one.channel else label) % {"circle": one.name})
            for key, one in self.circles.items()
        ]
        self.choose("is_open", [*self.WHO, *theirs])
        counts = list(engine.seats)
        self.choose("seat_count", [(n, ngettext("%d player", "%d players", n) % n) for n in counts])
        self.fields["seat_count"].initial = counts[0]
        seats = [
            (n, gettext("Bot on seat %(number)s") % {"number": n + 1}) for n in range(counts[-1])
        ]
        self.choose("bots", seats)
        for number, label in seats:
            self.fields[f"level_{number}"] = forms.ChoiceField(
                label=gettext("%(seat)s: level of the bot") % {"seat": label},
                choices=BotLevel.choices,
                initial=BotLevel.NORMAL,
                required=False,
            )
        self.choose("pace_days", [(n, pace(n, 0 if n else HALF_DAY)) for n in PACES])
        none = gettext("no time bank")
        self.choose("bank_days", [(n, _days(n) if n else none) for n in BANKS])
        shares = [(n, gettext("at least %(share)s%%") % {"share": n}) for n in SHARES if n]
        self.choose("min_in_time", [(0, gettext("no condition")), *shares])
        for spec in engine.options:
            self.fields[f"option_{spec.name}"] = forms.ChoiceField(
                label=say(spec.label),
                help_text=say(spec.help_text),
                choices=[(value, say(label)) for value, label in spec.choices],
                initial=spec.default,
                widget=forms.RadioSelect if len(spec.choices) <= 3 else forms.Select,
            )

    def choose(self, name: str, choices: Sequence[tuple[int | str, str | Promise]]) -> None:
        """Set the choices of a field, which depend on the game or on the host."""
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def keep(self, typed: QueryDict) -> None:
        """Begin with what was typed before another game was chosen; before another preset, which
        fills in the rest, with the name."""
        kept = self.fields if typed.get("choose", "").startswith("game=") else ("name",)
        for name in kept:
            if name in typed:
                self.initial[name] = typed.getlist(name) if name == "bots" else typed[name]

    def details(self) -> list[forms.BoundField]:
        """The fields that a preset fills in: all but the name. Levels stand with the bots."""
        apart = ("name", *(field.name for field in self.levels()))
        return [field for field in self if field.name not in apart]

    def levels(self) -> list[forms.BoundField]:
        """Return the fields for the level of each seat's bot; ignored for seats of people."""
        return [field for field in self if field.name.startswith("level_")]

    def summary(self) -> str:
        """The choices that decide who plays, and how fast, in the words of their labels."""
        options = [option for name in self.SUMMARY for option in self[name]]
        return " · ".join(str(o.choice_label) for o in options if o.data["selected"])

    def details_have_errors(self) -> bool:
        """Return whether a detail has to be changed; an error of the whole form counts."""
        return any(name != "name" for name in self.errors)

    def clean(self) -> dict[str, Any]:
        """Leave a seat for the host, and check the options with the engine."""
        data = super().clean() or {}
        data["bank_days"] = data.get("bank_days") or 0
        data["min_in_time"] = data.get("min_in_time") or 0
        circle = self.circles.get(data.get("is_open", ""))
        data["circle_id"] = circle.pk if circle is not None else None
        data["is_open"] = data.get("is_open") == "open"
        data["talk_open"] = not data.pop("no_talk", False)
        data["newcomers"] = not data.pop("no_newcomers", False) or not data["min_in_time"]
        if {"seat_count", "bots"} <= data.keys():
            if len(data["bots"]) >= data["seat_count"]:
                self.add_error(
                    "bots", _("You need a seat yourself, so there cannot be a bot on every seat.")
                )
            elif any(place >= data["seat_count"] for place in data["bots"]):
                self.add_error("bots", _("This table does not have that many seats."))
        levels = {n: data.pop(f"level_{n}", "") for n in range(self.engine.seats[-1])}
        if "bots" in data:
            data["bots"] = {n: Level(levels.get(n) or Level.NORMAL) for n in data["bots"]}
        options = [name for name in data if name.startswith("option_")]
        data["options"] = {name.removeprefix("option_"): data.pop(name) for name in options}
        if self.errors:
            return data
        try:
            self.engine.check_options(data["options"], data["seat_count"])
        except IllegalMove as error:
            self.add_error(None, say(error.text))
        others = {name: data.pop(name) for name in ("name", "bots")}
        return {**others, "settings": TableSettings(**data)}


def _days(count: int) -> str:
    return ngettext("%d day", "%d days", count) % count


class InviteForm(forms.Form):
    """The addresses of invitations, as typed or copied from a list of recipients, and what goes
    with them."""

    address = forms.CharField(
        label=_("Invite by email"),
        max_length=3000,
        help_text=_(
            "One address or several. Each gets an email with a link. No account is needed beforehand."
        ),
        widget=forms.Textarea(
            attrs={"rows": 2, "autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        ),
    )

    message = forms.CharField(
        label=_("Your own line (optional)"),
        max_length=MAX_MESSAGE,
        required=False,
        widget=forms.TextInput,
    )
    language = forms.ChoiceField(
        label=_("Language of the invitation"),
        choices=settings.LANGUAGES,
        required=False,
        help_text=_("Friends with an account here get it in their own language."),
    )

    def clean_address(self) -> list[str]:
        """The addresses in lower case, each once. Names beside addresses in <> are left out."""
        text = self.cleaned_data["address"].lower()
        words = list(dict.fromkeys(filter(None, re.split(r"[\s,;<>()\"]+", text))))
        addresses = [word for word in words if "@" in word or "<" not in text]
        for address in addresses:
            try:
                validate_email(address)
            except forms.ValidationError:
                raise forms.ValidationError(
                    gettext("“%(word)s” is not an email address. Nobody has been invited.")
                    % {"word": address[:60]}
                ) from None
        if not addresses:
            raise forms.ValidationError(gettext("Enter a valid email address."))
        if len(addresses) > MOST_INVITED:
            raise forms.ValidationError(
                gettext("You can invite at most %(count)s people at once. Nobody has been invited.")
                % {"count": MOST_INVITED}
            )
        return addresses


class PlayForm(forms.Form):
    """A move in notation, the version of the game it answers, and a note to the other players."""

    line = forms.CharField(max_length=1000)
    version = forms.IntegerField(min_value=1)
    note = forms.CharField(required=False)  # the service limits its length


def error_text(form: forms.Form) -> str:
    """All errors of a form in one line."""
    return " ".join(str(error) for errors in form.errors.values() for error in errors)


def engine_or_first(key: str | None) -> AnyGame:
    """The engine with this key, or the first one."""
    return GAMES.get(key or "", next(iter(GAMES.values())))


class TableFilterForm(forms.Form):
    """The filters of the page of tables, as a GET form. Invalid values are ignored."""

    SHOW = [
        ("open", _("Tables looking for players")),
        ("seats", _("Games with a free seat")),
        ("running", _("Games in progress")),
        ("finished", _("Finished games")),
    ]

    show = forms.ChoiceField(label=_("List"), choices=SHOW, required=False)
    kind = forms.ChoiceField(label=_("Game"), required=False)
    seats = forms.TypedChoiceField(label=_("Players"), required=False, coerce=int)
    before = forms.DateTimeField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        titles = [(key, say(engine.title)) for key, engine in GAMES.items()]
        self.fields["kind"].choices = [("", _("All games")), *titles]  # type: ignore[attr-defined]  # of the stubs
        counts = sorted({seats for engine in GAMES.values() for seats in engine.seats})
        self.fields["seats"].choices = [("", _("Any number")), *((n, str(n)) for n in counts)]  # type: ignore[attr-defined]  # of the stubs

    def wanted(self) -> selectors.TableFilter:
        """The filter, with defaults for what is missing or wrong."""
        self.is_valid()
        values = {key: value for key, value in self.cleaned_data.items() if value}
        return selectors.TableFilter(**values)
