"""The servers and processes of one service, started and stopped as one: `make play` and the tests.

guard keeps one process and everything it starts; children is the handle on it; postgres and
broker bring up the two servers out of their wheels; house knows which processes make the
service; play is the command with its words for people. Nothing here knows games or mails.
"""
