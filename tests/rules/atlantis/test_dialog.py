"""The turn form: every legal move can be filled in, nothing else, and no answer breaks it."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from games.rules.atlantis.form import move_form
from games.rules.atlantis.model import (
    MAINLAND,
    Command,
    Item,
    Move,
    Moved,
    Reshuffled,
    State,
    View,
)
from games.rules.atlantis.moves import simulate
from games.rules.chance import IdentityChance, SeededChance
from games.rules.errors import MoveError
from games.rules.move_form import Choice, FormField, MoveForm
from tests.rules.atlantis.position_lines import parse_position
from tests.support.lengths import by_length

from .games import ATLANTIS, sensible, wandering

Answers = dict[str, Sequence[str]]


def looking(state: State) -> View:
    """The view of the seat that is to act."""
    (seat,) = ATLANTIS.rules.to_act(state)
    view: View = ATLANTIS.rules.view(state, seat)
    return view


def at(position: str) -> View:
    return looking(parse_position(position))


def asked(form: MoveForm[Any]) -> list[str]:
    return [field.name for field in form.fields]


def field(form: MoveForm[Any], name: str) -> FormField:
    return next(field for field in form.fields if field.name == name)


def values(form: MoveForm[Any], name: str) -> list[str]:
    return [option.value for option in field(form, name).choices]


def chosen(form: MoveForm[Any], name: str) -> list[str]:
    return [option.value for option in field(form, name).choices if option.selected]


def option(form: MoveForm[Any], name: str, value: str) -> Choice:
    return next(option for option in field(form, name).choices if option.value == value)


def said(form: MoveForm[Any]) -> list[str]:
    return [str(sentence) for sentence in form.preview]


def warned(form: MoveForm[Any]) -> list[str]:
    return [str(sentence) for sentence in form.warnings]


def lines(view: View, answers: Mapping[str, Sequence[str]] | None = None) -> set[str]:
    """Every line that choosing among the options shown leads to, payments left as they are."""
    answers = answers or {}
    form = move_form(view, answers)
    assert form.problem is None, (answers, str(form.problem))
    for question in form.fields:
        if question.name not in answers and question.name != "pay":
            branches = [
                lines(view, {**answers, question.name: [choice.value]})
                for choice in question.choices
            ]
            return set().union(*branches)
    assert form.line is not None
    return {form.line}


# -- completeness ------------------------------------------------------------------------


def all_lines(state: State) -> set[str]:
    """Of figures on one space, the first is named, as in the form."""
    view = looking(state)
    (seat,) = ATLANTIS.rules.to_act(state)
    return {
        ATLANTIS.notation.describe(of_first_figure(move, view), view)
        for move in ATLANTIS.rules.legal_commands(state, seat)
    }


def of_first_figure(move: Command, view: View) -> Command:
    if not isinstance(move, Move) or view.viewer is None:
        return move
    figures = view.players[view.viewer].figures
    return replace(move, figure=figures.index(figures[move.figure]))


@pytest.mark.parametrize(
    "position",
    [
        "f1 o4h2 r3 . s2 | *0/0/0 ffo s3 b | 2/0/0 - -",
        "f5 o3 . f7 . r2 s2 | *1/2/M fo s3s4 b | 4/0/0 - -",
        "f5 . f7 = o2 . o5 | *1/1/1 fffooor s3s4h2a1 b | 3/5/0 rr r2",
        "f5 . f7 | *1/M/M f - b | 0/0/0 - -",
        "f1 . o6 o2 o3 | *1/M/M ooo s7 b | 3/4/0 - - b",
    ],
)
def test_choosing_among_what_is_shown_reaches_every_legal_move_and_no_other(position: str) -> None:
    state = parse_position(position)

    assert lines(looking(state)) == all_lines(state)


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 2), (4, 3)])
def test_in_whole_games_too_the_form_offers_the_legal_moves(seats: int, seed: int) -> None:
    checked = 0
    for state in islice(wandering(seats, seed), 3, None, 8):
        legal = all_lines(state)
        if len(legal) <= 250:
            assert lines(looking(state)) == legal
            checked += 1

    assert checked >= 4


# -- the questions -----------------------------------------------------------------------

OPEN = "f1 o4 h2 a6 r3 c5 s2 f4 | *1/2/M fooh s3 | 5/0/0 - -"


def test_first_it_asks_for_the_figure_and_says_where_each_stands() -> None:
    form = move_form(at(OPEN), {})

    assert asked(form) == ["do", "figure"]
    assert [str(o.label) for o in field(form, "figure").choices] == ["A on space 1", "B on space 2"]
    assert str(field(form, "figure").help_text) == "Figure C is on the mainland."
    assert form.line is None


def test_the_options_name_the_pieces_on_the_board_that_stand_for_them() -> None:
    view = at(OPEN)
    form = move_form(view, {"figure": ["A"]})
    marks = [o.element_id for q in form.fields for o in q.choices if o.element_id]
    board = ATLANTIS.board_svg(view)

    assert marks[:2] == ["figure-0-A", "figure-0-B"]
    assert "space-3" in marks
    for mark in marks:
        assert f'id="{mark}"' in board


def test_every_icon_that_an_option_names_can_be_drawn() -> None:
    views = [looking(state) for state in islice(sensible(4, 5), 0, None, 6)]
    forms = [
        move_form(view, answers)
        for view in (*views, at("h3 f5 . f7 . o2 | *2/0/M fo s5s2 b | 0/0/0 - -"))
        for answers in (
            {"do": ["buy"]},
            {"do": ["move"]},
            *({"figure": [figure]} for figure in "ABC"),
            {"figure": ["A"], "landing": ["6"]},
        )
    ]
    icons = {o.icon for form in forms for q in form.fields for o in q.choices if o.icon}

    assert {"deck", "bridge"} < icons
    assert all("<svg" in ATLANTIS.presentation.icon_svg(icon) for icon in icons)


def test_a_landing_shows_the_cards_it_takes_and_what_it_costs() -> None:
    form = move_form(at("f1 . o6 | *1/M/M ooo s7 | 0/0/0 - -"), {})
    landing = option(form, "landing", "3")

    assert str(landing.label) == "space 3, olive 6"
    assert str(landing.detail) == "takes flag 1 · olive · costs 1"
    assert landing.element_id == "space-3"


def test_figures_on_the_same_space_are_one_choice() -> None:
    view = at("f1 o2 | *0/0/1 fo - | 0/0/0 - -")
    (alike, _other) = field(move_form(view, {}), "figure").choices

    assert str(alike.label) == "A, B on Atlantis"
    assert alike.elements == ("figure-0-A", "figure-0-B")
    assert chosen(move_form(view, {"figure": ["B"]}), "figure") == ["A"]


def test_a_figure_that_can_pay_for_nothing_is_not_offered_and_the_form_says_why() -> None:
    form = move_form(at("f1 h5 . o6 | *2/0/M of - | 0/0/0 - -"), {})

    assert values(form, "figure") == ["B"]
    assert "Figure A cannot move: its cheapest route costs 5, more than you can pay." in str(
        field(form, "figure").help_text
    )


def test_where_several_ways_lead_to_a_landing_the_one_with_fewest_cards_is_chosen() -> None:
    view = at("f1 o2 h3 | *0/M/M foh - | 1/2/0 - -")
    form = move_form(view, {"landing": ["3"]})

    assert chosen(form, "cards") == ["helmet"]
    assert set(values(form, "cards")) == {
        "helmet",
        "flag.helmet",
        "olive.helmet",
        "flag.olive.helmet",
    }
    assert move_form(view, {"landing": ["3"], "cards": ["olive.helmet"]}).line == "A olive helmet"


def test_cards_of_a_landing_chosen_before_give_way_silently() -> None:
    view = at("f1 o2 h3 | *0/M/M foh - | 1/2/0 - -")
    form = move_form(view, {"landing": ["mainland"], "cards": ["olive.olive"]})

    assert form.problem is None
    assert form.line is not None


def test_questions_with_a_single_answer_answer_themselves() -> None:
    form = move_form(at("f1 o2 | *0/M/M f - | 0/0/0 - -"), {})

    assert chosen(form, "figure") == ["A"]
    assert form.line == "A flag"


# -- buying and passing ------------------------------------------------------------------


def test_buying_is_a_step_of_its_own() -> None:
    form = move_form(at("f1 o2 | *0/0/0 fo s1h5 | 0/0/0 - -"), {"do": ["buy"]})

    assert values(form, "tile") == ["5"]
    assert str(option(form, "tile", "5").detail) == "draw 2 cards"
    assert str(field(form, "tile").help_text) == "A tile worth 1 buys no cards."
    assert form.line == "buy 5"
    assert said(form) == [
        "seat 1 sold helmet 5 for 2 cards.",
        "Drew 2 cards.",
        "Then you move.",
    ]


def test_buying_twice_is_refused_with_a_sentence_and_the_form_goes_on() -> None:
    form = move_form(
        at("f1 o2 | *0/0/0 fo h5 | 0/0/0 - - | bought"), {"do": ["buy"], "figure": ["B"]}
    )

    assert str(form.problem) == "You have already bought cards this turn."
    assert form.line is None
    assert chosen(form, "figure") == ["A"], "A, B and C stand on the same space"


def test_a_player_who_cannot_move_passes_and_the_form_says_what_it_means() -> None:
    form = move_form(at("f5 . f7 | *1/M/M f - | 0/0/0 - -"), {})

    assert form.line == "pass"
    assert said(form) == [
        "seat 1 could not move and revealed this hand: flag.",
        "Drew 2 cards.",
    ]


def test_a_player_who_can_move_may_not_pass() -> None:
    form = move_form(at(OPEN), {"do": ["pass"]})

    assert str(form.problem) == "You have a legal move, so you cannot pass."
    assert form.line is None


def test_a_player_who_can_only_pass_or_buy_is_not_pushed_to_buy() -> None:
    form = move_form(at("f5 . f7 | *1/M/M f s2 | 0/0/0 - -"), {})

    assert values(form, "do") == ["buy", "pass"]
    assert form.line == "pass"


# -- the bridge --------------------------------------------------------------------------


def test_a_landing_that_only_the_bridge_makes_payable_is_offered_with_it() -> None:
    view = at("h3 f5 . f7 o2 | *2/M/M f - b | 0/0/0 - -")
    form = move_form(view, {"do": ["move"]})

    assert str(option(form, "landing", "4").detail) == (
        "takes flag 5 · flag · costs 5, only if you build your bridge"
    )
    assert values(form, "bridge") == ["before"]
    assert form.line == "bridge 3 A flag"
    assert said(form)[0] == "A bridge was built over the gap at space 3."


def test_a_bridge_before_the_move_lowers_what_is_paid() -> None:
    view = at("h3 f5 . f7 . o2 | *2/0/M fo s5s2 b | 0/0/0 - -")
    answers: Answers = {"figure": ["A"], "landing": ["6"]}

    assert move_form(view, answers).line == "A olive pay 5 2"
    assert move_form(view, {**answers, "bridge": ["before"]}).line == "bridge 3 A olive pay 2"


def test_after_the_move_the_gap_that_it_makes_can_be_bridged() -> None:
    view = at("h3 f5 o1 r7 o2 | *1/0/M or - b | 4/0/0 - -")
    form = move_form(view, {"figure": ["A"], "landing": ["3"], "bridge": ["after"]})

    assert form.line == "A olive bridge 2"
    assert option(form, "gap", "2").element_id == "space-2"
    assert said(form)[2:] == [
        "A bridge was built over the gap at space 2.",
        "Drew 2 cards.",
        "The bridge now spans the gap at 2, free for everyone.",
    ]


def test_a_bridge_that_the_move_itself_washes_away_is_warned_of() -> None:
    form = move_form(at("f5 . f7 | *1/M/M f - b | 0/0/0 - -"), {"do": ["move"]})

    assert form.line == "bridge 2 A flag"
    assert "This move itself destroys your bridge." in warned(form)


def test_a_bridge_that_only_helps_others_is_warned_of() -> None:
    view = at("h3 . f5 r7 o2 s4 s4 | *4/M/M so - b | 0/0/0 - -")
    form = move_form(view, {"landing": ["6"], "bridge": ["before"], "gap": ["2"]})

    assert warned(form)[0].startswith("None of your figures still has to cross this gap")


# -- paying ------------------------------------------------------------------------------

TOLL = "f1 s4 . r4 o2 | *2/M/M oooh s3h3a2 | 0/0/0 - -"
TO_PAY: Answers = {"landing": ["5"]}


def paying(*coins: str, route: str = "olive", due: int = 4) -> Answers:
    """Answers that pay with these tiles and cards on the way to space 5."""
    return {**TO_PAY, "pay": [f"{due}:{route}", *coins]}


def test_the_own_tiles_and_cards_are_what_to_pay_with_and_the_cheapest_are_ticked() -> None:
    form = move_form(at(TOLL), TO_PAY)

    assert values(form, "pay") == ["3.1", "3.2", "2.1", "olive.1", "olive.2", "olive.3", "helmet.1"]
    assert chosen(form, "pay") == ["3.1", "olive.1"]
    assert (field(form, "pay").sum, field(form, "pay").due) == (4, 4)
    assert form.line == "A olive pay 3 olive"


def test_the_card_that_is_played_is_shown_but_cannot_pay() -> None:
    form = move_form(at(TOLL), TO_PAY)

    assert [o.value for o in field(form, "pay").choices if o.fixed] == ["olive.3"]
    assert str(option(form, "pay", "olive.3").detail) == "played"
    assert option(form, "pay", "olive.3").worth == 0


def test_coins_are_picked_one_by_one() -> None:
    form = move_form(at(TOLL), paying("2.1", "olive.2", "helmet.1"))

    assert form.line == "A olive pay 2 olive helmet"


def test_coins_picked_for_another_price_or_with_other_cards_give_way_to_the_cheapest() -> None:
    for stale in (paying("2.1", due=2), paying("2.1", route="helmet")):
        form = move_form(at(TOLL), stale)
        assert chosen(form, "pay") == ["3.1", "olive.1"]


def test_paying_too_much_is_pointed_out() -> None:
    form = move_form(at(TOLL), paying("3.1", "3.2"))

    assert form.line == "A olive pay 3 3"
    assert warned(form)[0] == "You overpay by 2 points. No change is given."


@pytest.mark.parametrize(
    ("coins", "problem"),
    [
        (("2.1",), "This move costs 4 points, but you pay only 2."),
        ((), "This move costs 4 points: say what you want to pay with."),
    ],
)
def test_paying_too_little_is_a_problem_and_keeps_what_was_picked(
    coins: tuple[str, ...], problem: str
) -> None:
    form = move_form(at(TOLL), paying(*coins))

    assert str(form.problem) == problem
    assert form.line is None
    assert chosen(form, "pay") == [*coins]


@pytest.mark.parametrize("coin", ["7.1", "olive.3", "flag.1"])
def test_coins_that_are_not_there_are_a_problem(coin: str) -> None:
    form = move_form(at(TOLL), paying("3.1", coin))

    assert str(form.problem) == "You do not have all of these tiles and cards. Choose again."


# -- what it foretells -------------------------------------------------------------------


def test_the_preview_describes_the_whole_move() -> None:
    view = at("f1 s4 . r4 a2 o2 s1 | *2/M/0 oooh s3h3a2 | 0/4/5 - -")
    form = move_form(view, {"figure": ["A"], "landing": ["6"]})

    assert said(form) == [
        "seat 1 played an olive: figure A moved from space 2 to space 6.",
        "Paid 3 and 1 card for a cost of 4.",
        "Tile taken: statue 4 from space 2.",
        "Drew 2 cards.",
        "The gap at 2–3 now costs 1.",
    ]


@pytest.mark.parametrize(("seats", "seed"), [(2, 21), (3, 22), (4, 23)])
def test_the_preview_begins_with_what_the_log_will_say(seats: int, seed: int) -> None:
    for state in islice(wandering(seats, seed), 0, None, 4):
        if not (to_act := ATLANTIS.rules.to_act(state)):
            continue
        (seat,) = to_act
        for move in islice(ATLANTIS.rules.legal_commands(state, seat), 0, None, 7):
            events = ATLANTIS.rules.decide(state, seat, move, SeededChance(bytes(32), 1))
            if any(isinstance(event, Reshuffled) for event in events):
                continue  # nobody knows how the cards come
            done, drew = (ATLANTIS.rules.visible(event, None) for event in events[:2])
            log = f"{ATLANTIS.presentation.sentence(done)} {ATLANTIS.presentation.sentence(drew)}"
            foretold = ATLANTIS.presentation.preview(looking(state), move)
            assert " ".join(said(foretold)).startswith(log)


def drawn(form: MoveForm[Any]) -> set[str]:
    """Return the elements that the preview adds to the board."""
    return {mark.css.split()[0] for mark in form.marks if mark.css}


def test_the_board_shows_the_whole_move() -> None:
    view = at("f1 s4 . r4 a2 o2 s1 | *2/M/0 oooh s3h3a2 | 0/4/5 - -")
    form = move_form(view, {"figure": ["A"], "landing": ["6"]})

    assert drawn(form) == {"ghost", "lifted", "taken", "opened"}
    assert any(">1</text>" in "".join(mark.fragments) for mark in form.marks), "the new price"
    assert not move_form(view, {"figure": ["A"]}).marks


def test_the_board_shows_the_bridge_that_would_be_built() -> None:
    view = at("h3 f5 . f7 . o2 | *2/0/M fo s5s2 b | 0/0/0 - -")
    form = move_form(view, {"figure": ["A"], "landing": ["6"], "bridge": ["before"]})

    assert sum(mark.css == "ghost" for mark in form.marks) == 2, "the figure and the bridge"


def test_of_a_covered_tile_nothing_is_said_but_that_it_is_there() -> None:
    form = move_form(at("f1 r7s4 o2 s1 | *0/0/0 o - | 0/0/0 - -"), {"figure": ["A"]})

    assert said(form)[1:] == [
        "Tile taken: statue 4 from space 2.",
        "Drew 1 card.",
        "There is another tile underneath.",
    ]


def test_it_draws_what_there_is_to_draw() -> None:
    form = move_form(at("f1 o2 | *0/M/0 f - | 0/0/0 - - | deck - | discards -"), {"figure": ["A"]})

    assert "Drew 1 card." in said(form), "two figures on the mainland would draw two"


@pytest.mark.parametrize(("seats", "seed"), [(2, 11), (2, 12), (3, 13), (4, 14)])
def test_the_scores_it_forecasts_are_those_of_the_game(seats: int, seed: int) -> None:
    *_before, last = sensible(seats, seed)
    view = looking(last)
    (seat,) = ATLANTIS.rules.to_act(last)
    move = ATLANTIS.bot.choose(view, IdentityChance())
    done = simulate(view, move)
    events = ATLANTIS.rules.decide(last, seat, move, SeededChance(bytes(32), 1))
    outcome = ATLANTIS.rules.outcome(ATLANTIS.fold(events, last))
    assert outcome is not None
    assert isinstance(done, Moved)
    lands = done.via[-1]
    space = "mainland" if lands == MAINLAND else str(lands)
    answers: Answers = {
        "do": ["move"],
        "figure": ["ABC"[move.figure]],
        "landing": [space],
        "cards": [".".join(move.cards)],
        "bridge": ["none" if move.bridge_before is None else "before"],
        "gap": [str(move.bridge_before or "")],
    }
    form = move_form(view, answers)

    # Which of equal cards the bot pays with is its secret.
    line = ATLANTIS.notation.describe(move, view)
    assert form.line is not None
    assert form.line.partition(" pay ")[0] == line.partition(" pay ")[0]
    for number, points in enumerate(outcome.scores):
        foretold = next(s for s in said(form) if s.startswith(f"seat {number + 1}’s score: "))
        low, _dots, high = foretold.split(": ")[1].partition(" … ")
        assert int(low) <= points <= int(high or low)


def test_ending_the_game_without_winning_it_is_warned_of() -> None:
    form = move_form(at("f1 o2 | *1/M/M f - | 0/0/M - s7s7s7"), {})

    assert form.line == "A flag"
    assert said(form)[-2:] == ["seat 1’s score: 6", "seat 2’s score: 21"]
    assert "This move ends the game, and you would not win." in warned(form)


# -- answers that do not fit -------------------------------------------------------------


def test_a_landing_out_of_date_leaves_a_sentence_and_the_figure_chosen() -> None:
    form = move_form(at(OPEN), {"figure": ["A"], "landing": ["44"]})

    assert str(form.problem) == "Figure A cannot go there. Choose again."
    assert chosen(form, "figure") == ["A"]
    assert chosen(form, "landing") == []
    assert form.line is None


NAMES = [
    "do",
    "figure",
    "landing",
    "cards",
    "bridge",
    "gap",
    "pay",
    "tile",
]
SENSIBLE = [
    "move",
    "buy",
    "pass",
    "A",
    "B",
    "C",
    "3",
    "4",
    "5",
    "6",
    "mainland",
    "none",
    "before",
    "after",
    "4:olive",
    "3.1",
    "2.1",
    "0",
    "1",
    "2",
    "99",
    "olive",
    "olive.1",
]


@settings(max_examples=by_length(40, 150), deadline=None)
@given(
    st.sampled_from([OPEN, TOLL, "h3 f5 . f7 . o2 | *2/0/M fo s7 b | 0/0/0 - -"]),
    st.dictionaries(
        st.sampled_from(NAMES) | st.text(max_size=5),
        st.lists(st.sampled_from(SENSIBLE) | st.text(max_size=6), max_size=3),
        max_size=8,
    ),
)
def test_no_answer_breaks_the_form_and_its_line_is_always_legal(
    position: str, answers: Answers
) -> None:
    view = at(position)
    form = move_form(view, answers)

    assert form.line is None or form.problem is None
    if form.line is not None:
        try:
            ATLANTIS.notation.parse(form.line, view)
        except MoveError as error:
            pytest.fail(f"{form.line}: {error}")


def test_who_looks_on_is_asked_nothing() -> None:
    form = move_form(ATLANTIS.rules.view(parse_position(OPEN), None), {"figure": ["A"]})

    assert (form.fields, str(form.problem)) == ((), "It’s not your turn.")


PLANNING = "f1 c2 s3 o5 h4 f2 o3 . r6 c1 | *0/0/0 fh s3 | 2/5/0 orr h4f2 b"


def planning(position: str, **answers: str) -> Any:
    """The form of the second player, whose turn it is not."""
    view = ATLANTIS.rules.view(parse_position(position), 1)
    return move_form(view, {name: [value] for name, value in answers.items()})


def test_whose_turn_it_is_not_plans_the_next_one_with_the_same_questions() -> None:
    assert [field.name for field in planning(PLANNING).fields] == ["figure"]
    assert [field.name for field in planning(PLANNING, figure="B").fields][1:] == ["landing"]
    form = planning(PLANNING, figure="B", landing="9")
    assert form.line == "plan B ring, to space 9, at most 3, take at least 3"
    assert [field.name for field in form.fields] == ["figure", "landing"], "no bridge, no payment"
    assert form.marks and "at most" in str(form.preview[0])


def test_a_plan_gets_further_lines_or_is_deleted() -> None:
    state = parse_position(PLANNING)
    rules, parse = ATLANTIS.rules, ATLANTIS.notation.parse
    for line, offered in (("plan A olive", 3), ("plan A olive / B ring / C ring", 2)):
        command = parse(line, rules.view(state, 1))
        left = ATLANTIS.fold(rules.decide(state, 1, command, SeededChance(bytes(32), 1)), state)
        view = rules.view(left, 1)
        (field,) = move_form(view, {}).fields
        assert [field.name, len(field.choices)] == ["do", offered]
        assert move_form(view, {"do": ["none"]}).line == "no plan"
    form = move_form(view, {"do": ["new"], "figure": ["A"], "landing": ["4"]})
    assert str(form.line).startswith("plan A olive, to space 4") and "else" not in str(form.line)
    command = parse("plan A olive", rules.view(state, 1))
    left = ATLANTIS.fold(rules.decide(state, 1, command, SeededChance(bytes(32), 1)), state)
    form = move_form(rules.view(left, 1), {"do": ["add"], "figure": ["B"], "landing": ["9"]})
    assert parse(str(form.line), rules.view(left, 1)).lines[0] == command.lines[0]
    assert " / else B ring" in str(form.line)


def test_who_has_no_legal_move_now_has_nothing_to_plan() -> None:
    form = planning("f1 . c7 | *0/0/0 fh - | 1/1/1 - -")
    assert form.fields == () and "nothing to plan" in str(form.problem)


# -- secrets -----------------------------------------------------------------------------


def test_what_the_player_does_not_know_makes_no_difference() -> None:
    state = parse_position("f1 o4h2 r3s3 . s2 | *0/0/0 ffo s3 b | 2/0/0 rr - | deck fsh")
    path = list(state.path)
    path[1] = (replace(path[1][0], item=Item.RING, value=7), *path[1][1:])
    twin = replace(
        state,
        path=tuple(path),
        deck=tuple(reversed(state.deck)),
        hands=(state.hands[0], tuple(reversed(state.hands[1]))),
    )
    answers: Answers = {"figure": ["A"], "landing": ["3"]}

    assert twin != state
    assert move_form(looking(twin), answers) == move_form(looking(state), answers)
