"""Two files with results of the benchmarks are compared figure by figure."""

from tests.bench.record import commit, compare, document, machine, read
from tests.bench.report import Table, aims_of


def results(mails: int, rate: float, *, ratio: str) -> str:
    table = Table(f"{mails} turn emails to one server", ("", "emails per second", "ratio"))
    table.add("smtplib", "230", "1.00")
    table.add("outbox, 2 workers", f"{rate:.1f}", ratio)
    return document([str(table)], 0.5, 0.4)


def test_figures_are_found_by_title_row_and_column() -> None:
    title = "# turn emails to one server"
    assert read(results(30, 44, ratio="0.19"))[title, "outbox, 2 workers", "ratio"] == [0.19]


def test_a_comparison_shows_each_change_and_marks_large_ones() -> None:
    rows = compare(results(30, 100, ratio="0.50"), results(40, 130, ratio="0.52")).rows
    outbox = [row for row in rows if "outbox" in row[0]]
    assert [row[1:] for row in outbox] == [("100", "130", "+30% !"), ("0.5", "0.52", "+4%")]


def test_what_one_file_lacks_is_named() -> None:
    rows = compare(results(30, 100, ratio="0.5"), document([], 0, 0.4)).rows
    assert {row[1:] for row in rows} == {("present", "", "")}


def test_a_file_names_machine_date_and_commit() -> None:
    text = results(30, 44, ratio="0.19")
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


def test_a_comparison_shows_what_a_run_found_for_its_aims() -> None:
    def run(seconds: float) -> str:
        table = Table("Emails", ())
        table.aim("one email", seconds, most=0.015)
        return document([str(aims_of([table]))], 0.5, 0.4)

    rows = compare(run(0.030), run(0.015)).rows
    assert [row[1:] for row in rows if row[0].endswith("in this run")] == [("30", "15", "-50% !")]
