"""Start and stop all processes of the service together, for `make play` and the tests.

reaper      runs one command and cleans up after it, in a process of its own
children    a handle on one such command
fork_server starts Python programs as copies of one process, which share its memory
postgres    the PostgreSQL server of a wheel
broker      the Redis-protocol server of a wheel
stack       the two servers, web, events, worker, beat and mail listener as one unit
play        the command that `make play` runs

Nothing here imports Django or the games.
"""
