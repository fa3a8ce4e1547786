"""Which embedding models does Workers AI have, and what do they take and give?"""

from typing import NamedTuple

from feeder.errors import UserError

DEFAULT = "@cf/baai/bge-m3"
REQUEST_TOKENS = 50_000
"""The sum of a request's texts; above it bge-m3 refuses."""
NEURONS_A_DOLLAR = 1000 / 0.011


class Model(NamedTuple):
    """A model, with the limits of one request and how it is asked.

    Vectors of `dimensions` can be shortened to those in `shorter`. `tokens` is the longest input;
    where the model `truncates`, it can be told to cut longer ones. A query goes as `queries` with
    the `instruction` to a model that is `asymmetric`, else behind `before_query`.
    """

    name: str
    dimensions: int
    tokens: int
    texts: int
    dollars_a_million: float
    shorter: range | tuple[int, ...] = ()
    truncates: bool = False
    asymmetric: bool = False
    instruction: str = ""
    before_text: str = ""
    before_query: str = ""

    def neurons(self, tokens: int) -> float:
        """What so many tokens are billed as."""
        return tokens / 1e6 * self.dollars_a_million * NEURONS_A_DOLLAR


_BGE_QUERY = "Represent this sentence for searching relevant passages: "
MODELS = {
    model.name: model
    for model in (
        Model(DEFAULT, 1024, 8192, 100, 0.012, truncates=True),
        Model(
            "@cf/qwen/qwen3-embedding-0.6b",
            1024,
            8192,
            32,
            0.012,
            shorter=range(32, 1024),
            asymmetric=True,
            instruction="Given a question about a code base, retrieve the code that answers it",
        ),
        # Cloudflare documents neither its price nor how many texts it takes: both are cautious
        Model(
            "@cf/google/embeddinggemma-300m",
            768,
            2048,
            32,
            0.012,
            shorter=(128, 256, 512),
            before_text="title: none | text: ",
            before_query="task: code retrieval | query: ",
        ),
        Model("@cf/baai/bge-small-en-v1.5", 384, 512, 100, 0.020, before_query=_BGE_QUERY),
        Model("@cf/baai/bge-base-en-v1.5", 768, 512, 100, 0.067, before_query=_BGE_QUERY),
        Model("@cf/baai/bge-large-en-v1.5", 1024, 512, 100, 0.204, before_query=_BGE_QUERY),
    )
}


def model_of(name: str | None, dimensions: int | None) -> Model:
    """The model of that name, or the default; raises UserError for what does not exist."""
    model = MODELS.get(name or DEFAULT)
    if model is None:
        raise UserError(f"Workers AI has no model {name} here. Name one of: {', '.join(MODELS)}.")
    if dimensions not in {None, model.dimensions} and dimensions not in model.shorter:
        raise UserError(
            f"{model.name} makes no vectors of {dimensions} dimensions. "
            f"Give --dimensions {_choice(model)}."
        )
    return model


def _choice(model: Model) -> str:
    shorter = model.shorter
    if isinstance(shorter, range):
        return f"{shorter.start} to {model.dimensions}"
    return " or ".join(map(str, [*shorter, model.dimensions]))
