"""English function words, and the few that tell English from its neighbours.

Own list: words that carry no topic. Lists in libraries also drop words such as "system", "fire" or
"computer", which do.
"""

from __future__ import annotations

_FUNCTION_WORDS = """
a about above after again against all along also although always am among an and another any are around as at
be because been before behind being below between both but by can cannot could did do does doing done down during
each either else etc even ever every few for from further had has have having he her here hers herself him himself
his how however i if in into is it its itself just let may me might more most much must my myself neither no nor
not of off often on once one only onto or other others ought our ours ourselves out over own per quite rather same
shall she should since so some such than that the their theirs them themselves then there therefore these they
this those though through thus to together too toward towards under until up upon us very via was we were what
whatever when where whether which while who whole whom whose why will with within without would yet you your yours
yourself yourselves
"""
_BEFORE_APOSTROPHE = "ain aren couldn didn doesn don hadn hasn haven isn mustn needn shouldn wasn weren won wouldn"

ENGLISH_STOP_WORDS = frozenset(_FUNCTION_WORDS.split()) | frozenset(_BEFORE_APOSTROPHE.split())
"""Lower-case; with what is left of "don't" and its like once the apostrophe has cut them."""

ENGLISH_MARKERS = frozenset({"the", "and", "with", "for", "that", "this", "from", "are"})
"""Frequent in English, rare or foreign everywhere else."""

MIN_MARKER_SHARE = 0.025
"""Share of the words from which texts count as English: titles have .10, running text .12, other languages < .02."""
