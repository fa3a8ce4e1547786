"""Lists or indexes a folder with Semble: `python semble_timer.py list|index FOLDER`.

Run by the Python that has Semble. `list` prints the files that Semble reads, `index` the time of
its indexing in memory, without its start and the loading of the model, as JSON. The model has the
shape of the one that Semble downloads (model2vec, 256 dimensions), with random vectors and
feeder's vocabulary for MiniLM.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from semble.index.create import create_index_from_path
from semble.index.file_walker import walk_files
from semble.index.files import FileStatus, get_extensions, get_file_status
from semble.types import ContentType
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

VOCABULARY = Path(__file__).parents[2] / "src" / "feeder" / "embedding" / "vocabulary.txt"
DIMENSIONS, SEED = 256, 7
CONTENT = tuple(ContentType)


def list_files(folder: Path) -> list[str]:
    """Lists the files that are neither empty nor too large for Semble."""
    return [
        str(file.relative_to(folder))
        for file in walk_files(folder, get_extensions(CONTENT))
        if get_file_status(file, file.stat()) is FileStatus.VALID
    ]


def index_folder(folder: Path) -> dict[str, float]:
    """Indexes a folder and returns `wall_s`, `cpu_s`, and the numbers of files and chunks."""
    model = _model()
    model.encode(["one text loads the model"])
    started, cpu_started = time.perf_counter(), time.process_time()
    _, _, chunks, manifest = create_index_from_path(
        folder, model, content=CONTENT, display_root=folder
    )
    wall_s, cpu_s = time.perf_counter() - started, time.process_time() - cpu_started
    return {"wall_s": wall_s, "cpu_s": cpu_s, "files": len(manifest), "chunks": len(chunks)}


def _model() -> StaticModel:
    words = VOCABULARY.read_text("utf-8").splitlines()
    numbers = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    vectors = np.random.default_rng(SEED).standard_normal((len(words), DIMENSIONS), np.float32)
    return StaticModel(vectors, tokenizer, normalize=True)


if __name__ == "__main__":
    actions = {"list": list_files, "index": index_folder}
    print(json.dumps(actions[sys.argv[1]](Path(sys.argv[2]).resolve())))
