"""Pulls published indexes that were changed, and proves that each is refused or harmless.

    python -m bench share-mutations [--count 10000] [--seed 1] [--kind KIND]

Each case changes a file of a store at random. In the first kinds, somebody on the way changes it.
In the others, its digests are right again, as by somebody who may write to the store. Each result
is one of five:

    refused           the pull ends with a reason, and leaves no file
    equal             validate finds nothing: the index equals one that is made here
    corrected         the sync after the pull, or validate --repair, makes it so; validate named
                      what differed
    named             validate names what differs, also after a repair: the word index is damaged
    refused later     the sync or validate ends with a reason, since SQLite finds damage then

The table has the number of each, the longest case in seconds, and how far the memory of the process
grew. Any other result is wrong: another exception, or a file beside the index. Its seed is printed,
and the exit code is 1.
"""

import argparse
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from shutil import rmtree
from tempfile import TemporaryDirectory
from traceback import print_exception
from typing import Any, NamedTuple

import apsw
from sharing_stores import small_packs_in_order
from speed.repository import clone, git

from feeder.config import Settings
from feeder.embedding import STATIC_MODEL_NAME
from feeder.embedding.quantization import StaticQuantizer
from feeder.errors import FeederError
from feeder.query.request_filters import Pagination
from feeder.relation import decode_relations
from feeder.share import publish, pull
from feeder.share.manifest import LATEST, sha256
from feeder.share.packs import encode_pack, page_digests, plan_packs
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.scope import Scope
from feeder.sync.context import SyncContext
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from index_helpers import CART, GUIDE, REPO, new_sync_context, open_database, search_scope
from parse.mutations import mutate
from share.memory_store import MemoryStore, shipped_parser

COUNTED = ("refused", "equal", "corrected", "named", "refused later", "wrong")
FILES = {
    "src/cart.py": CART,
    "src/tax.py": "def vat():\n    return 19\n",
    "docs/guide.md": GUIDE,
    "config.json": '{"server": {"port": 8080}}\n',
    **{f"src/m{n}.py": f"def total_{n}(cart):\n    return cart.total() * {n}\n" for n in range(9)},
}
if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STATIC = StaticQuantizer(STATIC_MODEL_NAME)
NASTY_TEXTS = (
    "",
    ".",
    "../../x",
    "/etc/passwd",
    "\0",
    "acme/other",
    "{",
    "[]",
    "null",
    "-1",
    "1e999",
)
NASTY_NUMBERS = (0, -1, 1, 2, 255, 2**31, 2**32, 2**53, 2**63 - 1, -(2**63))
Files = dict[str, bytes]


class Published(NamedTuple):
    """A clone at the published commit, the files of the store, and the contents of its index."""

    clone: Path
    files: Files
    contents: bytes

    @classmethod
    def make(cls, folder: Path) -> "Published":
        """Publishes the index of a small repository with static vectors."""
        origin = folder / "origin"
        for name, text in FILES.items():
            (origin / name).parent.mkdir(parents=True, exist_ok=True)
            (origin / name).write_text(text)
        git(origin, "init", "-q")
        git(origin, "add", "-A")
        git(origin, "commit", "-q", "-m", "shop")
        index, store = folder / "index.db", MemoryStore()
        with _context(origin, index) as context:
            sync(context)
        publish.publish(index, origin, store, keep=1)
        made = cls(clone(origin, folder / "clone"), store.files, b"")
        with pulled_file(made.clone, store, folder / "whole") as file:
            return made._replace(contents=file.read_bytes())

    @property
    def manifest(self) -> dict[str, Any]:
        [data] = [data for name, data in self.files.items() if name.startswith("m-")]
        found: dict[str, Any] = json.loads(data)
        return found

    def with_manifest(self, manifest: Any, added: Files | None = None) -> Files:
        """The store with another manifest, whose digest is right."""
        return self.with_manifest_data(json.dumps(manifest).encode(), added)

    def with_manifest_data(self, data: bytes, added: Files | None = None) -> Files:
        listing = json.loads(self.files[LATEST])
        listing["entries"][0]["manifest"] = sha256(data)
        changed = {LATEST: json.dumps(listing).encode(), f"m-{sha256(data)}.json": data}
        return self.files | changed | (added or {})

    def with_index(self, index: bytes) -> Files:
        """The store with another index, whose digests are right."""
        manifest = self.manifest
        size = int(manifest["page_size"])
        index += bytes(-len(index) % size)
        view = memoryview(index)
        plan = plan_packs(page_digests(view, size), size, None, set())
        made = [encode_pack(view, size, pages) for pages in plan.new]
        return self.with_manifest(
            manifest
            | {
                "pages": len(index) // size,
                "digest": sha256(index),
                "packs": [
                    {"digest": pack.digest, "size": pack.size, "pages": pack.pages}
                    for pack, _ in made
                ],
            },
            {pack.name: data for pack, data in made},
        )


