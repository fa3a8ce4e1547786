"""Lists the licence of each source, read from the licence files of the snapshots.

    python licences.py REPO... > sources.tsv

A repository with no known permissive licence, or with a copyleft text too, is left out and named on
stderr. Columns: repository, commit, licences, licence files.
"""

import re
import sys

from snapshots import Entry, contents, entries, head

_NAMES = re.compile(r"^(un)?(licen[cs]e|copying|copyright|notice)[^/]*$", re.I)
_SENTENCES = {
    "Apache-2.0": r"Apache License,? Version 2\.0|Apache License\s+Version 2\.0, January 2004",
    "MIT": r"Permission is hereby granted, free of charge, to any person obtaining a copy",
    "BSD": r"Redistribution and use in source and binary forms, with or without modification",
    "ISC": r"Permission to use, copy, modify,? and(/or)? distribute this software (and its "
    r"documentation )?for any purpose",
    "Unlicense": r"This is free and unencumbered software released into the public domain",
    "Zlib": r"This software is provided .as-is., without any express or implied warranty",
    "CC0-1.0": r"CC0 1\.0 Universal",
    "BSL-1.0": r"Boost Software License - Version 1\.0",
    "HPND": r"its associated documentation for any purpose and without fee is hereby granted",
}
_COPYLEFT = {
    "GPL": r"GNU (LESSER |LIBRARY |AFFERO )?GENERAL PUBLIC LICENSE",
    "MPL": r"Mozilla Public License",
    "MS-PL": r"Microsoft Public License",
    "EPL": r"Eclipse Public License",
    "CC-BY": r"Attribution(-ShareAlike)? [34]\.0|CC[- ]BY",
    "BUSL": r"Business Source License|Server Side Public License",
}


def licences(text: str, patterns: dict[str, str]) -> list[str]:
    flat = re.sub(r"[\s*#/]+", " ", text)
    return [name for name, pattern in patterns.items() if re.search(pattern, flat, re.I)]


def licence_files(files: list[Entry]) -> list[Entry]:
    """Lists licence files at the root or in LICENSES; deeper ones belong to bundled parts."""
    at_root = [entry for entry in files if _NAMES.match(entry.path)]
    return at_root or [e for e in files if e.path.startswith(("LICENSES/", "LICENSE/"))]


def main() -> None:
    for repo in sys.argv[1:]:
        permissive: set[str] = set()
        copyleft: set[str] = set()
        files = licence_files(entries(repo))
        for _, content in contents(repo, files):
            text = content.decode("utf-8", "replace")
            permissive.update(licences(text, _SENTENCES))
            copyleft.update(licences(text, _COPYLEFT))
        names = ", ".join(entry.path for entry in files)
        if copyleft or not permissive:
            print(f"{repo}: {sorted(permissive)} {sorted(copyleft)} in {names}", file=sys.stderr)
        else:
            print(repo, head(repo), " AND ".join(sorted(permissive)), names, sep="\t")


if __name__ == "__main__":
    main()
