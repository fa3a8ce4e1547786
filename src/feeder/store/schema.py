"""Is a database's schema this program's? Asked with the first request, which costs no other."""

from collections.abc import Sequence

from feeder.store import Database, Row, Statement
from feeder.store.migrations import SCHEMA_QUERY, check_schema


class VerifiedDatabase:
    """A `Database` that proves its schema with what is read from it first.

    That first request raises UserError where the schema is missing, older, newer or somebody
    else's; so it must not write.
    """

    def __init__(self, database: Database) -> None:
        self.place = database.place
        self._database = database
        self._is_verified = False

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """The statements' rows, as the database answers them."""
        if self._is_verified:
            return self._database.run(statements)
        applied, *rows = self._database.run([Statement(SCHEMA_QUERY), *statements])
        check_schema({str(row[0]) for row in applied}, self.place)
        self._is_verified = True
        return rows

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        """As the database does it."""
        self._database.script(sql, statements)

    def close(self) -> None:
        """Ends the connection."""
        self._database.close()
