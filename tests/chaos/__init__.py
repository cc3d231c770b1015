"""Faults in a running service while people play: `python -m tests.chaos` (`make chaos`).

The service is what the supervisor starts, with durable PostgreSQL. A hundred games are played by
page and by reply while one fault after the other happens to it. The run ends by itself.
"""
