"""Every write: one function for each thing that a user, a clock or a bot can do.

A function that changes a game is one transaction, in which the row of the game is locked: it
appends to the log, updates the rows of lists and deadlines and queues the emails that follow.
Functions that open their own transaction take keyword arguments only; `game_id` is Game.pk. A
refusal is a ServiceError, translated for its reader, or the engine's MoveError, and then nothing
has changed. A function whose name ends in `_locked` takes a game that its caller has locked, and
one that ends in `_in_transaction` runs in that of its caller. Services neither render nor send.
"""

from .absences import (
    MovedDeadline,
    absence_end,
    absence_enter,
    absence_enter_in_transaction,
)
from .account_moderation import (
    moderate_close,
    moderate_close_talk,
    moderate_emails,
    moderate_factor,
    moderate_lift,
    moderate_open_talk,
    moderate_permissions,
    moderate_person,
    moderate_role,
    moderate_sessions,
    moderate_suspend,
    moderate_warn,
    suspensions_end_due,
)
from .addresses import (
    address_has_refused,
    address_refuse,
    address_unblock,
    domain_unblock,
    mails_retry,
    reports_work,
    transport_retry,
)
from .administrators import administrator_make, enrolment_finish, enrolment_user
from .appeals import (
    appeal_answer,
    appeal_make,
    appeal_obstacle,
    appeals_for,
    appeals_forget,
    last_suspension,
)
from .bots import bots_sweep, bots_waiting, game_play_bots
from .circles import (
    circle_channel,
    circle_channel_remove,
    circle_channel_test,
    circle_close,
    circle_create,
    circle_game_count,
    circle_game_uncount,
    circle_hand_over,
    circle_invite,
    circle_join,
    circle_leave,
    circle_remove,
    circle_replace_link,
    circles_leave,
    moderate_circle_close,
    moderate_circle_rename,
)
from .clean_text import clean_name
from .credentials import (
    account_close,
    account_keep,
    account_restore,
    accounts_delete_due,
    change_dispute,
    change_is_disputable,
    change_report,
    feed_count,
    feed_key_create,
    feed_key_revoke,
    freezing_change,
    records_purge,
    sessions_close,
)
from .deadlines import (
    OUTAGE_THRESHOLD,
    deadline_check,
    in_service,
    outages_apply,
    reminders_due,
)
from .decisions import Ruling, decision_text_remove, latest_decision, message_remove
from .dry_run import DryRun, TableRun, dry_run, require_possible
from .errors import GameMoved, NotAllowed, ServiceError
from .heartbeats import (
    FORGOTTEN,
    HeartbeatThread,
    heartbeat,
    heartbeat_end,
    heartbeat_record,
    heartbeats_purge,
)
from .invitations import (
    MAX_ADDRESS,
    game_invite,
    game_invite_again,
    game_replace_link,
    invitation_decline,
)
from .lobby import (
    game_add_bot,
    game_join,
    game_leave,
    game_remove_bot,
    game_remove_player,
    game_start,
)
from .moderation import (
    SEAT_OFFER_PERIOD,
    inbound_retry,
    inbound_reveal,
    moderate_abort,
    moderate_excuse,
    moderate_extend,
    moderate_hand_seat,
    moderate_offer_seat,
    moderate_own_game,
    moderate_pause,
    moderate_play_bot,
    moderate_rename,
    moderate_resume,
    moderate_reveal,
    moderate_rollback,
    offered_seat,
    seat_offer_accept,
)
from .moderators import (
    CHANGE_ROLES,
    Involvement,
    Role,
    appoint,
    daily_figures_send,
    games_kept_from,
    has_more_rights,
    has_right,
    involvement,
    is_alone,
    role_of,
)
from .moves import (
    Played,
    game_play,
    game_play_line,
    game_play_line_locked,
    game_resign,
    game_resign_locked,
    note_add_locked,
    require_may_resign,
    step_undo_locked,
)
from .new_tables import game_create, game_rematch, practice_create, waiting_tables_check
from .people import (
    all_mail_switch,
    device_add,
    device_forget,
    device_remove,
    devices_remove,
    export_count,
    game_mail_switch,
    mail_kind_is_off,
    mail_kind_switch,
    mail_preferences_set,
    person_figures_switch,
    person_hints_switch,
    person_rename,
    person_seen,
    person_sign_up,
    person_update,
    personal_data_count,
    preview_count,
    table_seen,
    trial_count,
)
from .player_reports import (
    conduct_report,
    message_report,
    name_report,
    player_reports_purge,
    reports_close,
    reports_for,
    reports_judge,
    reports_tell,
)
from .quotas import QuotaExceeded
from .recovery_codes import (
    is_recovery_code,
    recovery_code_use,
    recovery_codes_make,
    recovery_codes_of,
    recovery_codes_renew,
)
from .sign_in import code_count, sessions_purge, sign_ups_purge
from .sweeps import Sweep, alone
from .talk import (
    message_delete,
    message_write,
    message_write_locked,
    person_block,
    person_mute,
    require_may_talk,
    talk_seen,
    talk_switch,
)
from .timeouts import (
    day_give,
    day_give_locked,
    host_call,
    player_nudge,
    player_nudge_locked,
    seat_open,
    seat_take_back,
    seat_take_back_locked,
    seat_take_over,
)
from .votes import (
    VoteIsOver,
    vote_answer,
    vote_answer_locked,
    vote_open,
    vote_open_locked,
    votes_due,
)
