"""Requests descriptions from a language model in concurrent batches and stores each batch at
once, so that a run that dies loses at most one batch.
"""

from collections.abc import Collection, Sequence

from feeder.descriptions import Describer, ModelAnswer
from feeder.descriptions.prompt import Subject, prompt, prompt_version
from feeder.descriptions.sanitizer import RejectReason, SanitizedAnswer, parse_description
from feeder.embedding.batching import MAX_CONCURRENT_REQUESTS, run_concurrently
from feeder.errors import FeederError, ServiceError, TooLargeError, UserError
from feeder.store import Statement, stored_descriptions
from feeder.store.index_state import MODEL_VECTORS_KEY, STATIC_VECTORS_KEY
from feeder.store.rows import batched
from feeder.store.stored_descriptions import Description
from feeder.sync.context import DescriptionOptions, SyncContext

BATCH_REQUESTS = 4 * MAX_CONCURRENT_REQUESTS
"""Answers that are kept with one write: what a run that dies asks for again."""
MAX_FAILURES_IN_A_ROW = MAX_CONCURRENT_REQUESTS
"""In a row, after which a service is taken for down."""
MIN_CHARS = 500
"""Of a text that is halved because it is too long for the model."""


class DescriptionRequests:
    """A run's questions; `error` is what has ended them, or the last that failed.

    `limit` is the user's own of them that was come to; what else a run does goes on.
    """

    def __init__(self, run: SyncContext, options: DescriptionOptions, describer: Describer) -> None:
        self.error: FeederError | None = None
        self.limit = ""
        self._run = run
        self._options = options
        self._describer = describer
        self._requested = 0
        self._failures_in_a_row = 0
        self._is_down = False
        self._tokens_before = describer.usage.tokens

    @property
    def is_stopped(self) -> bool:
        """Whether no further question is asked."""
        return self._is_down or bool(self.limit or self._run.budget.stop_reason)

    def request(self, batch: Sequence[Subject], undescribed: Collection[str]) -> None:
        """Ties the nodes to their texts, and asks about those that are unknown, each once."""
        pairs = [[id_, one.sha] for one in batch for id_ in one.ids]
        links = list(stored_descriptions.link_statements(self._run.index.repo, pairs))
        due = list({one.sha: one for one in batch if one.sha in undescribed}.values())
        if not due:
            self._run.index.write_statements(links)
        for most in batched(due, BATCH_REQUESTS):
            group = self._affordable(most)
            if not group or self.is_stopped:
                return
            made = [one for one in run_concurrently(self._describe, group) if one]
            self._requested += len(group)
            self._store(links, made)
            links = []
            if len(group) < len(most):
                self._affordable(most)  # says that it stops here

    def _affordable(self, group: list[Subject]) -> list[Subject]:
        """As many of them as the limits leave; none where that is a stop."""
        budget, how = self._run.budget, self._options
        left = (
            len(group) if how.max_descriptions is None else how.max_descriptions - self._requested
        )
        spent = self._describer.usage.tokens - self._tokens_before
        if left <= 0:
            self.limit = f"--max-descriptions {how.max_descriptions}"
        elif how.max_tokens is not None and spent >= how.max_tokens:
            self.limit = f"--max-description-tokens {how.max_tokens}"
        elif budget.allows(1, description_requests=min(left, len(group))):
            return group[:left]
        return []

    def _store(self, links: Sequence[Statement], descriptions_made: Sequence[Description]) -> None:
        facts = [MODEL_VECTORS_KEY, STATIC_VECTORS_KEY]
        self._run.index.write_statements(
            [*links, *stored_descriptions.add_description_statements(descriptions_made, facts)]
        )
        report = self._run.report
        for one in descriptions_made:
            report.descriptions_made += not one.reason
            report.descriptions_refused.update([one.reason] if one.reason else [])

    def _describe(self, subject: Subject) -> Description | None:
        """What becomes of a text; None where nobody could be asked."""
        if self._is_down:
            return None
        try:
            line = self._sanitized(subject)
        except (ServiceError, UserError) as exc:
            self._record_failure(exc)
            return None
        self._failures_in_a_row = 0
        return Description(subject.sha, self._describer.model, prompt_version(), *line)

    def _record_failure(self, exc: ServiceError | UserError) -> None:
        self.error = exc
        self._failures_in_a_row += 1
        self._is_down |= (
            isinstance(exc, UserError) or self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW
        )
        self._run.report.descriptions_failed.update([str(exc)])

    def _sanitized(self, subject: Subject) -> SanitizedAnswer:
        told = self._answer(subject.text)
        if told is None:
            return SanitizedAnswer(reason=RejectReason.TOO_LONG)
        return parse_description(told, subject.text, mask_secrets=self._options.mask_secrets)

    def _answer(self, text: str) -> ModelAnswer | None:
        """The answer to as much of a text as the model takes; None where that is nearly nothing."""
        while len(text) >= MIN_CHARS:
            try:
                return self._describer.ask(prompt(), text)
            except TooLargeError:
                text = text[: len(text) // 2]
        try:
            return self._describer.ask(prompt(), text)
        except TooLargeError:
            return None
