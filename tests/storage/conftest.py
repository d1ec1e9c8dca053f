"""An object store for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from storage.s3_server import Bucket, Server


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with Server() as server:
        yield server.bucket
