"""A store in an object store: S3 and its kind, Google Cloud Storage, or Azure Blob Storage.

Credentials and endpoints come from each service's usual environment variables.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from feeder.errors import ServiceError, TransientError, UserError
from feeder.installation import install_hint
from feeder.share.stores import TIMEOUT_S, Pace, Versioned, too_large

if TYPE_CHECKING:
    from obstore import UpdateVersion
    from obstore.store import ClientConfig, RetryConfig

_CHUNK_BYTES = 1 << 14
_METADATA_SERVICE = "169.254.169.254"
"""The address at which a machine in a cloud gets its credentials."""


class ObjectStore:
    """A store below an address such as `s3://bucket/folder`."""

    def __init__(self, address: str, pace: Pace) -> None:
        try:
            from obstore.store import from_url
        except ImportError as exc:
            raise UserError(
                f"{address} needs a client for object stores.", install_hint("share")
            ) from exc
        # options given here replace those that the environment gives
        allow_http = os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true"
        # waiting for a service that fails takes longer than making the index
        retry: RetryConfig = {"max_retries": 0 if pace.limit_s else 4}
        limit_s = pace.limit_s or TIMEOUT_S

        def open_with(timeout_s: float) -> Any:
            client: ClientConfig = {
                "connect_timeout": timedelta(seconds=limit_s),
                "timeout": timedelta(seconds=timeout_s),
                "allow_http": allow_http,
            }
            return from_url(address, client_options=client, retry_config=retry)

        self._address = address
        self._pace = pace
        with self._translated_errors():
            self._store = open_with(TIMEOUT_S)
            self._answering_store = open_with(limit_s)
            """Reads the small files, whose time is that until the service answers."""

    def read(self, name: str, limit: int) -> Versioned | None:
        data = bytearray()
        with self._translated_errors():
            try:
                store = self._answering_store if name.endswith(".json") else self._store
                result = store.get(name)
            except FileNotFoundError:
                return None
            if result.meta["size"] > limit:
                raise too_large(name)
            for chunk in result.stream(_CHUNK_BYTES):
                data += chunk
                self._pace.add(len(chunk))
        return Versioned(bytes(data), result.meta["e_tag"] or "")

    def names(self) -> dict[str, float]:
        with self._translated_errors():
            return {
                file["path"]: file["last_modified"].timestamp()
                for batch in self._store.list()
                for file in batch
            }

    def write(self, name: str, data: bytes) -> None:
        with self._translated_errors():
            self._store.put(name, data)

    def replace(self, name: str, data: bytes, version: str | None) -> bool:
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        known: UpdateVersion = {"e_tag": version or ""}
        try:
            with self._translated_errors():
                self._store.put(name, data, mode="create" if version is None else known)
        except (AlreadyExistsError, PreconditionError):
            return False
        return True

    def delete(self, names: Iterable[str]) -> None:
        with self._translated_errors():
            self._store.delete(list(names))

    def close(self) -> None:
        """A store has no connection of its own to close."""

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Lets pass what says that an object has changed."""
        from obstore import exceptions

        try:
            yield
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
            raise
        except FileNotFoundError as exc:
            raise UserError(f"{self._address} does not exist.", "Create the bucket.") from exc
        except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError) as exc:
            raise UserError(
                f"{self._address} refused the request.", "Check its credentials and permissions."
            ) from exc
        except (exceptions.UnknownConfigurationKeyError, exceptions.InvalidPathError) as exc:
            raise UserError(f"{self._address} cannot be used: {_reason(exc)}.") from exc
        except exceptions.BaseError as exc:
            if _METADATA_SERVICE in str(exc):  # asked where the environment has no credentials
                raise UserError(
                    f"No credentials for {self._address} were found.",
                    "Set the service's environment variables, such as AWS_ACCESS_KEY_ID and "
                    "AWS_SECRET_ACCESS_KEY.",
                ) from exc
            raise TransientError(f"{self._address} failed: {_reason(exc)}.") from exc
        except OSError as exc:
            raise ServiceError(f"{self._address} failed: {_reason(exc)}.") from exc


def _reason(exc: Exception) -> str:
    """The first line; the others are the error's representation in Rust."""
    return (str(exc).strip().splitlines() or [type(exc).__name__])[0][:300]
