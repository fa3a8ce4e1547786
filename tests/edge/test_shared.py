"""Is what the Worker knows the program's own?"""

import json

from shared import SHARED

from edge.calling import Worker


def test_the_worker_has_the_programs_own_facts(worker: Worker) -> None:
    assert worker.call("shared") == json.loads(json.dumps(SHARED))
