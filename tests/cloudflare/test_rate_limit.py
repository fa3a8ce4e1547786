"""The API's request limit, as the stand-in keeps it: 1,200 in 5 minutes, then a block of 5 more."""

import pytest
from clouds import Cloud

from feeder.cloudflare.d1 import D1
from feeder.store import Statement

ONE = [Statement("SELECT 1")]


@pytest.fixture
def timed(cloud: Cloud) -> Cloud:
    """An account in which no time passes but that which is slept."""
    cloud.standin.freeze()
    return cloud


def statuses(cloud: Cloud) -> set[int]:
    return {entry["status"] for entry in cloud.standin.log()}


def test_a_run_that_comes_near_the_limit_slows_down_and_is_never_refused(timed: Cloud) -> None:
    """It gets through the window with what others have left of it, and on in the next one."""
    timed.standin.spend(1100)

    for _ in range(150):
        timed.d1.run(ONE)

    assert statuses(timed) == {200}
    assert 250 <= timed.api.waited_s <= 350


def test_two_runs_that_share_a_token_share_its_limit(timed: Cloud) -> None:
    """Each sees in the header what the other has taken."""
    timed.standin.spend(1100)
    databases = [timed.d1, D1(timed.connect(), timed.database_id)]

    for _ in range(75):
        for database in databases:
            database.run(ONE)

    assert statuses(timed) == {200}


def test_a_block_is_waited_for(timed: Cloud) -> None:
    """Somebody else has used everything up: refused once, then 300 s of patience."""
    timed.standin.spend(1200)

    timed.d1.run(ONE)

    assert [entry["status"] for entry in timed.standin.log()][-2:] == [429, 200]
    assert timed.clock.slept == [300]
