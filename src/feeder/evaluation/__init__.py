"""Evaluation: how good the answers to judged queries are.

Entry point: `evaluation.run_evaluation`; `judgments` reads the file of queries. This package never
changes how a query is answered.
"""
