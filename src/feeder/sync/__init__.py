"""Index := tree. The heart, its seams and its proof."""
