"""The Worker has the constants and statements of the program."""

import json

from edge.worker_process import Worker
from feeder.edge.worker_data import worker_data


def test_the_worker_has_the_data_of_the_program(worker: Worker) -> None:
    assert worker.call("workerData") == json.loads(json.dumps(worker_data()))
