"""The API's rate limit as the stand-in enforces it: 1,200 requests in 5 minutes, then a 5-minute
block.
"""

import pytest
from clouds import Cloud

from feeder.cloudflare.d1 import D1
from feeder.store import Statement

ONE = [Statement("SELECT 1")]


@pytest.fixture
def timed(cloud: Cloud) -> Cloud:
    """An account whose time only advances while the program waits."""
    cloud.standin.freeze()
    return cloud


def statuses(cloud: Cloud) -> set[int]:
    return {entry["status"] for entry in cloud.standin.log()}


def test_run_near_the_limit_slows_down_and_gets_no_error(timed: Cloud) -> None:
    """It uses what others have left of the window and continues in the next one."""
    timed.standin.spend(1100)

    for _ in range(150):
        timed.d1.run(ONE)

    assert statuses(timed) == {200}
    assert 250 <= timed.api.waited_s <= 350


def test_two_runs_with_one_token_share_its_limit(timed: Cloud) -> None:
    """The header tells each what the other has used."""
    timed.standin.spend(1100)
    databases = [timed.d1, D1(timed.connect(), timed.database_id)]

    for _ in range(75):
        for database in databases:
            database.run(ONE)

    assert statuses(timed) == {200}


def test_block_is_waited_for(timed: Cloud) -> None:
    """Others have used up the limit: one error, then a delay of 300 s."""
    timed.standin.spend(1200)

    timed.d1.run(ONE)

    assert [entry["status"] for entry in timed.standin.log()][-2:] == [429, 200]
    assert timed.clock.slept == [300]
