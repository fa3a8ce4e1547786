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
"""Requests whose answers are stored with one write; a run that dies loses at most these."""
MAX_FAILURES_IN_A_ROW = MAX_CONCURRENT_REQUESTS
"""Failed requests in a row after which the service counts as down."""
MIN_CHARS = 500
"""Shortest text that is still halved because it is too long for the model."""


class DescriptionRequests:
    """Requests the descriptions of one run and stores the answers."""

    def __init__(self, run: SyncContext, options: DescriptionOptions, describer: Describer) -> None:
        self.error: FeederError | None = None
        """The last error, also if requests went on after it."""
        self.limit = ""
        """The user's limit of descriptions that was reached; the run goes on without them."""
        self._run = run
        self._options = options
        self._describer = describer
        self._requested = 0
        self._failures_in_a_row = 0
        self._is_down = False
        self._tokens_before = describer.usage.tokens

    @property
    def is_stopped(self) -> bool:
        """True if no further request is made."""
        return self._is_down or bool(self.limit or self._run.budget.stop_reason)

    def request(self, batch: Sequence[Subject], undescribed: Collection[str]) -> None:
        """Links nodes to their texts' hashes, and requests a description once for each new text."""
        pairs = [[id_, subject.sha] for subject in batch for id_ in subject.ids]
        links = list(stored_descriptions.link_statements(self._run.index.repo, pairs))
        subjects = list(
            {subject.sha: subject for subject in batch if subject.sha in undescribed}.values()
        )
        if not subjects:
            self._run.index.write_statements(links)
        for part in batched(subjects, BATCH_REQUESTS):
            group = self._affordable(part)
            if not group or self.is_stopped:
                return
            descriptions = [
                description
                for description in run_concurrently(self._describe, group)
                if description
            ]
            self._requested += len(group)
            self._store(links, descriptions)
            links = []
            if len(group) < len(part):
                self._affordable(part)  # records the limit

    def _affordable(self, group: list[Subject]) -> list[Subject]:
        """Returns as many as the limits allow; at a limit none, and records it."""
        budget, options, left = self._run.budget, self._options, len(group)
        if options.max_descriptions is not None:
            left = options.max_descriptions - self._requested
        spent = self._describer.usage.tokens - self._tokens_before
        if left <= 0:
            self.limit = f"--max-descriptions {options.max_descriptions}"
        elif options.max_tokens is not None and spent >= options.max_tokens:
            self.limit = f"--max-description-tokens {options.max_tokens}"
        elif budget.allows(1, description_requests=min(left, len(group))):
            return group[:left]
        return []

    def _store(self, links: Sequence[Statement], descriptions: Sequence[Description]) -> None:
        vectors_keys = [MODEL_VECTORS_KEY, STATIC_VECTORS_KEY]
        self._run.index.write_statements(
            [*links, *stored_descriptions.add_description_statements(descriptions, vectors_keys)]
        )
        report = self._run.report
        for description in descriptions:
            report.descriptions_made += not description.reason
            report.descriptions_refused.update([description.reason] if description.reason else [])

    def _describe(self, subject: Subject) -> Description | None:
        """Returns the description or the reason why there is none; None if the request failed."""
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
        answer = self._answer(subject.text)
        if answer is None:
            return SanitizedAnswer(reason=RejectReason.TOO_LONG)
        return parse_description(answer, subject.text, mask_secrets=self._options.mask_secrets)

    def _answer(self, text: str) -> ModelAnswer | None:
        """Sends as much of the text as the model accepts; None if that is nearly nothing."""
        while len(text) >= MIN_CHARS:
            try:
                return self._describer.ask(prompt(), text)
            except TooLargeError:
                text = text[: len(text) // 2]
        try:
            return self._describer.ask(prompt(), text)
        except TooLargeError:
            return None
