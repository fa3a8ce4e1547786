"""Takes the pictures of the page in docs/pictures: hits of a query, and the map.

    python docs/pictures.py [FOLDER]

They show this repository's HEAD. FOLDER is where they are written; by default docs/pictures.
Chromium must be installed: .ci/browser does that.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from playwright.sync_api import ViewportSize, sync_playwright

DOCS = Path(__file__).resolve().parent
FEEDER = (sys.executable, "-m", "feeder")
BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


class Picture(NamedTuple):
    """A file, the page's address that it shows, and an element that appears when all is drawn."""

    file: str
    address: str
    drawn: str
    color_scheme: Literal["dark", "light"]
    size: ViewportSize


PICTURES = (
    Picture(
        "search.png",
        "?q=how+is+a+token+compared",
        "text=Similar",
        "light",
        {"width": 1100, "height": 780},
    ),
    Picture(
        "map.png", "?view=map&only=indexed", "canvas, svg", "dark", {"width": 1100, "height": 760}
    ),
)


@contextmanager
def served() -> Iterator[str]:
    """Indexes HEAD into a temporary file and serves it; yields the address with the token."""
    with TemporaryDirectory() as folder:
        index = ("--db", f"{folder}/index.db", "--repo", "feeder", "-C", str(DOCS.parent))
        index += ("--model", "static")
        subprocess.run([*FEEDER, "sync", "-q", *index], check=True, stdout=subprocess.DEVNULL)
        command = [*FEEDER, "serve", *index]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                yield server.stdout.readline().strip()
            finally:
                server.terminate()


def take_pictures(folder: Path) -> None:
    """Writes all pictures; raises SystemExit without a browser."""
    browser_path = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser_path is None:
        sys.exit("There is no Chromium. Install it: .ci/browser")
    with served() as address, sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-dev-shm-usage"]  # a container has no setuid sandbox
        browser = playwright.chromium.launch(executable_path=browser_path, args=flags)
        for picture in PICTURES:
            page = browser.new_page(viewport=picture.size, color_scheme=picture.color_scheme)
            page.goto(address)
            page.get_by_role("heading", name="Search this repository").wait_for()
            page.goto(f"{address.partition('#')[0]}{picture.address}")
            page.locator(picture.drawn).first.wait_for()
            page.wait_for_load_state("networkidle")
            page.screenshot(path=folder / picture.file)
        browser.close()


if __name__ == "__main__":
    take_pictures(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "pictures")
