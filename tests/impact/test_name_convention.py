"""The name of a test says which file it is of."""

import pytest

from feeder.impact.name_convention import (
    SAME_NAME,
    SIMILAR_NAME,
    NameScores,
    name_score,
    symbol_score,
)


@pytest.mark.parametrize(
    ("path", "test_path", "score"),
    [
        ("shop/cart.py", "tests/test_cart.py", SAME_NAME),
        ("shop/_cart.py", "tests/cart_test.py", SAME_NAME),
        ("pkg/mux.go", "pkg/mux_test.go", SAME_NAME),
        ("src/cart.ts", "src/cart.spec.ts", SAME_NAME),
        ("src/createStore.ts", "test/create-store.test.tsx", SAME_NAME),
        ("main/CartItem.java", "test/CartItemTest.java", SAME_NAME),
        ("main/CartItem.java", "test/TestCartItem.java", SAME_NAME),
        ("main/Http2Reader.kt", "test/Http2ReaderTests.kt", SAME_NAME),
        ("shop/cart/__init__.py", "tests/test_cart.py", SAME_NAME),
        ("src/cart/index.ts", "src/cart/index.test.ts", SAME_NAME),
        ("src/cart/index.ts", "src/other/index.test.ts", 0.0),
        ("shop/cart.py", "tests/test_cart_totals.py", SIMILAR_NAME),
        ("shop/downloader_http.py", "tests/test_downloader.py", SIMILAR_NAME),
        ("shop/cart.py", "tests/test_order.py", 0.0),
        ("shop/ui.py", "tests/test_build.py", 0.0),
        ("shop/cart.py", "tests/conftest.py", 0.0),
        ("shop/cart.py", "tests/test.py", 0.0),
    ],
)
def test_score_of_a_test_by_its_name(path: str, test_path: str, score: float) -> None:
    assert name_score(path, test_path) == score


@pytest.mark.parametrize(
    ("symbol", "test_path", "score"),
    [
        ("res.download", "test/res.download.js", SAME_NAME),
        ("req.get", "test/req.get.js", SAME_NAME),
        ("Response.download", "tests/test_download.py", SAME_NAME),
        ("download", "test/acceptance/downloads.js", SIMILAR_NAME),
        ("res.download", "test/res.send.js", 0.0),
        ("res.get", "tests/test_get.py", 0.0),
        ("", "tests/test.py", 0.0),
    ],
)
def test_score_of_a_test_by_a_symbol(symbol: str, test_path: str, score: float) -> None:
    assert symbol_score(symbol, test_path) == score


def test_scores_of_many_names_are_those_of_the_pairs() -> None:
    """`NameScores` compares no pairs, and says the same."""
    paths = [
        *(
            "shop/cart.py",
            "shop/_cart.py",
            "shop/ui.py",
            "src/cart/index.ts",
            "shop/cart/__init__.py",
        ),
        *("main/Http2Reader.kt", "shop/downloader_http.py", "a/utils.py", "x/.env", "b/cartoon.py"),
    ]
    symbols = ["res.download", "Response.get", "download", "", "Cart.add_all", "_x"]
    tests = [
        *("tests/test_cart.py", "tests/test_ui.py", "src/cart/index.test.ts", "tests/test.py"),
        *("a/test_utils.py", "test/res.download.js", "tests/test_add_all.py", "tests/test_get.py"),
        *(
            "tests/test_downloader.py",
            "tests/test_mycart.py",
            "tests/test_car.py",
            "tests/cartoons.py",
        ),
        *("t/Http2ReaderTests.kt", "tests/conftest.py", "test/downloads.js", "tests/test_http.py"),
    ]
    for some_paths, some_symbols in [(paths, symbols), *[([p], []) for p in paths]]:
        scores = NameScores(some_paths, some_symbols)
        for test in tests:
            pairs = [name_score(path, test) for path in some_paths]
            pairs += [symbol_score(symbol, test) for symbol in some_symbols]
            assert scores.score(test) == max(pairs), (some_paths, test)
