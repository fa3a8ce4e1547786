"""How are lines asked for? Some at once, and kept as they come: a run that dies has lost few."""

from collections.abc import Collection, Sequence

from feeder.describe import Describer, Told
from feeder.describe.lines import Line, Reason, line_of
from feeder.describe.prompt import prompt, version
from feeder.describe.subjects import Subject
from feeder.embed.dealing import UNDER_WAY, at_once
from feeder.errors import FeederError, ServiceError, TooLargeError, UserError
from feeder.run.feed import Describing, Feed
from feeder.store import Statement, descriptions
from feeder.store.descriptions import Description
from feeder.store.rows import batched
from feeder.store.settling import MODEL_VECTORS_KEY, STATIC_VECTORS_KEY

AT_ONCE = 4 * UNDER_WAY
"""Answers that are kept with one write: what a run that dies asks for again."""
FAILURES = UNDER_WAY
"""In a row, after which a service is taken for down."""
LEAST_CHARS = 500
"""Of a text that is halved because it is too long for the model."""


class Asking:
    """A run's questions; `error` is what has ended them, or the last that failed.

    `limit` is the user's own of them that was come to; what else a run does goes on.
    """

    def __init__(self, feed: Feed, how: Describing, describer: Describer) -> None:
        self.error: FeederError | None = None
        self.limit = ""
        self._feed = feed
        self._how = how
        self._describer = describer
        self._asked = 0
        self._in_a_row = 0
        self._is_down = False
        self._tokens_before = describer.spent.tokens

    @property
    def is_over(self) -> bool:
        """Whether no further question is asked."""
        return self._is_down or bool(self.limit or self._feed.budget.stopped)

    def ask(self, some: Sequence[Subject], unknown: Collection[str]) -> None:
        """Ties the nodes to their texts, and asks about those that are unknown, each once."""
        pairs = [[id_, one.sha] for one in some for id_ in one.ids]
        links = list(descriptions.link_statements(self._feed.index.repo, pairs))
        due = list({one.sha: one for one in some if one.sha in unknown}.values())
        if not due:
            self._feed.index.write_statements(links)
        for most in batched(due, AT_ONCE):
            group = self._affordable(most)
            if not group or self.is_over:
                return
            made = [one for one in at_once(self._made, group) if one]
            self._asked += len(group)
            self._keep(links, made)
            links = []
            if len(group) < len(most):
                self._affordable(most)  # says that it stops here

    def _affordable(self, group: list[Subject]) -> list[Subject]:
        """As many of them as the limits leave; none where that is a stop."""
        budget, how = self._feed.budget, self._how
        left = len(group) if how.most is None else how.most - self._asked
        spent = self._describer.spent.tokens - self._tokens_before
        if left <= 0:
            self.limit = f"--max-descriptions {how.most}"
        elif how.most_tokens is not None and spent >= how.most_tokens:
            self.limit = f"--max-description-tokens {how.most_tokens}"
        elif budget.allows(1, asks=min(left, len(group))):
            return group[:left]
        return []

    def _keep(self, links: Sequence[Statement], made: Sequence[Description]) -> None:
        facts = [MODEL_VECTORS_KEY, STATIC_VECTORS_KEY]
        self._feed.index.write_statements(
            [*links, *descriptions.add_description_statements(made, facts)]
        )
        report = self._feed.report
        for one in made:
            report.descriptions_made += not one.reason
            report.descriptions_refused.update([one.reason] if one.reason else [])

    def _made(self, subject: Subject) -> Description | None:
        """What becomes of a text; None where nobody could be asked."""
        if self._is_down:
            return None
        try:
            line = self._line(subject)
        except (ServiceError, UserError) as exc:
            self._fail(exc)
            return None
        self._in_a_row = 0
        return Description(subject.sha, self._describer.model, version(), *line)

    def _fail(self, exc: ServiceError | UserError) -> None:
        self.error = exc
        self._in_a_row += 1
        self._is_down |= isinstance(exc, UserError) or self._in_a_row >= FAILURES
        self._feed.report.descriptions_failed.update([str(exc)])

    def _line(self, subject: Subject) -> Line:
        told = self._told(subject.text)
        if told is None:
            return Line(reason=Reason.TOO_LONG)
        return line_of(told, subject.text, mask_secrets=self._how.masks)

    def _told(self, text: str) -> Told | None:
        """The answer to as much of a text as the model takes; None where that is nearly nothing."""
        while len(text) >= LEAST_CHARS:
            try:
                return self._describer.ask(prompt(), text)
            except TooLargeError:
                text = text[: len(text) // 2]
        try:
            return self._describer.ask(prompt(), text)
        except TooLargeError:
            return None
