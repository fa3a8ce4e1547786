"""The name of a test says which file it is of."""

import pytest

from feeder.impact.name_convention import SAME_NAME, SIMILAR_NAME, name_score, symbol_score


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
