"""Sizes that tables of documents share."""

WRAPPED = 66
"""Height of a row, in pixels, in which a long title takes more lines instead of being cut; below 65 none wraps."""
