"""How does a browser get an address whose token no other user of the machine may read?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from feeder.private_files import create_private_file

REDIRECT_PAGE = """\
<!doctype html><meta charset="utf-8"><title>feeder</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={0}"><p><a href="{0}">feeder</a></p>
"""


@contextmanager
def redirect_page(address: str) -> Iterator[Path]:
    """A page that leads there, which its owner alone reads, until the end of the block.

    A browser is told its name: what stands on a command line is shown to everybody.
    """
    with TemporaryDirectory(prefix="feeder-", ignore_cleanup_errors=True) as folder:
        page = Path(folder, "open.html")
        create_private_file(page)
        page.write_text(REDIRECT_PAGE.format(escape(address)), "utf-8")
        yield page
