"""Is what the Worker knows the program's own?"""

import json

from lexis import LEXIS
from shared import CONSTANTS, SQL

from edge.calling import Worker


def test_the_worker_has_the_programs_own_sql(worker: Worker) -> None:
    lexis = json.loads(json.dumps(LEXIS))
    assert worker.call("shared") == {"sql": SQL, "constants": CONSTANTS, "lexis": lexis}
