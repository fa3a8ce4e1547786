"""Opens all views of the page in Chromium, both themes, three widths; checks them with axe-core.

    python bench/page_views.py FOLDER QUERY [PICTURES]

FOLDER is a clone with an index, QUERY one with hits of which one is a symbol. Prints each
violation; with PICTURES, a folder, also takes a picture of each view.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from web.browser_client import accessibility_violations, chromium, index_server
from web.page_views import SCHEMES, WIDTHS, visit


def main(folder: Path, query: str, pictures: Path | None) -> None:
    """Prints the violations, and how many views were checked."""
    checked = total = 0
    with index_server(folder, "static") as site, chromium() as browser:
        for width in WIDTHS:
            for name, page in visit(browser, site, query, width):
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    page.wait_for_timeout(300)
                    violations = accessibility_violations(page)
                    checked, total = checked + 1, total + len(violations)
                    for violation in violations:
                        print(f"{name}, {width}, {scheme}: {violation}")
                    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                        print(f"{name}, {width}, {scheme}: scrolls sideways")
                    if pictures:
                        file = f"{name.replace(' ', '-')}-{width}-{scheme}.png"
                        page.screenshot(path=pictures / file)
    print(f"{checked} views checked, {total} violations")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]) if len(sys.argv) > 3 else None)
