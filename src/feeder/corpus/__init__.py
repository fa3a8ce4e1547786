"""What an answer is about: one repository's index, and its files as they are now.

Entry points: `corpus.Corpus`, and `index_status.index_status` of one. `file_contents` reads the
lines of files as they were indexed, and `skipped_files` says which files the index does not have.
This package never ranks and never asks a model.
"""