def change_on_its_way(published: Published, draw: Random) -> Files:
    """One of the files has other bytes."""
    name, other = draw.choice(sorted(published.files)), draw.choice(sorted(published.files))
    changed = mutate(published.files[name], published.files[other], draw)
    return published.files | {name: changed}


def swap_or_lose_files(published: Published, draw: Random) -> Files:
    """Files have each other's contents, are empty, or are missing."""
    files = dict(published.files)
    one, other = draw.sample(sorted(files), 2)
    match draw.randrange(3):
        case 0:
            files[one], files[other] = files[other], files[one]
        case 1:
            files[one] = draw.choice([b"", b"null", b"{}", b"[" * 100_000, bytes(100_000)])
        case _:
            del files[one]
    return files


def change_listing(published: Published, draw: Random) -> Files:
    """`latest.json` has other values."""
    listing = json.loads(published.files[LATEST])
    for _ in range(draw.randint(1, 3)):
        listing = change_json(listing, draw)
    return published.files | {LATEST: json.dumps(listing).encode()}


def change_manifest(published: Published, draw: Random) -> Files:
    """The manifest has other values or bytes, and its digest is right."""
    manifest: Any = published.manifest
    if draw.random() < 0.2:
        data = json.dumps(manifest).encode()
        return published.with_manifest_data(mutate(data, published.files[LATEST], draw))
    for _ in range(draw.randint(1, 3)):
        manifest = change_json(manifest, draw)
    return published.with_manifest(manifest)


def change_pack(published: Published, draw: Random) -> Files:
    """A pack unpacks to something else than it says, or has pages of other numbers."""
    manifest = published.manifest
    size, packs_of = int(manifest["page_size"]), manifest["packs"]
    at = draw.randrange(len(packs_of))
    count = draw.choice([1, packs_of[at]["pages"], 1_000])
    numbers = [draw.choice([0, 1, 7, 10**6, 2**32 - 1]) for _ in range(count)]
    view = memoryview(draw.randbytes(size) + bytes(size * 8))
    _, data = encode_pack(view, size, [number % 8 for number in numbers])
    if draw.random() < 0.5:
        raw = bytearray(zstd.decompress(data))
        raw[: 4 * count] = b"".join(number.to_bytes(4, "little") for number in numbers)
        data = zstd.compress(bytes(raw), 1)
    said = draw.choice([count, packs_of[at]["pages"], 1])
    packs_of[at] = {"digest": sha256(data), "size": len(data), "pages": said}
    return published.with_manifest(manifest, {f"p-{sha256(data)}": data})


