"""`make bench`: measure parts of the service, each beside something else in the same run.

rules         the engines alone, in whole games
pictures      boards of emails, and the parts of them that emails enlarge
memory        `make play` while nobody plays
pages         as browsers ask for them, compressed, and plain
events        open pages that listen, and what NOTIFY costs
waiting       claims of regular tasks, and /readyz, beside many rows
inbound       mutated replies; fails if one breaks the reader or moves by quoted text
              (`inbound --mutants 100000` is the long run)
browser       a table page in Chromium

The servers live in a temporary folder and listen on loopback only. Aims are ratios within one run,
or counts; none is a failure. `make load` measures the service as a whole.
"""
