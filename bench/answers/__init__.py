"""Search quality: labelled queries of other projects, and queries generated from the index."""