def change_pages(published: Published, draw: Random) -> Files:
    """The index's file has other bytes: those of its header, of any page, or whole pages."""
    index = bytearray(published.contents)
    size = int(published.manifest["page_size"])
    for _ in range(draw.randint(1, 6)):
        page = draw.randrange(len(index) // size) * size
        match draw.randrange(5):
            case 0:
                index[draw.randrange(100)] = draw.randrange(256)
            case 1:  # the header of a page, and the positions of its cells
                index[page + draw.randrange(40)] = draw.randrange(256)
            case 2:
                index[draw.randrange(len(index))] = draw.randrange(256)
            case 3:
                other = draw.randrange(len(index) // size) * size
                index[page : page + size] = index[other : other + size]
            case _:
                del index[page : page + draw.choice([0, size])]
    return published.with_index(bytes(index))


def change_rows(published: Published, draw: Random) -> Files:
    """Rows have other values of the same type, or are missing."""
    with closing(apsw.Connection(":memory:")) as database:
        # a copy in memory has no journal beside it
        database.deserialize("main", published.contents[:18] + b"\1\1" + published.contents[20:])
        database.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, draw.randrange(2))
        for _ in range(draw.randint(1, 3)):
            with suppress(apsw.Error):  # the word index refuses to be changed, or to be read then
                change_row(database, draw)
        changed = database.serialize("main")
    return published.with_index(changed[:18] + published.contents[18:20] + changed[20:])


def change_row(database: apsw.Connection, draw: Random) -> None:
    """One value, or one row, of a random table with rows; also of the word index's own tables."""
    tables = [str(name) for (name,) in database.execute(_TABLES)]
    tables = [name for name in tables if database.execute(f"SELECT 1 FROM {name}").get]
    table = draw.choice(tables)
    columns = list(database.execute("SELECT name, type FROM pragma_table_info(?)", (table,)))
    column, kind = draw.choice(columns)
    values = [value for (value,) in database.execute(f"SELECT {column} FROM {table}")]
    old = draw.choice(values)
    if draw.random() < 0.15:
        database.execute(f"DELETE FROM {table} WHERE {column} IS ?", (old,))
        return
    new = nasty_value(str(kind), old, draw.choice(values), draw)
    change = f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} IS ?"
    database.execute(change, (new, old))


