"""Compares the speed of the checkout with that of one of its commits, as `python -m bench compare`.

`command` is the entry point, `versions` makes the two programs and their repositories, `steps`
runs them in turn, and `ratios` judges the figures.
"""
