"""Creates a small repository with three commits, and a checkout of each."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from speed.repository import clone, commit, git

from parse.documents import docx, p, tbl, xlsx

REPO = "acme/shop"

CART = '''\
"""What a customer is about to buy."""

from decimal import Decimal


class Cart:
    """Lines and their sum."""

    def addLine(self, article, count):
        self.lines.append((article, count))

    def total(self):
        return sum(Decimal(price) for _, price in self.lines)


def emptyCart():
    return Cart()
'''
TAX = (
    "RATE = 19\n\n\ndef tax(net):\n    return net * RATE / 100\n\n\ndef net(gross):\n    return 1\n"
)
GUIDE = (
    "# Guide\n\nHow to run the shop.\n\n## Install\n\nUse a package.\n\n## Refunds\n\nAsk first.\n"
)
STOCK = "def inStock(article):\n    return article.count > 0\n\n\ndef order(article):\n    pass\n"
COURIER = "class Courier:\n    def send(self, parcel):\n        parcel.leave()\n"
CONFIG = '{"server": {"port": 8080, "host": "localhost"}, "debug": true}\n'

PRICES = xlsx({"Prices": [("article", "price"), ("apple", 1.5)]})


def _manual(offset: str) -> bytes:
    """Returns a DOCX with a heading and a table."""
    return docx(p("Registers", "berschrift1") + tbl([("Name", "Offset"), ("CTRL", offset)]))


Files = dict[str, str | bytes | None]

FIRST: Files = {
    "src/cart.py": CART,
    "src/tax.py": TAX,
    "src/stock.py": STOCK,
    "src/courier.py": COURIER,
    "docs/guide.md": GUIDE,
    "config.json": CONFIG,
    "src/empty.py": "",
    "yarn.lock": "lock\n",
    "docs/manual.docx": _manual("0x00"),
    "docs/prices.xlsx": PRICES,
}
# an edit in place keeps the node's id, a shift keeps its text
SECOND: Files = {
    "src/cart.py": CART.replace("return Cart()", "return Basket()"),
    "src/tax.py": f"# of the year\n{TAX}",
    "src/stock.py": None,
    "src/courier.py": None,
    "src/carrier.py": COURIER,
    "src/wishes.py": "def wishes():\n    return []\n",
    "docs/guide.md": GUIDE.replace("Ask first.", "Ask us."),
    "docs/manual.docx": _manual("0x04"),
    "docs/prices.xlsx": "apples, as text\n",
}
THIRD: Files = {
    "src/cart.py": CART.replace("return Cart()", "return Trolley()"),
    "src/tax.py": TAX,
    "src/stock.py": STOCK,
    "src/carrier.py": None,
    "src/wishes.py": None,
    "src/vat.py": "VAT = 7\n",
    "config.json": None,
    "docs/manual.docx": None,
    "docs/prices.xlsx": PRICES,
}


class Commits(NamedTuple):
    """A checkout of each commit.

    The second adds, edits, shifts, renames and deletes files. The third reverts some of that, and
    edits the same lines again.
    """

    first: Path
    second: Path
    third: Path


def commits(folder: Path) -> Commits:
    """Creates the repository in a folder, and a clone of it for each commit."""
    main = folder / "main"
    main.mkdir(parents=True)
    git(main, "init", "-q")
    return Commits(*_commit_each(main))


def _commit_each(main: Path) -> Iterator[Path]:
    for number, files in enumerate((FIRST, SECOND, THIRD), start=1):
        for name, text in files.items():
            file = main / name
            file.parent.mkdir(exist_ok=True)
            if text is None:
                file.unlink()
            else:
                file.write_bytes(text.encode() if isinstance(text, str) else text)
        git(main, "add", "-A")
        commit(main)
        yield clone(main, main.with_name(f"commit-{number}"))


def sha(checkout: Path) -> str:
    """Returns the id of the checked-out commit."""
    return git(checkout, "rev-parse", "HEAD")
