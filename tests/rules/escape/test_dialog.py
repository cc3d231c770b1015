"""The turn form: every legal move can be filled in, nothing else, and no answer breaks it."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import pytest
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.errors import MoveError
from games.rules.escape import ESCAPE
from games.rules.escape.form import move_form, preview
from games.rules.escape.model import (
    Began,
    Boarded,
    Launch,
    Launched,
    Place,
    Placed,
    Plan,
    Played,
    Steer,
    Steered,
    Stepped,
    Turned,
    TurnStage,
    View,
)
from games.rules.escape.notation import parse
from games.rules.move_form import FormField, MoveForm
from games.translate import say
from tests.support.lengths import by_length

from .games import sensible, wandering
from .scenes import Scene
from .table import Table

Answers = Mapping[str, Sequence[str]]
BEACH = "E5 beach U1 | E6 beach | D5 ship | D6 U2 shark"


def ask(view: View, **answers: str) -> MoveForm[Any]:
    return move_form(view, {name: [value] for name, value in answers.items()})


def asked(form: MoveForm[Any]) -> list[str]:
    return [field.name for field in form.fields]


def field(form: MoveForm[Any], name: str) -> FormField:
    return next(field for field in form.fields if field.name == name)


def values(form: MoveForm[Any], name: str) -> list[str]:
    return [option.value for option in field(form, name).choices]


def chosen(form: MoveForm[Any], name: str) -> list[str]:
    return [option.value for option in field(form, name).choices if option.selected]


def said(form: MoveForm[Any]) -> str:
    return " ".join(map(str, form.preview))


def warned(form: MoveForm[Any]) -> str:
    return " ".join(map(str, form.warnings))


class TestTurn:
    def test_steps_are_chosen_one_after_another(self) -> None:
        view = Scene(BEACH).view(1)
        form = ask(view)
        assert asked(form) == ["who1"]
        form = ask(view, who1="U1")
        assert asked(form) == ["who1", "step1"]
        assert "U1 ship D5" in values(form, "step1")
        form = ask(view, who1="U1", step1="U1 ship D5")
        assert asked(form) == ["step1", "who2"]
        form = ask(view, step1="U1 ship D5", step2="sail D5 C5", step3="sail C5 B5")
        assert asked(form) == ["step1", "step2", "step3", "who4"]
        form = ask(view, step1="U1 ship D5", step2="sail D5 C5", who3="sink E5")
        assert form.line == "U1 ship D5, sail D5 C5, sink E5"

    def test_the_position_is_redrawn_after_each(self) -> None:
        view = Scene(BEACH).view(1)
        assert ask(view).view is None
        redrawn = ask(view, step1="U1 ship D5", step2="sail D5 C5").view
        assert redrawn == Scene(BEACH).play("U1 ship D5, sail D5 C5").view(1)

    def test_a_step_can_be_taken_back(self) -> None:
        view = Scene(BEACH).view(1)
        assert values(ask(view, step1="U1 ship D5"), "step1") == ["U1 ship D5", "back"]
        form = ask(view, step1="back")
        assert form.problem is None
        assert asked(form) == ["who1"]

    def test_a_step_that_another_made_impossible_says_so(self) -> None:
        form = ask(Scene(BEACH).view(1), step1="back", step2="sail D5 C5")
        assert form.line is None or "sail" not in form.line
        form = ask(Scene(BEACH).view(1), step1="sail D5 C5", step2="U1 ship D5")
        assert "no longer possible" in str(form.problem)

    def test_a_tile_is_sunk_in_place_of_a_step(self) -> None:
        form = ask(Scene(BEACH).view(1))
        assert chosen(form, "who1") == [] and form.line is None
        assert str(field(form, "who1").prompt).startswith("Step 1 of 3: choose a piece, or a beach")
        marks = {option.value: option.element_id for option in field(form, "who1").choices}
        assert marks["sink E6"] == "hex-4-5"
        assert ask(Scene(BEACH).view(1), who1="sink E6").line == "sink E6"

    def test_after_the_last_step_only_tiles_are_left_to_choose(self) -> None:
        view = Scene(BEACH).view(1)
        form = ask(view, step1="U1 ship D5", step2="sail D5 C5", step3="sail C5 B5")
        assert all(value.startswith("sink ") for value in values(form, "who4"))
        assert str(field(form, "who4").prompt) == "Which beach tile do you want to sink?"

    def test_a_tile_that_cannot_sink_any_more_says_so(self) -> None:
        assert "cannot sink now" in str(ask(Scene(BEACH).view(1), who1="sink J1").problem)

    def test_where_only_one_tile_can_sink_it_is_chosen_already(self) -> None:
        view = Scene("E5 beach U1 | E6 forest V1", shore=False).view(1)
        form = ask(view)
        assert chosen(form, "who1") == ["sink E5"]
        assert form.line == "sink E5"

    def test_when_no_land_is_left_the_turn_ends_with_the_die(self) -> None:
        view = Scene("options ending=last | A3 U1 | B9 V1 | dry 3", shore=False).view(1)
        assert ask(view).line == "roll"
        assert ask(view, step1="U1 swim A4").line == "U1 swim A4, roll"

    def test_a_kept_tile_comes_first(self) -> None:
        view = Scene(f"{BEACH} | kept 1 dolphin shark-defence").view(1)
        form = ask(view)
        assert values(form, "tile") == ["none", "dolphin"]
        form = ask(view, tile="dolphin", tile_to="C5", who1="sink E5")
        assert form.line == "dolphin U2 C5, sink E5"
        assert "it carried U2 to C5" in said(form)

    def test_own_values_are_shown(self) -> None:
        form = ask(Scene("E5 beach U1=4 | E6 beach").view(1))
        assert any("worth 4" in str(option.label) for option in field(form, "who1").choices)

    def test_danger_is_pointed_out(self) -> None:
        form = ask(Scene(BEACH).view(1), step1="U1 swim D6", who2="sink E6")
        assert "shark" in said(form)
        assert "your own explorers in danger: U1" in warned(form)

    def test_own_people_on_the_sinking_tile_are_pointed_out(self) -> None:
        assert "are on the tile you sink: U1" in warned(ask(Scene(BEACH).view(1), who1="sink E5"))

    def test_steps_left_over_are_pointed_out(self) -> None:
        form = ask(Scene(BEACH).view(1), step1="U1 E6", who2="sink E5")
        assert "have 2 steps left" in warned(form)

    def test_options_name_the_board_elements_they_stand_for(self) -> None:
        view = Scene(BEACH).view(1)
        marks = {
            option.value: option.element_id
            for option in field(ask(view, who1="U1"), "step1").choices
        }
        assert marks["U1 ship D5"] == "ship-3-4"
        assert marks["U1 swim D5"] == "hex-3-4"
        who = {option.value: option.element_id for option in field(ask(view), "who1").choices}
        assert who["U1"] == "explorer-U1"
        drawing = ESCAPE.board_svg(view, {mark: "?" for mark in who.values() if mark})
        assert all(f'<a id="{mark}"' in drawing for mark in who.values() if mark)


class TestOtherQuestions:
    def test_an_explorer_is_placed_by_value_and_hex(self) -> None:
        form = ask(Table().view(1), value="6", hex="E5")
        assert form.line == "place 6 E5"

    def test_a_ship_is_placed(self) -> None:
        assert ask(Table().place_all().view(1), hex="C5").line == "ship C5"

    def test_a_plan_of_wishes_ships_and_a_preset(self) -> None:
        form = ask(
            Table().view(2),
            do="plan",
            preset="coast",
            wish1="6",
            wish1_hex="E5",
            wish2="5",
            wish2_hex="D5",
            ship1="D4",
        )
        assert form.line == "plan 6 E5, 5 D5, ship D4, coast"

    def test_place_the_rest_for_me(self) -> None:
        assert ask(Table().view(2), do="plan", preset="spread").line == "plan spread"

    def test_an_old_plan_is_filled_in(self) -> None:
        table = Table().play("plan 6 E5, inland", seat=2)
        form = ask(table.view(2), do="plan")
        assert chosen(form, "preset") == ["inland"]
        assert chosen(form, "wish1") == ["6"]
        assert chosen(form, "wish1_hex") == ["E5"]
        assert form.line == "plan 6 E5, inland"

    def test_a_standing_answer_may_be_left_at_any_time(self) -> None:
        view = Scene(BEACH).view(2)
        assert asked(ask(view)) == ["do", "creature"]
        assert (
            ask(view, do="standing", creature="whale", answer="2").line == "standing whale from 2"
        )

    def test_a_player_who_is_asked_can_leave_one_too(self) -> None:
        form = ask(Scene(BEACH).view(1), do="standing", creature="shark", answer="0")
        assert form.line == "standing shark never"

    def test_a_creature_is_moved_or_none(self) -> None:
        view = Scene("A3 shark | A5 V1 | rolled shark").view(1)
        assert ask(view, creature="none").line == "stay"
        form = ask(view, creature="A3", to="A5")
        assert form.line == "shark A3 A5"
        assert "Lost: V1" in said(form)

    def test_a_crew_is_picked(self) -> None:
        view = Scene("E5 U1 U2 V1 V2 ship | site E5").view(1)
        form = move_form(view, {"crew": ["U1", "V1", "V2"]})
        assert form.line == "crew U1 V1 V2"
        assert "exactly three" in str(move_form(view, {"crew": ["U1"]}).problem)

    def test_a_defence_is_offered_only_to_who_has_it(self) -> None:
        for tile, options in (("shark-defence", ["allow", "defend"]), ("dolphin", ["allow"])):
            scene = Scene(f"A3 shark | A4 V1 | kept 2 {tile}", dice="shark").play("sink J7")
            view = scene.play("shark A3 A4").view(2)
            assert values(ask(view), "answer") == options
        assert "Lost: V1" in said(ask(view, answer="allow"))

    def test_a_spectator_is_asked_nothing(self) -> None:
        form = ask(Scene(BEACH).view(None))
        assert form.fields == ()
        assert form.problem is not None

    def test_when_the_game_is_over_nothing_is_asked(self) -> None:
        *_before, last = wandering(2, 5)
        assert "over" in str(move_form(ESCAPE.rules.view(last.after, 0), {}).problem)


def walk(view: View, line: str) -> MoveForm[Any]:
    """The form filled in, option by option, until it says this line."""
    answers: dict[str, list[str]] = {}
    words = line.split(", ")
    for number, words_of_step in enumerate(
        [
            part
            for part in words
            if part.split()[0] not in ("sink", "roll", "dolphin", "wind", "move")
        ],
        view.board.steps + 1,
    ):
        answers[f"step{number}"] = [words_of_step]
    last = f"who{view.board.steps + len(answers) + 1}"
    for part in words:
        head, *rest = part.split()
        if head == "sink":
            answers[last] = [part]
        elif head in ("dolphin", "wind"):
            answers |= {"tile": [head], "tile_who": [rest[0]], "tile_to": [rest[1]]}
        elif head == "move":
            answers |= {
                "tile": [f"move {rest[0]}"],
                "tile_who": [rest[1]],
                "tile_to": [rest[2]],
            }
    return move_form(view, answers)


@pytest.mark.parametrize("seats", [2, 4])
def test_every_turn_of_whole_games_can_be_filled_in(seats: int) -> None:
    for moment in sensible(seats):
        view = ESCAPE.rules.view(moment.state, moment.seat)
        line = ESCAPE.notation.describe(moment.command, view)
        if isinstance(moment.state.board.stage, TurnStage):
            assert walk(view, line).line == line


def leads(view: View, answers: dict[str, list[str]], depth: int) -> set[str]:
    """Every line that choosing among the options shown leads to."""
    form = move_form(view, answers)
    assert form.problem is None, (answers, str(form.problem))
    found = {form.line} if form.line else set()
    if depth:
        for question in form.fields:
            if question.name not in answers and question.kind == "one":
                for option in question.choices:
                    found |= leads(view, {**answers, question.name: [option.value]}, depth - 1)
    return found


def test_every_line_that_the_form_leads_to_is_legal() -> None:
    scene = Scene("E5 beach U1 | D5 ship | J7 beach V1", shore=False)
    lines = leads(scene.view(1), {}, 3)
    assert {"sink E5", "U1 ship D5, sink E5", "sail D5 C5, sink J7"} <= lines
    for line in lines:
        command = parse(line, scene.view(1))
        ESCAPE.rules.decide(scene.state, 0, command, scene.dice)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "do",
                "tile",
                "tile_who",
                "tile_to",
                "step1",
                "step2",
                "step3",
                "who1",
                "who4",
                "value",
                "hex",
                "preset",
                "wish1",
                "wish1_hex",
                "ship1",
                "creature",
                "answer",
                "crew",
                "to",
            ]
        ),
        st.lists(
            st.sampled_from(
                ["", "U1", "E5", "sink E5", "none", "back", "plan", "standing", "6", "dolphin", "x"]
            )
        ),
        max_size=6,
    )
)
@settings(max_examples=by_length(40, 150), deadline=None)
def test_no_answer_breaks_the_form(answers: dict[str, list[str]]) -> None:
    for view in (
        Scene(f"{BEACH} | kept 1 dolphin").view(1),
        Scene(BEACH).view(2),
        Table().view(1),
        Scene("A3 shark | A5 V1 | rolled shark").view(1),
    ):
        form = move_form(view, answers)
        if form.line is not None:
            parse(form.line, view)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize(
    "line", ["U1 ship D5, sink E6", "U1 swim D6, sink E5", "U1 E6, sink E5", "wind D5 B5, sink E6"]
)
def test_no_sentence_of_a_preview_is_a_move(line: str, language: str) -> None:
    """An email that quotes the preview must not make the move that it describes."""
    view = Scene("E5 beach U1 U2 | E6 beach | D5 ship | D6 U3 shark | kept 1 wind").view(1)
    with translation.override(language):
        sentences = [say(sentence) for sentence in preview(view, parse(line, view)).preview]
    assert len(sentences) >= 2
    for sentence in sentences:
        with pytest.raises(MoveError):
            raise AssertionError(sentence, parse(sentence, view))


KNOWN = (Placed, Launched, Boarded, Steered, Played, Stepped)


@pytest.mark.parametrize("seats", [2, 4])
def test_the_preview_begins_with_what_the_log_will_say(seats: int) -> None:
    for moment in sensible(seats):
        events = [event for event in moment.events if not isinstance(event, Began | Turned)]
        known = list(takewhile(lambda event: isinstance(event, KNOWN), events))
        if not known or isinstance(moment.command, Plan) or getattr(known[0], "auto", False):
            continue
        if isinstance(moment.command, Place | Launch | Steer):
            known = known[:1]  # what follows is carried out for others
        log = ESCAPE.presentation.sentences(
            [ESCAPE.rules.visible(event, moment.seat) for event in known]
        )
        view = ESCAPE.rules.view(moment.state, moment.seat)
        foretold = said(preview(view, moment.command))
        assert foretold.startswith(" ".join(str(text) for text in log if text is not None))
