"""Ranking: finds candidates by name, word and vector, and orders them.

Entry points: `retrieval.retrieve_candidates`, then `ranking`; `results` groups what was ranked.
Each rule is in one function of `ranking`, with the gain measured for it. This package never reads
a snippet's text and never formats.
"""
