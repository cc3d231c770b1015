"""Few iterations for hashes of recovery codes: ten of the real strength take two seconds."""

from games.services import recovery_codes

REAL_ITERATIONS = recovery_codes.ITERATIONS


def pytest_configure() -> None:
    recovery_codes.ITERATIONS = 1_000
