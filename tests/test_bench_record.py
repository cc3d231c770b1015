"""Two files with results of the benchmarks are compared figure by figure."""

from tests.bench.record import commit, compare, document, machine, read
from tests.bench.report import Table


def results(mails: int, rate: float, *, ratio: str) -> str:
    table = Table(f"{mails} turn emails to one server", ("", "emails per second", "ratio"))
    table.add("smtplib", "230", "1.00")
    table.add("outbox, 2 workers", f"{rate:.1f}", ratio)
    return document([str(table)], 0.5)


def test_figures_are_found_by_title_row_and_column() -> None:
    title = "# turn emails to one server"
    assert read(results(30, 44, ratio="0.19"))[title, "outbox, 2 workers", "ratio"] == [0.19]


def test_a_comparison_shows_each_change_and_marks_large_ones() -> None:
    rows = compare(results(30, 100, ratio="0.50"), results(40, 130, ratio="0.52")).rows
    outbox = [row for row in rows if "outbox" in row[0]]
    assert [row[1:] for row in outbox] == [("100", "130", "+30% !"), ("0.5", "0.52", "+4%")]


def test_what_one_file_lacks_is_named() -> None:
    rows = compare(results(30, 100, ratio="0.5"), document([], 0)).rows
    assert {row[1:] for row in rows} == {("present", "", "")}


def test_a_file_names_machine_date_and_commit() -> None:
    text = results(30, 44, ratio="0.19")
    assert machine() in text
    assert commit() in text
    assert " UTC" in text
