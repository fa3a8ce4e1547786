"""`python -m bench` measures how fast the program is, `python -m bench answers` how well it
answers, `python -m bench worker` what a question takes at the edge; `--help` says what each can be
told."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in ("bench", "tests", "tests/services")]

if sys.argv[1:2] == ["answers"]:
    from answers.command import main  # it lies where the line above points
elif sys.argv[1:2] == ["worker"]:
    from at_edge.command import main
else:
    from speed.command import main

if __name__ == "__main__":
    sys.exit(main())
