"""How fast years of correspondence play are simulated; `make simulate` runs thousands of them."""

import time
from collections.abc import Callable
from datetime import timedelta

from tests.simulate import pure
from tests.simulate.pure import YEAR, Findings

from .report import Table, progress

TABLES = 5  # through PostgreSQL


def bench(years: int, days: int) -> Table:
    """Table-years of the pure module, and days of TABLES tables through PostgreSQL. Raises
    SystemExit if a promise about time was broken."""
    from django.db import transaction

    from tests.simulate import service

    table = Table(
        "Years of correspondence play, in processor time of Python",
        ("", "table-years", "a table-year", "deadlines moved", "promises broken"),
    )
    progress(f"{years} table-years of the pure module")
    _add(table, "pure module", years, lambda: pure.run(range(years)))
    progress(f"{days} days of {TABLES} tables through PostgreSQL")
    with transaction.atomic():
        length = timedelta(days=days)
        in_years = TABLES * length / YEAR
        _add(table, "PostgreSQL", in_years, lambda: service.run(tables=TABLES, length=length))
        transaction.set_rollback(True)
    return table


def _add(table: Table, name: str, years: float, run: Callable[[], Findings]) -> None:
    begin = time.process_time()
    found = run()
    seconds = (time.process_time() - begin) / years
    if found.faults:
        raise SystemExit("\n".join(found.faults))
    moved = found.counts["deadlines moved"]
    table.add(name, f"{years:.2f}", f"{seconds * 1000:,.0f} ms", f"{moved:,}", "0")
