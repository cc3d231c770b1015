"""The public state of tables as short texts, by which an open page notices that it is out of date.

The state of a table is "57.1767323045123": its version and the time of its latest note in
milliseconds, 0 without notes. Both are public to everybody who may see the table; private orders
and talk change neither. Its talk is a topic of its own, TALK and the name of the table, which only
those follow who may read it; its state has the number of the last message and how many are
readable. The list of open tables, topic LOBBY, has a digest as its state. A page may show several
topics; its stamp sums up their states.

A ticket names the session that it was issued in, by a digest. The event process follows the digest
like a topic, and ends the streams of a session with it.

Without Django: the process that pushes changes (atlantis_site.events) needs nothing else of the
games.
"""

from collections.abc import Sequence
from hashlib import blake2s, sha256

# Of NOTIFY. The payload is "<topic> <state>", LOBBY alone, or "<digest of a session> gone", which a
# trigger sends (migration 0002).
CHANNEL = "tables"
GONE = "gone"  # the state of a table, or of a session, that does not exist
LOBBY = "lobby"
TALK = "talk-"  # begins the topic of the talk at a table
TICKET_SALT = "games.web.page_stamps"
TICKET_SECONDS = 900  # for so long a ticket opens a stream, and then the stream ends
MOST_TOPICS = 120

_STATE = (
    "game.version || '.' || coalesce((SELECT floor(max(extract(epoch FROM note.at)) * 1000)::bigint"
    " FROM games_message note"
    " WHERE note.game_id = game.id AND note.seq IS NOT NULL AND note.state = ''), 0)"
)
# Of the talk at the table of the outer query.
TALK_STATE = (
    "(SELECT games_game.talk_open || '.' || coalesce(max(message.id), 0) || '.'"
    " || count(*) FILTER (WHERE message.state = '')"
    " FROM games_message message WHERE message.game_id = games_game.id)"
)
# (topic, state) of tables by their public ids.
SELECT_STATES = (
    f"SELECT game.public_id, {_STATE} FROM games_game game WHERE game.public_id = ANY(%s)"  # noqa: S608 (constants)
)
SELECT_TALK_STATES = (
    f"SELECT '{TALK}' || public_id, {TALK_STATE} FROM games_game"  # noqa: S608 (constants)
    f" WHERE public_id = ANY(ARRAY(SELECT substr(topic, {len(TALK) + 1})"
    f" FROM unnest(%s::text[]) AS topic WHERE topic LIKE '{TALK}%%'))"
)
SELECT_LOBBY = (
    "SELECT md5(coalesce(string_agg(id || '.' || version, ',' ORDER BY created_at DESC, id), ''))"
    " FROM (SELECT id, version, created_at FROM games_game WHERE status = 'gathering' AND is_open"
    " ORDER BY created_at DESC LIMIT 31) AS tables"
)
_SESSION = "encode(sha256(session_key::bytea), 'hex')"  # indexed; see `session_digest`
# (digest, state) of the sessions that go on.
SELECT_SESSIONS = (
    f"SELECT {_SESSION}, 'open' FROM django_session"  # noqa: S608 (constants)
    f" WHERE {_SESSION} = ANY(%s) AND expire_date > now()"
)
# Announces the state of a table, by its primary key, at the commit of the transaction.
ANNOUNCE = (
    f"SELECT pg_notify('{CHANNEL}', game.public_id || ' ' || {_STATE})"  # noqa: S608 (constants)
    " FROM games_game game WHERE game.id = %s"
)
ANNOUNCE_TALK = (
    f"SELECT pg_notify('{CHANNEL}', '{TALK}' || public_id || ' ' || {TALK_STATE})"  # noqa: S608 (constants)
    " FROM games_game WHERE id = %s"
)
ANNOUNCE_LOBBY = f"SELECT pg_notify('{CHANNEL}', '{LOBBY}')"


def stamp(states: Sequence[str]) -> str:
    """The stamp of a page that shows topics in these states."""
    if len(states) == 1:
        return states[0]
    return blake2s(",".join(states).encode(), digest_size=8).hexdigest()


def session_digest(key: str) -> str:
    """A public name of the session with this key, which is too long to be guessed from it."""
    return sha256(key.encode()).hexdigest()


def ticket_body(person: str, session: str, topics: Sequence[str]) -> str:
    """The content of a ticket before it is signed. person: by which streams are counted. session:
    its digest. Both are "" for a visitor."""
    return ",".join((person, session, *topics))


def read_ticket_body(body: str) -> tuple[str, str, tuple[str, ...]]:
    """(person, session, topics) of a ticket whose signature is right. ValueError for another
    form."""
    person, session, *topics = body.split(",")
    return person, session, tuple(topics)
