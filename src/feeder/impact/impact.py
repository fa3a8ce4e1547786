"""Finds what a change touches: callers, overriding members, tests, documents and similar code.

Start with `find_impact`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log2, sqrt
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.impact.changed_nodes import ADDED, MAX_FILES, REMOVED, Change, ChangedNode, RenamedFile
from feeder.impact.mentions import Mentions, find_mentions
from feeder.impact.name_convention import NameScores
from feeder.impact.near_duplicates import NearDuplicates, find_near_duplicates
from feeder.impact.runnable_tests import declares_test, is_test_by_name, may_be_test
from feeder.impact.touched import (
    CHANGED,
    HISTORY,
    CoChangedFile,
    Impact,
    ImpactReference,
    ImpactTest,
    RenameImpact,
)
from feeder.progress import NO_PROGRESS, ProgressReporter
from feeder.relation import IMPORT
from feeder.relations.member_resolution import is_compound
from feeder.relations.modules import Definition, unindexed_references
from feeder.relations.references import ReferenceFinder
from feeder.relations.sites import KIND_NAMES, Reference
from feeder.search.open_index import SearchIndex
from feeder.source.co_changes import CoChanges, co_changes
from feeder.store.inventory import files_below, files_with_code, methods_of_files
from feeder.store.relations import line_numbers
from feeder.store.scope import is_test_path

MAX_NODES = 60
"""Changed nodes whose references are read, those with a changed signature first."""

MANY_NODES = 10
"""Changed nodes from which progress is shown."""

MAX_MOVED = 30
"""Declarations of a renamed file whose imports are read."""

MAX_STEPS = 60
"""Nodes that refer to a changed one, whose own references are read for tests."""

MAX_OVERRIDING = 100
"""Members that override a changed one."""

RESOLVED, BY_NAME, OWNER = 1.0, 0.15, 0.3
"""Scores of a test that refers to a changed node, to its name only, or to the type around it."""

OVER_STEPS = {2: 0.4, 3: 0.2}
"""Scores of a test that refers to what refers to a changed node, and to what refers to that."""

NAME_WEIGHT, HISTORY_WEIGHT = 1.0, 0.7
"""Weights of a test's file name and of earlier commits, beside 1 for references."""

MIN_COMMITS_TOGETHER, MIN_SHARE_TOGETHER = 3, 0.2
"""Commits that changed a file with the changed ones, and their share, for it to be a usual one."""

CHANGED_SCORE = 1 + NAME_WEIGHT + HISTORY_WEIGHT
"""No other test file has a higher score."""


def find_impact(
    index: SearchIndex,
    change: Change,
    *,
    tests_only: bool = False,
    progress: ProgressReporter = NO_PROGRESS,
) -> Impact:
    """Finds what a change touches.

    Raises UserError for an index without relations.
    """
    corpus = index.corpus
    finder = _ImpactFinder(corpus, change)
    is_long = len(finder.nodes) >= MANY_NODES
    with progress.step("Finding references", len(finder.nodes) if is_long else 0) as progress_step:
        for node in finder.nodes:
            finder.add(node)
            progress_step(1)
    renames = [finder.add_renamed(file) for file in change.renames]
    finder.add_further_steps(progress if is_long else NO_PROGRESS)
    tests = finder.ranked_tests()
    references = sorted(dict.fromkeys(finder.references), key=_order)
    documents, similar = Mentions([], []), NearDuplicates([], [])
    if not tests_only:
        names = [(node.id, node.name) for node in finder.code]
        documents = find_mentions(corpus, names, change.paths)
        similar = find_near_duplicates(index, change)
    limits = list(finder.limits())
    nodes = sorted(change.nodes, key=lambda one: (not one.is_code, *_importance(one), one.path))
    return Impact(
        change._replace(nodes=nodes),
        references,
        tests,
        documents.lines,
        similar.nodes,
        at_least=bool(limits),
        together=finder.together,
        renames=renames,
        limits=[*limits, *documents.limits, *similar.limits],
    )


