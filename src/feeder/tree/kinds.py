"""What does a file's name alone tell about it?"""

import re

from feeder.tree import Sizes, Skip


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _endings(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_LOCKS = _names(
    """
    .terraform.lock.hcl buildscript-gradle.lockfile bun.lock bun.lockb cabal.project.freeze
    cargo.lock cartfile.resolved chart.lock composer.lock conda-lock.yml deno.lock flake.lock
    gemfile.lock go.sum go.work.sum gradle.lockfile mix.lock module.bazel.lock npm-shrinkwrap.json
    package-lock.json package.resolved packages.lock.json paket.lock pdm.lock pipfile.lock pixi.lock
    pnpm-lock.yaml podfile.lock poetry.lock project.assets.json pubspec.lock rebar.lock
    stack.yaml.lock uv.lock yarn.lock
    """
)

_MINIFIED = _endings(".map .min.cjs .min.css .min.html .min.js .min.mjs")

_GENERATED = _endings(
    """
    .designer.cs .designer.vb .freezed.dart .g.cs .g.dart .g.i.cs .gen.go .gen.ts .generated.cs
    .generated.go .generated.ts .gr.dart .mocks.dart .pb.cc .pb.dart .pb.go .pb.gw.go .pb.h
    .pb.swift .pb.validate.go .pbenum.dart .pbgrpc.dart .pbjson.dart _grpc_pb.js _pb.d.ts _pb.js
    _pb.rb _pb.ts _pb2.py _pb2.pyi _pb2_grpc.py
    """
)

_SECRETS = _names(
    """
    .boto .dockercfg .git-credentials .htpasswd .my.cnf .netrc .npmrc .pgpass .pypirc .s3cfg
    .secrets .vault-token .vault_pass _netrc credentials credentials.json credentials.tfrc.json
    credentials.xml credentials.yaml credentials.yml kubeconfig secrets.json secrets.toml
    secrets.yaml secrets.yml
    """
)

_SECRET_ENDINGS = _endings(
    """
    .bks .jceks .jks .kdb .kdbx .key .keystore .ovpn .p12 .p8 .pem .pfx .ppk .tfstate
    .tfstate.backup /.docker/config.json /.kube/config
    """
)

_SECRET = re.compile(
    r".*\.env|\.envrc|(\.env|\.dev\.vars)(\..*)?"
    r"|id_(rsa|dsa|ecdsa|ed25519)[^.]*(\.bak|\.old|\.orig)?"
    r"|(client_secret|service[-_]?account).*\.json",
    re.DOTALL,
)

_TEMPLATE = re.compile(
    r".*\.(dist|example|sample|template|tmpl|tpl)|(example|sample|template)\.env", re.DOTALL
)

_BINARY = _names(
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

DOCUMENTS = _names("docm docx epub mht mhtml odp ods odt pdf pptm pptx rtf xls xlsb xlsm xlsx")
"""Endings of what is read by taking its text out, which needs `headfeed[documents]`."""

FINGERPRINT = repr(
    [
        *map(sorted, (_LOCKS, _MINIFIED, _GENERATED, _SECRETS, _SECRET_ENDINGS)),
        *map(sorted, (_BINARY, DOCUMENTS)),
        _SECRET.pattern,
        _TEMPLATE.pattern,
    ]
)
"""Differs when these lists do."""


def kind(path: str) -> Skip | None:
    """Why a file of this name would be kept out; None where the name says nothing."""
    whole = "/" + path.lower()
    name = whole.rpartition("/")[2]
    if _holds_secrets(whole, name):
        return Skip.SECRET
    if name in _LOCKS:
        return Skip.LOCK
    if name.endswith(_MINIFIED):
        return Skip.MINIFIED
    if name.endswith(_GENERATED) or name.startswith("zz_generated."):
        return Skip.GENERATED
    return Skip.BINARY if _ending(name) in _BINARY else None


def document(path: str) -> str:
    """The ending of a document whose text has to be taken out; empty for any other file."""
    ending = _ending(path.rpartition("/")[2].lower())
    return ending if ending in DOCUMENTS else ""


def limit(path: str, sizes: Sizes) -> int:
    """How large a file of this name may be."""
    return sizes.document if document(path) else sizes.text


def _ending(name: str) -> str:
    return name.rpartition(".")[2] if "." in name else ""


def _holds_secrets(whole: str, name: str) -> bool:
    named_so = name in _SECRETS or whole.endswith(_SECRET_ENDINGS) or _SECRET.fullmatch(name)
    return bool(named_so) and not _TEMPLATE.fullmatch(name)
