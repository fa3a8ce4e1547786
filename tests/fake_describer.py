"""Describers without a language model: the description is made of the text."""

import threading

from fault_injection import FaultInjector
from feeder.descriptions import ModelAnswer
from feeder.embedding import ServiceUsage
from feeder.nodes import text_sha


class FakeDescriber:
    """A `Describer` whose description is computed from the text, alike in every process.

    `described_names` are the names in the order of the calls; `answers` are fixed answers by name.
    """

    def __init__(self, model: str = "lines", faults: FaultInjector | None = None) -> None:
        self.model = model
        self.described_names: list[str] = []
        self.answers: dict[str, ModelAnswer | Exception] = {}
        self.texts: list[str] = []
        self._faults = faults or FaultInjector(0)
        self._lock = threading.Lock()

    @property
    def usage(self) -> ServiceUsage:
        return ServiceUsage(len(self.described_names), 100 * len(self.described_names))

    def ask(self, prompt: str, text: str) -> ModelAnswer:
        with self._lock:
            name = text.split("\n", 1)[0].rsplit(" ", maxsplit=1)[-1]
            self.described_names.append(name)
            self.texts.append(text)
            return self._faults.call(lambda: self._answer(name, text))

    def neurons(self, tokens_in: int, tokens_out: int) -> float | None:
        return None

    def close(self) -> None:
        pass

    def _answer(self, name: str, text: str) -> ModelAnswer:
        answer = self.answers.get(
            name, ModelAnswer(f"Makes what is called {text_sha(text)[:4]} there")
        )
        if isinstance(answer, Exception):
            raise answer
        return answer


class OtherFakeDescriber(FakeDescriber):
    """Another model, which describes the same texts in other words."""

    def _answer(self, name: str, text: str) -> ModelAnswer:
        return ModelAnswer(f"Another sentence about {name} altogether")