class _Evidence(NamedTuple):
    """A test node that reaches a changed node, by `score`."""

    score: float
    steps: int
    node: str


class _ImpactFinder:
    def __init__(self, corpus: Corpus, change: Change) -> None:
        self._corpus = corpus
        self._change = change
        self.finder = ReferenceFinder(corpus)
        code = [node for node in change.nodes if node.is_code and not node.is_named_by_argument]
        self.code = sorted(code, key=lambda one: (is_test_path(one.path), *_importance(one)))
        self.nodes = self.code[:MAX_NODES]
        self._has_further_steps = False
        self._overridden: list[str] = []
        self.references: list[ImpactReference] = []
        sources = [node for node in change.nodes if node.is_code and not is_test_path(node.path)]
        self._symbols = [source.name for source in sorted(sources, key=_importance)[:MAX_NODES]]
        self._changed = {(node.path, node.name) for node in change.nodes}
        self._evidence: dict[str, dict[str, _Evidence]] = {}
        self._steps: dict[tuple[str, str], list[str]] = {}
        self._owners: set[tuple[str, str]] = set()
        self.together: list[CoChangedFile] = []

    def add(self, node: ChangedNode) -> None:
        """Adds the references to a changed node, and the members that override it."""
        definition = self._definition(node)
        sites = self.finder.references(definition)
        if definition.is_type and node.node_type == "method":
            sites += self.finder.subtypes.constructor_calls(definition)
        if node.change == ADDED:
            sites = [site for site in sites if site.resolved]
        evidence = self._evidence.setdefault(node.id, {})
        is_common = not is_compound(definition.name)
        for site in sites:
            if is_test_path(site.path):
                by_name = BY_NAME / 3 if is_common else BY_NAME
                _add_evidence(evidence, site, RESOLVED if site.resolved else by_name, 1)
                continue
            if not site.resolved and not node.signature_changed:
                continue  # a change inside a body is nothing to whatever has only the same name
            key = site.node.path, site.node.symbol or ""
            is_edited = key in self._changed
            if is_edited and (not node.signature_changed or key == (node.path, node.name)):
                continue
            self.references.append(ImpactReference(node, site, is_edited))
            if is_edited:
                continue
            if site.resolved and site.kind != KIND_NAMES[IMPORT] and site.node.symbol:
                self._steps.setdefault(key, []).append(node.id)
        overriding = [
            member
            for member in self.finder.subtypes.overriding(definition)
            if (member.path, member.node.symbol) not in self._changed
        ]
        if len(overriding) > MAX_OVERRIDING:
            self._overridden.append(node.name)
        self.references += [ImpactReference(node, member) for member in overriding[:MAX_OVERRIDING]]
        if definition.owner and not definition.is_type:
            self._add_owner(node, definition)

    def add_renamed(self, file: RenamedFile) -> RenameImpact:
        """Adds the tests that refer to a renamed file; returns what imports it from its old path.

        What imports a file by another name than its path, as in Java, finds it as before.
        """
        imports = self._imports_of_old_path(file)
        for node in file.moved[:MAX_MOVED]:
            evidence = self._evidence.setdefault(node.id, {})
            for site in (*imports, *self.finder.references(self._definition(node))):
                if site.resolved and is_test_path(site.path):
                    _add_evidence(evidence, site, RESOLVED, 1)
        return RenameImpact(file, imports)

    def _imports_of_old_path(self, file: RenamedFile) -> list[Reference]:
        """The imports that lead to a renamed file's old path, and not to the new one too."""
        exports = self.finder.reader.exports
        found, is_cut = exports.importing(file.old_path, file.language)
        still_there, _ = exports.importing(file.path, file.language)
        self.finder.reader.is_cut |= is_cut
        sites = {
            (node.path, line): Reference(
                node.path, line, 0, KIND_NAMES[IMPORT], True, "", node, relation.module, ""
            )
            for node, relation in found
            if (node, relation) not in still_there
            for line in line_numbers(node, relation)
        }
        return [site for _, site in sorted(sites.items(), key=lambda entry: entry[0])]

    def _definition(self, node: ChangedNode) -> Definition:
        """The definition of a changed node, which the index may have in another version or not."""
        outer, _, name = node.name.rpartition(".")
        for definition, hit in self.finder.reader.named_definitions(node.name):
            if (hit.path, hit.symbol) == (node.path, node.name):
                return definition
        owner = node.owner
        if not owner and outer and node.node_type == "method":
            named = self.finder.reader.named_definitions(outer)
            owner = outer if any(hit.symbol == outer for _, hit in named) else ""
        return Definition(
            node.path, node.language, node.name, name, owner, is_type=node.node_type == "class"
        )

    def _add_owner(self, node: ChangedNode, definition: Definition) -> None:
        """Adds the tests that refer to the type around a member."""
        owner = self.finder.reader.type_around(definition)
        if not owner:
            return
        evidence = self._evidence.setdefault(f"owner {owner.path} {owner.symbol}", {})
        if (owner.path, owner.symbol) in self._owners:
            return
        self._owners.add((owner.path, owner.symbol))
        for reference in self.finder.references(owner):
            if reference.resolved and is_test_path(reference.path):
                _add_evidence(evidence, reference, OWNER, 1)

    def add_further_steps(self, progress: ProgressReporter) -> None:
        """Adds the tests that refer to what refers to a changed node.

        For a node that no test reaches so, another step is followed.
        """
        left = MAX_STEPS
        with progress.step("Finding tests", MAX_STEPS) as progress_step:
            for steps, score in OVER_STEPS.items():
                followed, self._steps = self._steps, {}
                for (path, symbol), ids in followed.items():
                    unreached = [id_ for id_ in ids if not self._evidence[id_]]
                    if steps > min(OVER_STEPS) and not unreached:
                        continue
                    if not left:
                        self._has_further_steps = True
                        return
                    left -= 1
                    self._add_step(path, symbol, ids, _Evidence(score, steps, ""))
                    progress_step(1)

    def _add_step(self, path: str, symbol: str, ids: list[str], evidence: _Evidence) -> None:
        """Adds the tests that refer to one node, and collects what else refers to it."""
        named = self.finder.reader.named_definitions(symbol)
        same = [other for other, hit in named if (hit.path, hit.symbol) == (path, symbol)]
        for site in self.finder.references(same[0]) if same else ():
            if not site.resolved:
                continue
            key = site.node.path, site.node.symbol or ""
            if is_test_path(site.path):
                for id_ in ids:
                    _add_evidence(self._evidence[id_], site, evidence.score, evidence.steps)
            elif key[1] and key not in self._changed:
                self._steps.setdefault(key, []).extend(ids)

    def limits(self) -> Iterator[str]:
        """Yields why references or tests may be missing."""
        if unread := self._change.unread:
            files = len(self._change.paths) + unread
            yield f"{MAX_FILES} of {files:,} changed files were compared."
        if len(self.code) > MAX_NODES:
            count = f"{MAX_NODES} of {len(self.code):,} changed nodes"
            yield f"References to {count} were looked up, changed signatures first."
        if self._overridden:
            names = ", ".join(self._overridden)
            yield f"Only the first {MAX_OVERRIDING} overriding members of {names} are listed."
        for file in self._change.renames:
            if len(file.moved) > MAX_MOVED:
                count = f"{MAX_MOVED} of {len(file.moved):,} nodes"
                yield f"For the renamed {file.path}, the tests of {count} were looked up."
        if self._has_further_steps:
            yield f"Only the first {MAX_STEPS} callers were followed to tests."
        definitions = (self.finder.reader.in_answer(self._definition(node)) for node in self.nodes)
        unindexed = map(unindexed_references, definitions)
        for reason in dict.fromkeys(filter(None, unindexed)):
            yield f"{reason[:1].upper()}{reason[1:]}"
        if self.finder.reader.is_cut:
            yield "Some names have more uses or definitions than feeder reads."

    def ranked_tests(self) -> list[ImpactTest]:
        """The files of tests that reach the change, the likeliest first."""
        by_path: defaultdict[str, float] = defaultdict(float)
        best: dict[str, _Evidence] = {}
        for evidence in self._evidence.values():
            for path, reason in evidence.items():
                by_path[path] += reason.score / log2(1 + len(evidence))
                if path not in best or reason[:2] > best[path][:2]:
                    best[path] = reason
        sources = [path for path in self._change.paths if not is_test_path(path)]
        changed = {*self._change.paths, *self._change.tests}
        files = files_below(self._corpus.database, self._corpus.repo, "")
        tests = [path for path in files if path not in changed and may_be_test(path)]
        scores = NameScores(sources, self._symbols)
        names = {path: scores.score(path) for path in tests}
        code = {node.path for node in self.nodes}
        sources = [path for path in sources if path in code] or sources
        earlier_changes = co_changes(self._corpus.base, self._change.base, sources)
        history = earlier_changes.weights
        others = [path for path in files if path not in changed and not is_test_path(path)]
        self.together = _usually_together(earlier_changes, others)
        near = [path for path in tests if path in by_path or names[path] or path in history]
        runnable = self._runnable(near)
        tests = [path for path in near if path in runnable]
        history = {path: history[path] for path in tests if path in history}
        most = max(by_path.values(), default=0) or 1
        most_history = max(history.values(), default=0) or 1
        ranked = [ImpactTest(path, "", 0, (CHANGED,), CHANGED_SCORE) for path in self._change.tests]
        for path in tests:
            # the square root, so that a file with much of one signal leaves room for the others
            reference = sqrt(by_path.get(path, 0) / most)
            name, earlier = names[path], sqrt(history.get(path, 0) / most_history)
            score = reference + NAME_WEIGHT * name + HISTORY_WEIGHT * earlier
            reasons = tuple(
                reason
                for reason, value in (
                    ("reference", reference),
                    ("name", name),
                    (HISTORY, earlier),
                )
                if value
            )
            if reasons:
                closest = best.get(path)
                node, steps = (closest.node, closest.steps) if closest else ("", 0)
                ranked.append(ImpactTest(path, node, steps, reasons, score))
        return sorted(ranked, key=lambda one: (CHANGED not in one.reasons, -one.score, one.path))

    def _runnable(self, paths: Sequence[str]) -> set[str]:
        """The test files among files of the index, without helpers, data and pages."""
        named = [path for path in paths if is_test_by_name(path)]
        others = [path for path in paths if not is_test_by_name(path)]
        database, repo = self._corpus.database, self._corpus.repo
        tests = {
            file.path for file in methods_of_files(database, repo, others) if declares_test(file)
        }
        return tests | files_with_code(database, repo, named)


