"""Incoming email: stored, parsed, authenticated, read as a command or a move, and answered.

    listener | webhook | pipe ─► intake (a row, nothing else)
        ─► processor, in a task: one transaction
    mime → auto_replies → authenticity → reply_parser → commands → handlers → services → answer

Only the first line that the writer wrote can be a command. Answers go to the user's own address
only, never to one that an email names, and never repeat a move.
"""
