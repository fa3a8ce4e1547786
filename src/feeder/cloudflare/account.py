"""Databases, Vectorize indexes and metadata indexes of an account, through Cloudflare's official
SDK, the package `cloudflare` of the extra `cloudflare`.

The SDK makes the requests and reads the responses. Retries, rate limit and errors are those of
`Api`: the SDK sends a POST again whatever it does, ignores a `Retry-After` above 60 s, and takes
HTTP 200 with `success: false` for a success.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from feeder.cloudflare.api import TIMEOUT_S, Api
from feeder.errors import FeederError, ServiceError, UserError
from feeder.http_client import create_client
from feeder.retry import Result

if TYPE_CHECKING:
    import httpx

    from cloudflare import Cloudflare

METRIC: Final = "cosine"


class IndexConfig(NamedTuple):
    """The shape of a Vectorize index."""

    dimensions: int
    metric: str


class AccountResources:
    """Reads and creates resources of an account.

    Raises UserError if the SDK is not installed.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._account_id = api.account_id
        self._sdk = _create_sdk(api)

    def close(self) -> None:
        """Closes the connections."""
        self._sdk.close()

    def database_name(self, database_id: str) -> str:
        """Returns the name of a database; raises UserError if the id does not exist."""
        databases = self._sdk.d1.database
        about = self._call("d1", lambda: databases.get(database_id, account_id=self._account_id))
        return str(about.name)

    def database_id(self, name: str) -> str | None:
        """Returns the id of the database with this name."""
        databases = self._sdk.d1.database
        # the service finds all names that contain this one, in pages
        return self._call(
            "d1",
            lambda: next(
                (
                    str(database.uuid)
                    for database in databases.list(account_id=self._account_id, name=name)
                    if database.name == name
                ),
                None,
            ),
        )

    def create_database(self, name: str) -> str:
        """Creates a database and returns its id."""
        databases = self._sdk.d1.database
        try:
            created = self._call(
                "d1", lambda: databases.create(account_id=self._account_id, name=name)
            )
        except ServiceError:
            # an earlier try may have created it and lost its response
            if existing := self.database_id(name):
                return existing
            raise
        return str(created.uuid)

    def index_config(self, name: str) -> IndexConfig | None:
        """Returns the shape of the index with this name."""
        indexes = self._sdk.vectorize.indexes
        for index in self._call("vectorize", lambda: indexes.list(account_id=self._account_id)):
            if index.name == name and index.config:
                return IndexConfig(int(index.config.dimensions), str(index.config.metric))
        return None

    def create_index(self, name: str, dimensions: int) -> None:
        """Creates a Vectorize index."""
        indexes = self._sdk.vectorize.indexes
        try:
            self._call(
                "vectorize",
                lambda: indexes.create(
                    account_id=self._account_id,
                    name=name,
                    config={"dimensions": dimensions, "metric": METRIC},
                ),
            )
        except ServiceError:
            if self.index_config(name) is None:
                raise

    def metadata_properties(self, index: str) -> set[str]:
        """Returns the properties that have a metadata index."""
        metadata = self._sdk.vectorize.indexes.metadata_index
        answer = self._call("vectorize", lambda: metadata.list(index, account_id=self._account_id))
        properties = (answer.metadata_indexes if answer else None) or []
        return {str(index.property_name) for index in properties}

    def vector_count(self, index: str) -> int:
        """Returns the number of vectors that readers see now."""
        indexes = self._sdk.vectorize.indexes
        answer = self._call("vectorize", lambda: indexes.info(index, account_id=self._account_id))
        return int((answer.vector_count if answer else None) or 0)

    def create_metadata_index(self, index: str, name: str) -> None:
        """Creates a metadata index of strings; an existing one stays."""
        metadata = self._sdk.vectorize.indexes.metadata_index
        self._call(
            "vectorize",
            lambda: metadata.create(
                index, account_id=self._account_id, index_type="string", property_name=name
            ),
        )

    def check_workers_ai(self) -> None:
        """Raises UserError if the token may not use Workers AI."""
        models = self._sdk.ai.models
        self._call("ai", lambda: models.list(account_id=self._account_id, per_page=1))

    def _call(self, service: str, send: Callable[[], Result]) -> Result:
        """Calls the SDK with the retries and errors of `Api`."""
        import httpx

        from cloudflare import APIConnectionError

        def try_once() -> Result:
            try:
                return send()
            except APIConnectionError as exc:
                # it hides both a lost connection and the error of `_check_response`
                cause = exc.__cause__
                if isinstance(cause, FeederError):
                    raise cause from None
                if isinstance(cause, httpx.RequestError):
                    raise self._api.connection_error(cause) from None
                raise

        return self._api.retry(service, try_once)


def _create_sdk(api: Api) -> "Cloudflare":
    """Creates the SDK's client over HTTP as `Api` has it: proxy, certificates, no redirects."""
    try:
        from cloudflare import Cloudflare
    except ImportError as exc:
        from feeder.installation import install_hint

        raise UserError(
            "Cloudflare's SDK, which this needs, is not installed.", install_hint("cloudflare")
        ) from exc

    def before_request(request: "httpx.Request") -> None:
        api.wait_for_turn()
        api.count_request(_service_of(request))

    def check_response(response: "httpx.Response") -> None:
        response.read()
        api.result_of(_service_of(response.request), response)

    http = create_client({}, TIMEOUT_S, 1)
    http.event_hooks = {"request": [before_request], "response": [check_response]}
    sdk = Cloudflare(api_token=api.token, base_url=api.address, max_retries=0, http_client=http)
    # it would prefer a global API key of the environment to the token
    sdk.api_email = sdk.api_key = sdk.user_service_key = None
    return sdk


def _service_of(request: "httpx.Request") -> str:
    """Returns the service that a request is to, by its path below the account."""
    service = re.search(r"/accounts/[^/]+/(\w+)/", request.url.path)
    return service[1] if service else ""
