"""`make bench`: measure the parts of the service, each beside a baseline in the same run.

rules     the engines alone, in whole games and fixed positions
memory    `make play` while nobody plays
moves     a move over HTTP, beside a bare view
outbox    emails through two workers, beside plain smtplib
sweeps    deadlines, reminders and turns of bots that are due in the same minute
inbound   mutated replies; fails if one breaks the reader or moves by quoted text
          (`inbound --mutants 100000` is the long run)

The servers live in a temporary folder and listen on loopback only. The output is tables; no time
counts as a failure.
"""
