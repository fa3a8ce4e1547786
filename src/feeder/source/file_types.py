"""Classifies files by name alone: lock files, generated, minified, binary, secret and document
files.
"""

import re

from feeder.source import Sizes, SkipReason


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _word_tuple(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_LOCK_FILES = _word_set(
    """
    .terraform.lock.hcl buildscript-gradle.lockfile bun.lock bun.lockb cabal.project.freeze
    cargo.lock cartfile.resolved chart.lock composer.lock conda-lock.yml deno.lock flake.lock
    gemfile.lock go.sum go.work.sum gradle.lockfile mix.lock module.bazel.lock npm-shrinkwrap.json
    package-lock.json package.resolved packages.lock.json paket.lock pdm.lock pipfile.lock pixi.lock
    pnpm-lock.yaml podfile.lock poetry.lock project.assets.json pubspec.lock rebar.lock
    stack.yaml.lock uv.lock yarn.lock
    """
)

_MINIFIED_SUFFIXES = _word_tuple(".map .min.cjs .min.css .min.html .min.js .min.mjs")

_GENERATED_SUFFIXES = _word_tuple(
    """
    .designer.cs .designer.vb .freezed.dart .g.cs .g.dart .g.i.cs .gen.go .gen.ts .generated.cs
    .generated.go .generated.ts .gr.dart .mocks.dart .pb.cc .pb.dart .pb.go .pb.gw.go .pb.h
    .pb.swift .pb.validate.go .pbenum.dart .pbgrpc.dart .pbjson.dart _grpc_pb.js _pb.d.ts _pb.js
    _pb.rb _pb.ts _pb2.py _pb2.pyi _pb2_grpc.py
    """
)

_SECRET_FILES = _word_set(
    """
    .boto .dockercfg .git-credentials .htpasswd .my.cnf .netrc .npmrc .pgpass .pypirc .s3cfg
    .secrets .vault-token .vault_pass _netrc credentials credentials.json credentials.tfrc.json
    credentials.xml credentials.yaml credentials.yml kubeconfig secrets.json secrets.toml
    secrets.yaml secrets.yml
    """
)

_SECRET_SUFFIXES = _word_tuple(
    """
    .bks .jceks .jks .kdb .kdbx .key .keystore .ovpn .p12 .p8 .pem .pfx .ppk .tfstate
    .tfstate.backup /.docker/config.json /.kube/config
    """
)

_SECRET_NAME = re.compile(
    r".*\.env|\.envrc|(\.env|\.dev\.vars)(\..*)?"
    r"|id_(rsa|dsa|ecdsa|ed25519)[^.]*(\.bak|\.old|\.orig)?"
    r"|(client_secret|service[-_]?account).*\.json",
    re.DOTALL,
)

_TEMPLATE_NAME = re.compile(
    r".*\.(dist|example|sample|template|tmpl|tpl)|(example|sample|template)\.env", re.DOTALL
)

_BINARY_EXTENSIONS = _word_set(
    """
    7z a aab aac aar ai apk arrow avi avif avro bin blend bmp bpl bz2 cab class cur dcp dcu deb dex
    djvu dll dmg doc ds_store dylib ear egg elc eot exe fbx feather flac flv gem gguf gif
    glb gz h5 hdf5 heic icns ico ipa iso jar jfif joblib jpeg jpg lib lnk lz4 lzma m4a m4v mdb mkv
    mobi mov mp3 mp4 msi node npy npz nupkg o obb ogg ogv onnx opus orc otf parquet
    pdb pickle png ppt ppu psd pth pyc pyd pyo rar rlib rmeta rpm safetensors so
    sqlite sqlite3 swf tar tbz2 tflite tgz tif tiff ttc ttf txz wasm wav webm webp whl wma wmv woff
    woff2 xcf xz zip zst
    """
)

DOCUMENT_EXTENSIONS = _word_set(
    "docm docx epub mht mhtml odp ods odt pdf pptm pptx rtf xls xlsb xlsm xlsx"
)
"""Extensions of documents, whose text is extracted with the extra `documents`."""

CLASSIFICATION_FINGERPRINT = repr(
    [
        *map(
            sorted,
            (_LOCK_FILES, _MINIFIED_SUFFIXES, _GENERATED_SUFFIXES, _SECRET_FILES, _SECRET_SUFFIXES),
        ),
        *map(sorted, (_BINARY_EXTENSIONS, DOCUMENT_EXTENSIONS)),
        _SECRET_NAME.pattern,
        _TEMPLATE_NAME.pattern,
    ]
)
"""Changes when one of these lists does; part of the exclusion rules' digest."""


def skip_reason(path: str) -> SkipReason | None:
    """The reason why a file of this name is skipped; None if its name is no reason."""
    lowercase = "/" + path.lower()
    name = lowercase.rpartition("/")[2]
    if _may_hold_secrets(lowercase, name):
        return SkipReason.SECRET
    if name in _LOCK_FILES:
        return SkipReason.LOCK
    if name.endswith(_MINIFIED_SUFFIXES):
        return SkipReason.MINIFIED
    if name.endswith(_GENERATED_SUFFIXES) or name.startswith("zz_generated."):
        return SkipReason.GENERATED
    return SkipReason.BINARY if _extension(name) in _BINARY_EXTENSIONS else None


def document_extension(path: str) -> str:
    """The extension of a document, in lower case; empty for any other file."""
    extension = _extension(path.rpartition("/")[2].lower())
    return extension if extension in DOCUMENT_EXTENSIONS else ""


def size_limit(path: str, sizes: Sizes) -> int:
    """The maximum size of a file of this name, in bytes."""
    return sizes.document if document_extension(path) else sizes.text


def _extension(name: str) -> str:
    return name.rpartition(".")[2] if "." in name else ""


def _may_hold_secrets(path: str, name: str) -> bool:
    is_secret_name = (
        name in _SECRET_FILES or path.endswith(_SECRET_SUFFIXES) or _SECRET_NAME.fullmatch(name)
    )
    return bool(is_secret_name) and not _TEMPLATE_NAME.fullmatch(name)
