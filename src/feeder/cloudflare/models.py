"""Which embedding models does Workers AI have, and what do they take and give?"""

from typing import NamedTuple

from feeder.errors import UserError

DEFAULT_MODEL = "@cf/baai/bge-m3"
MAX_REQUEST_TOKENS = 50_000
"""The sum of a request's texts; above it bge-m3 refuses."""
NEURONS_PER_DOLLAR = 1000 / 0.011


class EmbeddingModel(NamedTuple):
    """A model, with the limits of one request and how it is asked.

    Vectors of `dimensions` can be shortened to those in `shorter`. `tokens` is the longest input;
    where the model `truncates`, it can be told to cut longer ones. A query goes as `queries` with
    the `instruction` to a model that is `asymmetric`, else behind `before_query`.
    """

    name: str
    dimensions: int
    tokens: int
    batch_texts: int
    dollars_per_million: float
    shorter_dimensions: range | tuple[int, ...] = ()
    truncates: bool = False
    asymmetric: bool = False
    instruction: str = ""
    document_prefix: str = ""
    before_query: str = ""

    def neurons(self, tokens: int) -> float:
        """What so many tokens are billed as."""
        return tokens / 1e6 * self.dollars_per_million * NEURONS_PER_DOLLAR


_BGE_QUERY = "Represent this sentence for searching relevant passages: "
MODELS = {
    model.name: model
    for model in (
        EmbeddingModel(DEFAULT_MODEL, 1024, 8192, 100, 0.012, truncates=True),
        EmbeddingModel(
            "@cf/qwen/qwen3-embedding-0.6b",
            1024,
            8192,
            32,
            0.012,
            shorter_dimensions=range(32, 1024),
            asymmetric=True,
            instruction="Given a question about a code base, retrieve the code that answers it",
        ),
        # Cloudflare documents neither its price nor how many texts it takes: both are cautious
        EmbeddingModel(
            "@cf/google/embeddinggemma-300m",
            768,
            2048,
            32,
            0.012,
            shorter_dimensions=(128, 256, 512),
            document_prefix="title: none | text: ",
            before_query="task: code retrieval | query: ",
        ),
        EmbeddingModel("@cf/baai/bge-small-en-v1.5", 384, 512, 100, 0.020, before_query=_BGE_QUERY),
        EmbeddingModel("@cf/baai/bge-base-en-v1.5", 768, 512, 100, 0.067, before_query=_BGE_QUERY),
        EmbeddingModel(
            "@cf/baai/bge-large-en-v1.5", 1024, 512, 100, 0.204, before_query=_BGE_QUERY
        ),
    )
}


def find_model(name: str | None, dimensions: int | None) -> EmbeddingModel:
    """The model of that name, or the default; raises UserError for what does not exist."""
    model = MODELS.get(name or DEFAULT_MODEL)
    if model is None:
        raise UserError(f"Workers AI has no model {name} here. Name one of: {', '.join(MODELS)}.")
    if dimensions not in {None, model.dimensions} and dimensions not in model.shorter_dimensions:
        raise UserError(
            f"{model.name} makes no vectors of {dimensions} dimensions. "
            f"Give --dimensions {_dimension_choices(model)}."
        )
    return model


def _dimension_choices(model: EmbeddingModel) -> str:
    shorter = model.shorter_dimensions
    if isinstance(shorter, range):
        return f"{shorter.start} to {model.dimensions}"
    return " or ".join(map(str, [*shorter, model.dimensions]))
