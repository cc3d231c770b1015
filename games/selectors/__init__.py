"""Every read: which users may see a game, and what they see of it.

One access check per object (`game_for`). Whatever shows the game itself has gone through
`engine.rules.view` and `engine.rules.visible` for the reader's seat; once the game is over nothing
is secret. A page costs a fixed number of queries, however long the game. Never writes.
"""

from games.translate import day

from .access import (
    DISPUTE,
    NOBODY,
    NotFound,
    NotSeated,
    Reader,
    can_restore,
    can_take_back,
    feed_digest,
    feed_key,
    game_for,
    has_played,
    in_circle_of,
    invitation_for,
    is_invited,
    know_each_other,
    linked_game,
    linked_seat,
    may_act,
    may_see,
    may_take_over,
    open_seats,
    person_by_address,
    place_of,
    played_with,
    player_on,
    rematch_for,
    seat_of,
    seats_to_offer,
    trusted_addresses,
    turn_is_open,
    was_removed,
    why_not_active,
)
from .circles import (
    after_leaving,
    circle_for,
    circle_invitation_for,
    circle_invitations_to,
    circles_of,
    counted_games,
    may_found,
    members,
    next_founder,
    standing_line,
    standings_of,
    standings_text,
    uncounted_games,
    unposted_at,
)
from .deadlines import (
    DAY,
    LatePlayer,
    absence_text,
    deadline_lines,
    deadline_sentence,
    effect_lines,
    late_players,
    open_absences,
    pitch,
    possible_help,
    then_sentence,
    time_control_lines,
    was_given_day,
    was_nudged,
)
from .exports import personal_data, record_lines
from .game_lists import (
    GameRow,
    Home,
    TableFilter,
    WaitingGame,
    WaitingTurn,
    awaited,
    circle_games,
    games_in_progress,
    home,
    invitations_by,
    may_come_again,
    open_tables,
    resigned,
    tables,
    waiting_games,
    waiting_turns,
)
from .log_statistics import (
    NEWCOMER,
    Miss,
    Reliability,
    Statistics,
    may_see_figures,
    newcomers,
    reliability,
    statistics,
)
from .moves import (
    LogLine,
    Recap,
    ending_sentence,
    lapsed_orders_sentence,
    lost_orders,
    recap,
    sentence_of,
    sentences_of,
    since_last_move,
    undone_orders_sentence,
    unfit_lines,
    unfit_orders_sentence,
)
from .page_stamps import home_topics, stamp_of, table_stamp, table_topics, tables_topics
from .seat_names import SeatNames, name_at_start
from .table_pages import TablePage, position_at, table_page
from .talk import RECALL, Talk, is_waiting, may_switch, readable, talk_of, why_no_talk, why_no_words
from .votes import (
    PossibleVote,
    VoteText,
    ended_vote_sentence,
    held_sentence,
    nobody_answers_sentence,
    pause_sentences,
    possible_votes,
    vote_news,
    vote_text,
)
