"""Studies need their extra."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")
