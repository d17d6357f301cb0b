"""The guided tours: which page each step opens, in which state, and what there is to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """One page in a ready state.

    Attributes
    ----------
    page
        File of the page, from the root of the dashboard.
    title
        What the step shows, in a few words.
    see
        One sentence: where to look, and what it shows.
    link
        What the link carries beside sample and step.
    """

    page: str
    title: str
    see: str
    link: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tour:
    """A walk through a sample."""

    sample: str
    title: str
    about: str
    steps: tuple[Step, ...]


PLACE_CELLS = "neurons that tell an animal where it is"
REFUND = (
    "If we cancel an annual plan half way through the year, how can the unused amount be paid out to us, "
    "and on which day is that done?"
)

TOURS = {
    "papers": Tour(
        "papers",
        "From a pile of papers to an answer",
        "310 famous papers of fourteen fields: topics, bridges, reasons, the threshold, and a question.",
        (
            Step(
                "pages/1_Network.py",
                "Topics without a label",
                "310 papers fell into 17 groups by likeness alone: point at an entry of the legend on the left and "
                "its papers light up; the names are words that set each group apart.",
            ),
            Step(
                "pages/1_Network.py",
                "A paper that joins topics",
                "In the middle of the ring stands Jaynes's paper, and its neighbours have three colours: network "
                "science, statistics and cosmology meet here, which is what makes it a bridge.",
                {"view": "around", "doc": "jaynes1957information"},
            ),
            Step(
                "pages/5_Similarity.py",
                "Why two papers are linked",
                "The bars add up: the tags give 0.067, the abstracts 0.050, title and authors nothing; the sum, "
                "0.116, lies above the threshold of 0.10, so black holes and information theory are linked.",
                {"doc": "bekenstein1973entropy", "with": "jaynes1957information"},
            ),
            Step(
                "pages/2_Threshold.py",
                "Where the network falls apart",
                "At 0.15 the largest piece holds 15 % of the papers; move the slider to the left and watch it jump "
                "back above one half at 0.12: that is where the network holds together.",
                {"t": "0.150"},
            ),
            Step(
                "pages/6_Search.py",
                "A question, several strategies",
                "Two papers answer this question, each with a green badge: plain similarity finds one of them, and "
                "pagerank, which follows links from the best matches, finds both.",
                {"q": PLACE_CELLS, "s": "similarity,hybrid,pagerank", "n": "8"},
            ),
            Step(
                "pages/1_Network.py",
                "The answer on the map",
                "The same eight results stand out in the graph: six of them lie in one community, neuroscience, which "
                "is how the second paper was found although it shares few words with the question.",
                {"q": PLACE_CELLS, "mark": "pagerank:8"},
            ),
        ),
    ),
    "larkspur": Tour(
        "larkspur",
        "Following the thread through a manual",
        "77 sections of a product manual, and a question whose answer stands in three of them.",
        (
            Step(
                "pages/6_Search.py",
                "One question, three sections",
                "Three sections answer this question: plain similarity finds one of them, and links, which follows "
                "titles and rare words from the best matches, finds all three.",
                {"q": REFUND, "s": "similarity,links", "n": "8"},
            ),
            Step(
                "pages/7_Traversal.py",
                "A walk inside a budget",
                "The walk has all 3 of 3 pieces of evidence in 800 tokens: press Back to see step by step from which "
                "section it went where, and why.",
                {"q": REFUND},
            ),
            Step(
                "pages/1_Network.py",
                "What the walk follows",
                "Coloured dashes are links that need no likeness: a section names the title of another, or both use "
                "a rare word; click one to read the sentence that makes it.",
                {"links": "mention,shared_concepts", "hulls": "0"},
            ),
            Step(
                "pages/8_Evaluate.py",
                "Is that more than luck?",
                "Over 32 judged questions each strategy stands beside plain similarity with its 95 % interval: what "
                "lies right of the line is better, and what crosses it may be chance.",
            ),
        ),
    ),
}
"""By the name that links carry."""
