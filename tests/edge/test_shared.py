"""Is what the Worker knows the program's own?"""

from shared import CONSTANTS, SQL

from edge.calling import Worker


def test_the_worker_has_the_programs_own_sql(worker: Worker) -> None:
    assert worker.call("shared") == {"sql": SQL, "constants": CONSTANTS}
