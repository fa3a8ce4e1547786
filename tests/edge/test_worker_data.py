"""The Worker has the constants and statements of the program."""

import json

from edge.worker_process import Worker
from feeder.edge.worker_data import worker_data


def test_worker_data_equals_the_programs(worker: Worker) -> None:
    assert worker.call("workerData") == json.loads(json.dumps(worker_data()))
