"""File types that are recognized by name alone."""

import pytest

from feeder.source import Sizes, SkipReason
from feeder.source.file_types import document_extension, size_limit, skip_reason


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "app/.env.production",
        "deploy/prod.env",
        ".envrc",
        ".dev.vars",
        ".dev.vars.staging",
        "certs/server.pem",
        "config/master.key",
        "home/.ssh/id_rsa",
        "id_ed25519_sk",
        "id_rsa_deploy.bak",
        "release.p12",
        "release.pfx",
        "android/release.jks",
        "debug.keystore",
        ".netrc",
        ".npmrc",
        ".pypirc",
        "Credentials.json",
        "client_secret_123.json",
        "service-account.json",
        "home/.docker/config.json",
        ".kube/config",
        "infra/terraform.tfstate",
        ".streamlit/secrets.toml",
    ],
)
def test_files_with_secrets_are_excluded(path: str) -> None:
    """Settings with passwords, private keys and key stores."""
    assert skip_reason(path) is SkipReason.SECRET


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.sample",
        ".env.template",
        "app/.env.local.example",
        "example.env",
        "env",
        "env.py",
        "src/environment.ts",
        "id_rsa.pub",
        "id_rsa_parser.py",
        "credentials.py",
        "docker/config.json",
        "keyboard.rs",
        "secrets.py",
        "README",
        "Makefile",
        "zip",
        "yarn.lock.md",
        "src/pb2.py",
        "admin.js",
        "größe.md",
        "logo.svg",
    ],
)
def test_files_that_only_look_like_secrets_are_read(path: str) -> None:
    """Templates, public keys, and code about secrets."""
    assert skip_reason(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "package-lock.json",
        "web/yarn.lock",
        "Cargo.lock",
        "poetry.lock",
        "uv.lock",
        "pnpm-lock.yaml",
        "Gemfile.lock",
        "composer.lock",
        "go.sum",
        "Package.resolved",
    ],
)
def test_lock_files_are_excluded(path: str) -> None:
    assert skip_reason(path) is SkipReason.LOCK


@pytest.mark.parametrize("path", ["app.min.js", "css/site.min.css", "app.js.map", "a.css.map"])
def test_minified_files_are_excluded(path: str) -> None:
    """And source maps."""
    assert skip_reason(path) is SkipReason.MINIFIED


@pytest.mark.parametrize(
    "path",
    [
        "api/cart_pb2.py",
        "api/cart.pb.go",
        "lib/cart.g.dart",
        "Form1.Designer.cs",
        "zz_generated.deepcopy.go",
    ],
)
def test_generated_files_are_excluded(path: str) -> None:
    """Of interface compilers and designers."""
    assert skip_reason(path) is SkipReason.GENERATED


@pytest.mark.parametrize(
    "path", ["logo.PNG", "a.jpg", "a.tar.gz", "paper.psd", "font.woff2", ".png"]
)
def test_binary_files_are_excluded_by_name(path: str) -> None:
    """Images, archives, fonts and the like."""
    assert skip_reason(path) is SkipReason.BINARY


@pytest.mark.parametrize("path", ["a/Manual.PDF", "b.docx", "prices.xlsx", ".pdf"])
def test_documents_are_read(path: str) -> None:
    """Whether an extractor is installed does not matter here."""
    assert skip_reason(path) is None
    assert document_extension(path) == path.rpartition(".")[2].lower()
    assert size_limit(path, Sizes(1, 2)) == 2


def test_other_files_are_no_documents() -> None:
    """Nor a file named like an extension."""
    assert not any(map(document_extension, ["pdf", "docs/pdf", "a.pdf/b.txt", "a.pdf.txt"]))
    assert size_limit("pdf", Sizes(1, 2)) == 1
