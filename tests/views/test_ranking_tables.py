"""Rankings side by side: what all strategies say is said once."""

from types import SimpleNamespace

from cnrag_core.retrieval.comparison import StrategyComparison
from cnrag_core.retrieval.ranking import RankedResults, ScoredNode
from cnrag_core.views.ranking_tables import comparison_table, reasons_apart


def comparison(**reasons: str) -> StrategyComparison:
    return StrategyComparison("q", {name: RankedResults("q", name, reason=reason) for name, reason in reasons.items()})


def test_what_all_strategies_say_is_taken_out_and_the_rest_stays():
    found = comparison(similarity="By words.", auto="links: names. By words.")
    assert reasons_apart(found, ["similarity", "auto"]) == ("By words.", {"similarity": "", "auto": "links: names."})


def test_strategies_that_say_different_things_keep_their_own():
    found = comparison(similarity="By words.", hub="By meaning.")
    assert reasons_apart(found, ["similarity", "hub"]) == ("", {"similarity": "By words.", "hub": "By meaning."})


def test_one_strategy_alone_keeps_its_reason():
    assert reasons_apart(comparison(hub="By words."), ["hub"]) == ("", {"hub": "By words."})


def test_places_stand_under_the_names_of_the_strategies():
    node = ScoredNode("a", 0.9, 0.5, base_rank=2)
    found = StrategyComparison("q", {name: RankedResults("q", name, (node,)) for name in ("similarity", "hub")})
    table = comparison_table(found, SimpleNamespace(title=str.upper))
    assert list(table.columns) == ["document", "similarity", "hub", "plain rank", "plain similarity"]
    assert table.iloc[0].tolist() == ["A", 1, 1, 2, 0.5]