_TABLES = """
SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'
AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""


def nasty_value(kind: str, old: Any, other: Any, draw: Random) -> Any:
    """Another value of a column: of another row, slightly changed, or an extreme one."""
    if draw.random() < 0.3:
        return other
    if kind == "INTEGER":
        return draw.choice([*NASTY_NUMBERS, old + 1 if isinstance(old, int) and old < 2**62 else 0])
    if kind == "BLOB":
        raw = old if isinstance(old, bytes) else b"x"
        return draw.choice([b"", draw.randbytes(40), mutate(raw, b"x" * 400, draw), raw * 50])
    text = str(old)
    at = draw.randrange(len(text) + 1)
    return draw.choice([*NASTY_TEXTS, text[:at], text[:at] + "%\n," + text[at:], text * 300])


def change_json(value: Any, draw: Random) -> Any:
    """The value with one part removed, doubled, or replaced."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(sorted(value))
        if draw.random() < 0.1:
            return {name: part for name, part in value.items() if name != key}
        return {**value, key: change_json(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.9:
        at = draw.randrange(len(value))
        match draw.randrange(4):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return value + [value[at]] * draw.choice([1, 5_000])
            case _:
                return [*value[:at], change_json(value[at], draw), *value[at + 1 :]]
    text = str(value)
    at = draw.randrange(len(text) + 1)
    return draw.choice(
        [
            *NASTY_TEXTS,
            *NASTY_NUMBERS,
            *(None, True, 0.5, [], {}, [[]] * 2_000, "x" * 600),
            text[:at] + "0" + text[at + 1 :],
            value + 1 if isinstance(value, int) else text[::-1],
        ]
    )


KINDS: dict[str, Callable[[Published, Random], Files]] = {
    "other bytes on the way": change_on_its_way,
    "swapped or lost files": swap_or_lose_files,
    "another listing": change_listing,
    "another manifest": change_manifest,
    "other packs": change_pack,
    "other pages": change_pages,
    "other rows": change_rows,
}


class Wrong(Exception):
    """A result that the table does not have."""


def result_of(published: Published, files: Files, folder: Path) -> str:
    """Pulls a changed store and returns the result; raises Wrong, or what the program raises."""
    try:
        with pulled_file(published.clone, MemoryStore(files), folder) as file:
            return _result_of_index(published.clone, file)
    except FeederError as exc:
        if not str(exc):
            raise Wrong("No reason is given.") from exc
        return "refused"


_RELATIONS = "SELECT relations FROM docs"


def _result_of_index(repository: Path, file: Path) -> str:
    try:
        with _context(repository, file) as context:
            sync(context)
        with _context(repository, file) as context:
            result = validate(context)
            search_scope(
                context.index.database, [], "cart total", Scope.of_repo(REPO), Pagination(10)
            )
            for (relations,) in context.index.database.run([Statement(_RELATIONS)])[0]:
                for relation in decode_relations(str(relations)):
                    list(relation.line_numbers(1))
            if result.passed:
                return "equal"
            repair(context, result)
        with _context(repository, file) as context:
            result = validate(context)
    except FeederError:
        return "refused later"
    return "corrected" if result.passed else "named"


@contextmanager
def pulled_file(repository: Path, store: MemoryStore, folder: Path) -> Iterator[Path]:
    """Pulls an index into a new folder; raises Wrong if a file is beside it, or left afterwards."""
    folder.mkdir()
    file = folder / "index.db"
    try:
        pull.pull(store, repository, file, Settings())
        if list(folder.iterdir()) != [file]:
            raise Wrong(f"The pull left {sorted(folder.iterdir())}.")
        yield file
    except FeederError:
        if list(folder.iterdir()) != []:
            raise Wrong(f"The refused pull left {sorted(folder.iterdir())}.") from None
        raise
    finally:
        rmtree(folder)


@contextmanager
def _context(repository: Path, file: Path) -> Iterator[SyncContext]:
    with closing(open_database(file)) as database:
        parser = shipped_parser(STATIC)
        yield new_sync_context(Commit(repository), database, parser=parser, static_model=STATIC)


def main() -> int:
    """Returns the exit code."""
    args = _parse_args()
    counts = {kind: Counter[str]() for kind in KINDS}
    longest_s = dict.fromkeys(KINDS, 0.0)
    with TemporaryDirectory(prefix="feeder-bench-") as name, small_packs_in_order():
        folder = Path(name)
        published = Published.make(folder)
        before, start_mb = _state(folder), _peak_mb()
        for seed in range(args.seed, args.seed + args.count):
            kind = args.kind or list(KINDS)[seed % len(KINDS)]
            began_s = time.monotonic()
            try:
                result = result_of(published, KINDS[kind](published, Random(seed)), folder / "x")
                if _state(folder) != before:
                    raise Wrong("A file outside the index's folder has changed.")
            except Exception as exc:
                print_exception(exc)
                print(f'Wrong, to repeat: --count 1 --seed {seed} --kind "{kind}"', file=sys.stderr)
                result = "wrong"
            counts[kind][result] += 1
            longest_s[kind] = max(longest_s[kind], time.monotonic() - began_s)
        grown_mb = _peak_mb() - start_mb
    print(f"| change | {' | '.join(COUNTED)} | s at most |\n|{'---|' * (len(COUNTED) + 2)}")
    for kind, count in counts.items():
        shown = " | ".join(str(count[result]) for result in COUNTED)
        print(f"| {kind} | {shown} | {longest_s[kind]:.1f} |")
    print(f"\nThe memory of the process grew by {grown_mb:.0f} MB.")
    return 1 if any(count["wrong"] for count in counts.values()) else 0


def _state(folder: Path) -> list[tuple[str, int, int]]:
    """Name, size and time of change of each file outside git's folders."""
    files = (file for file in folder.rglob("*") if ".git" not in file.parts)
    return sorted((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench share-mutations", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS)
    return parser.parse_args(sys.argv[2:])
