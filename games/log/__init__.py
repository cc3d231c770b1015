"""The log of a game: its events and the rows that are computed from them.

event_store reads and appends events; stored_rows checks and exports them. table_events (from the
rules) are the events of a table around those of its game. loader reads a game with its log and
seats in one message; projections write the rows of lists and deadlines.
"""

from games.rules import table_events as table_events
