"""The examples in docstrings of the rules are true."""

import doctest

import games.rules


def test_the_example_of_the_package_plays_a_move() -> None:
    failed, tried = doctest.testmod(games.rules)
    assert tried > 0
    assert failed == 0
