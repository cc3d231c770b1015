"""How pytest runs these tests: servers, order, costs, and what is left out or made cheap."""

import pytest

# Helpers that assert something show the values when it does not hold, as tests do.
pytest.register_assert_rewrite("tests.factories", "tests.support")
