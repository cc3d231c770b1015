"""The busiest hour of a club over the whole service: `python -m tests.load` (`make load`).

fill      the games of these people, by copying
schedule  what they do, drawn beforehand
people    their requests and replies, at the moments that were drawn
checks    each move and each email once, at the end
"""
