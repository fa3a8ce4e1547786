"""What do the program and the Worker both know? Printed as JSON, from the program's own sources.

Nothing of it is written a second time: `build.mjs` puts it beside the Worker's sources.
"""

import json

from lexis import LEXIS

from feeder.store import reading
from feeder.store.tests_by_path import TESTS

SQL = {
    "hits": reading._HITS,
    "words": reading._MATCH,
}
CONSTANTS = {
    "tests": list(TESTS),
}

if __name__ == "__main__":
    shared = {"sql": SQL, "constants": CONSTANTS, "lexis": LEXIS}
    print(json.dumps(shared, ensure_ascii=False, indent=1))
