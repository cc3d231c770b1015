"""People play over the whole service: `python -m tests.load` (`make load`, `make chaos`).

service   what is started, and the mail server that it sends to
fill      the games of these people, by copying
schedule  what they do, drawn beforehand
people    their requests and replies, at the moments that were drawn
faults    what happens to the service in the meantime, if anything
machines  the service on two machines, each part of which leaves and returns
checks    each move and each email once, at the end
"""
