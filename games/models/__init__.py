"""Django models: fields, constraints and properties of single rows.

Services write, selectors read, and only games.log touches GameEvent and GameOrder.
"""

from . import database_clock
from .account import AddressRecord, CredentialChange, FeedKey, PushDevice
from .circle import MOST_MEMBERS, ChannelPost, Circle, Membership, Uncounted
from .event import GameEvent, GameOrder
from .game import (
    BANKS,
    CLOSES_AFTER,
    HALF_DAY,
    MISSES,
    PACES,
    SHARES,
    WAITS_FOR,
    BotLevel,
    Game,
    Seat,
    TableSettings,
    name_at,
    seat_names,
)
from .game_data import (
    AT_TABLE,
    MAX_TALK,
    MAX_WAIT,
    NOTED_EVERY,
    FormerSeat,
    Message,
    TablePresence,
)
from .inbound import InboundMail
from .invitation import MAX_MESSAGE, Invitation
from .mail_preferences import (
    PREFERENCES,
    DeliveryMode,
    MailAddress,
    MailReport,
    StopReason,
    address_digest,
    address_mask,
    keyed_digest,
)
from .moderation import (
    APPEAL_PERIOD,
    RESTRICTING,
    Action,
    Appeal,
    Decision,
    DecisionText,
    Report,
    Rule,
)
from .names import (
    appearance,
    bot_name,
    former_player,
    has_letter,
    has_link,
    has_many_marks,
    has_one_script,
    is_reserved,
    names_at_table,
    without_blanks,
)
from .outbox import Heartbeat, MailTransport, Outage, OutboxMail
from .people import FOR_GOOD, SecondFactor, User, active, not_suspended
from .quota import MANY_REFUSALS, QuotaUse
