"""Reads the parameters of an address of the JSON API; a wrong value raises UserError."""

import re
from collections.abc import Mapping, Sequence

from feeder.errors import UserError
from feeder.query.request_filters import Pagination, RequestFilters

Parameters = Mapping[str, Sequence[str]]
"""The parameters of an address, each with all of its values."""

FILTER_PARAMETERS = ("path", "not_path", "language", "node_type", "category")
"""Filters that may have several values."""

DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET = 10, 100, 10_000


def read_filters(parameters: Parameters) -> RequestFilters:
    """The filters of a search."""
    lists = {name: list(parameters.get(name, ())) for name in FILTER_PARAMETERS}
    tests = parameters.get("tests", [None])[0]
    if tests not in (None, "yes", "no", "only"):
        raise UserError("`tests` must be yes, no or only.", "Correct it or leave it out.")
    return RequestFilters(tests=tests, **lists)  # type: ignore[arg-type]  # the field names


def read_flag(parameters: Parameters, name: str, default: str = "yes") -> bool:
    """The value of a parameter that is yes or no."""
    value = parameters.get(name, [default])[0]
    if value not in ("yes", "no"):
        raise UserError(f"`{name}` must be yes or no.", "Correct it or leave it out.")
    return value == "yes"


def read_after(parameters: Parameters) -> str:
    """The path that a page of files follows; empty for the first page."""
    return parameters.get("after", [""])[0]


def read_switch(parameters: Parameters, name: str, default: str) -> bool:
    """The value of a parameter that is 1 or 0."""
    value = parameters.get(name, [default])[0]
    if value not in ("0", "1"):
        raise UserError(f"`{name}` must be 1 or 0.", "Correct it or leave it out.")
    return value == "1"


def read_pagination(parameters: Parameters) -> Pagination:
    """The number of hits and the place of the first one."""
    return Pagination(
        read_integer(parameters, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
        read_integer(parameters, "offset", 0, 0, MAX_OFFSET),
    )


def read_integer(
    parameters: Parameters, name: str, default: int, minimum: int, maximum: int
) -> int:
    """The value of a parameter that is a number from `minimum` to `maximum`."""
    text = parameters.get(name, [str(default)])[0]
    if not re.fullmatch(r"[0-9]{1,9}", text) or not minimum <= int(text) <= maximum:
        raise UserError(
            f"`{name}` must be a number from {minimum} to {maximum}.", "Correct it or leave it out."
        )
    return int(text)


def read_required(parameters: Parameters, name: str) -> str:
    """The only value of a parameter, which is not empty."""
    values = parameters.get(name, [])
    if len(values) != 1 or not values[0].strip():
        raise UserError(f"`{name}` is missing, empty or repeated.", "Use it once.")
    return values[0]