def _add_evidence(
    evidence: dict[str, _Evidence], site: Reference, score: float, steps: int
) -> None:
    """Adds the site of a test; a call in a test says more than an import."""
    existing = evidence.get(site.path)
    name = site.node.symbol or ""
    if (
        existing is None
        or score > existing.score
        or (score == existing.score and name and not existing.node)
    ):
        evidence[site.path] = _Evidence(score, steps, name)


def _usually_together(history: CoChanges, files: Iterable[str]) -> list[CoChangedFile]:
    """Those of the files that most often were changed with the changed ones, the first first."""
    least = max(MIN_COMMITS_TOGETHER, history.commits * MIN_SHARE_TOGETHER)
    usual = [path for path in files if history.counts.get(path, 0) >= least]
    usual.sort(key=lambda path: (-history.counts[path], -history.weights[path], path))
    return [CoChangedFile(path, history.counts[path], history.commits) for path in usual]


def _importance(node: ChangedNode) -> tuple[Any, ...]:
    """Sorts changed nodes: what breaks its callers first."""
    return not node.signature_changed, node.change != REMOVED, node.change == ADDED


def _order(one: ImpactReference) -> tuple[Any, ...]:
    site = one.reference
    return (
        *_importance(one.of)[:2],
        not site.resolved,
        one.is_edited,
        site.kind == KIND_NAMES[IMPORT],
        *_importance(one.of)[2:],
        site.path,
        site.line,
    )
