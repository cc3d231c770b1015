"""Plugins of pytest: servers, order, costs, and tests that are left out or made cheap."""

import pytest

# Helpers that assert something show the values when it does not hold, as tests do.
pytest.register_assert_rewrite("tests.factories", "tests.support")
