"""Publishes the index of a repository, and pulls a published one into another clone.

Entry points: `publish.publish` uploads the local index to a store, and `pull.pull` downloads the
nearest published one. Read `manifest.py` first, which says what a store contains.
What a store returns is untrusted: `share` never opens a pulled file before its digests, and never
keeps one before its schema has been checked.
"""
