"""Runs the benchmarks: `python -m bench` measures speed, `python -m bench compare BASE` compares it
with that of a commit, `python -m bench answers` measures search quality, `python -m bench exact`
that of queries that are one token of code, `python -m bench budget` what an agent's token budget
holds, `python -m bench commits` how commit messages find the changed files, `python -m bench
impact` how well the tests of a change are named, `python -m bench relations` references beside the
languages' own tools, `python -m bench nothing` whether names without references are used after all,
`python -m bench share` how long a clone with a published index waits for its first answer,
`python -m bench share-histories` whether pulled indexes are right after random publishes,
`python -m bench share-mutations` that changed files of a published index are refused or harmless,
`python -m bench worker` the CPU time and requests of a query at the Worker,
`python -m bench equality` compares its answers with the program's, `python -m bench
hostile-requests` measures requests that were made to take long, `python -m bench worker-rows` the
rows that D1 bills for 20 kinds of queries, `python -m bench databases` those to many databases,
`python -m bench compile` the time to compile the queries of each language,
`python -m bench grammars` compares what two grammars of a language can read, and
`python -m bench agents` replays tasks of coding agents with grep and with feeder.

`--help` after each lists its options.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in ("bench", "tests", "tests/services")]

if sys.argv[1:2] == ["answers"]:
    from answers.command import main  # importable by the sys.path entries above
elif sys.argv[1:2] == ["worker"]:
    from worker_cost.command import main
elif sys.argv[1:2] == ["equality"]:
    from worker_cost.equality import main
elif sys.argv[1:2] == ["hostile-requests"]:
    from worker_cost.hostile import main
elif sys.argv[1:2] == ["worker-rows"]:
    from worker_cost.rows import main
elif sys.argv[1:2] == ["databases"]:
    from many_databases import main
elif sys.argv[1:2] == ["exact"]:
    from exact import main
elif sys.argv[1:2] == ["impact"]:
    from impact import main
elif sys.argv[1:2] == ["relations"]:
    from language_servers.command import main
elif sys.argv[1:2] == ["nothing"]:
    from nothing import main
elif sys.argv[1:2] == ["budget"]:
    from budget import main
elif sys.argv[1:2] == ["commits"]:
    from commits import main
elif sys.argv[1:2] == ["share"]:
    from sharing import main
elif sys.argv[1:2] == ["share-histories"]:
    from sharing_histories import main
elif sys.argv[1:2] == ["share-mutations"]:
    from sharing_mutations import main
elif sys.argv[1:2] == ["compile"]:
    from compilation import main
elif sys.argv[1:2] == ["grammars"]:
    from grammars import main
elif sys.argv[1:2] == ["agents"]:
    from agent_tasks.command import main
elif sys.argv[1:2] == ["compare"]:
    from compare.command import main
else:
    from speed.command import main

if __name__ == "__main__":
    sys.exit(main())
