"""The file of the benchmarks says where they were measured and which aims are met."""

from tests.bench.record import commit, document, machine
from tests.bench.report import Table, aims_of


def test_a_file_names_machine_date_and_commit() -> None:
    text = document([], 0.5, 0.4)
    assert machine() in text
    assert commit() in text
    assert " UTC" in text


def test_aims_are_a_table_that_says_which_are_met() -> None:
    table = Table("Emails", ("what", "time"))
    table.aim("one email", 0.0131, most=0.015)
    table.aim("ratio", 0.2, least=0.9, write="{:.1f}".format)
    table.aim("all of them", 75, most=60)
    assert aims_of([table, Table("Others", ())]).rows == [
        ("one email", "at most 15.00 ms", "13.10 ms", "yes"),
        ("ratio", "at least 0.9", "0.2", "no"),
        ("all of them", "at most 60 s", "75 s", "no"),
    ]
