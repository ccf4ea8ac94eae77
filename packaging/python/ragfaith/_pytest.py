"""A pytest plugin with the fixture assert_faithful."""

from __future__ import annotations

from typing import Callable

import pytest

from . import assert_faithful as _assert_faithful


@pytest.fixture
def assert_faithful() -> Callable[..., object]:
    """Score rows, and fail unless a gate is met: ``assert_faithful(rows, min_lower=0.8)``."""
    return _assert_faithful
