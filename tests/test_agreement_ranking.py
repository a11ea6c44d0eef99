"""Borda and Kemeny: ties, the published counts, and consensus orders no other order beats."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hanna_for_agreement import golden_rows, hanna, ranking_columns
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from yarnstick.agreement import linear_ordering
from yarnstick.agreement.borda import borda
from yarnstick.agreement.introsort import introsort_argsort
from yarnstick.agreement.kemeny import kemeny, majority_groups, preferences
from yarnstick.agreement.linear_ordering import best_order, disagreements, improved

NAN = float("nan")


# --- the old sort -----------------------------------------------------------------------------------------------


def killer(items: int) -> np.ndarray:
    """What quicksort with the median of three is worst at: it has to fall back on heapsort."""
    half = items // 2
    odd = [i if i % 2 else half + i - 1 for i in range(1, half + 1)]
    return np.array([*odd, *range(2, 2 * half + 1, 2)], dtype=float)


def by_numpy(values: np.ndarray) -> np.ndarray:
    # For long doubles NumPy still sorts as it did for all floats before 1.25.
    return np.argsort(values.astype(np.longdouble))


@pytest.mark.parametrize("kinds", [1, 2, 3, 7, 20, 1000])
def test_the_old_order_of_ties(kinds: int) -> None:
    rng = np.random.default_rng(kinds)
    for items in [*range(40), 64, 72, 100, 333]:
        values = rng.integers(0, kinds, items).astype(float)
        np.testing.assert_array_equal(introsort_argsort(values), by_numpy(values))
        values[rng.random(items) < 0.2] = NAN
        np.testing.assert_array_equal(introsort_argsort(values), by_numpy(values))


@pytest.mark.parametrize("items", [40, 100, 400, 1000])
def test_the_old_order_where_quicksort_gives_up(items: int) -> None:
    for values in (killer(items), np.minimum(killer(items), items // 2), -killer(items)):
        np.testing.assert_array_equal(introsort_argsort(values), by_numpy(values))


# --- Borda ------------------------------------------------------------------------------------------------------


def test_borda_by_hand() -> None:
    # first ranking: a > b > c; second: c > a = b; third: b alone has a value
    r = [[0.9, 0.2, NAN], [0.5, 0.2, 0.1], [0.1, 0.7, NAN]]
    assert borda(r).tolist() == [2 + 0.5 + 0.5, 1 + 0.5 + 2, 0 + 2 + 0.5]
    assert borda(np.empty((0, 4))).tolist() == []
    assert borda([[0.3], [0.3 + 1e-15]]).tolist() == [0.5, 0.5]
    assert borda([[0.3], [0.3 + 1e-15]], decimals=None).tolist() == [0, 1]
    with pytest.raises(ValueError, match="ties is"):
        borda(r, ties="fair")  # type: ignore[arg-type]


@settings(max_examples=80, deadline=None)
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 12), st.integers(1, 6)),
        elements=st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9, 1.0]),
    )
)
def test_borda_is_the_mid_rank_of_scipy(r: np.ndarray) -> None:
    np.testing.assert_allclose(borda(r), (stats.rankdata(r, axis=0) - 1).sum(axis=1))
    items, rankings = r.shape
    for ties in ("average", "published"):
        assert borda(r, ties=ties).sum() == pytest.approx(rankings * items * (items - 1) / 2)
    np.testing.assert_allclose(borda(r), borda(r**2 + 3))


def test_hannas_borda_counts(data_folder: Path) -> None:
    rows = golden_rows(data_folder, "table6_borda.csv")
    metrics = hanna(data_folder).metrics
    for ranking in dict.fromkeys(row[0] for row in rows):
        wanted = [row for row in rows if row[0] == ranking]
        assert [row[1] for row in wanted] == list(metrics)
        table = ranking_columns(data_folder, ranking)
        assert borda(table, ties="published").tolist() == [float(row[2]) for row in wanted], ranking
        np.testing.assert_allclose(borda(table), [float(row[4]) for row in wanted], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("level", "printed"), [("story", [1237, 1198, 1186, 1177, 1158]), ("system", [1120, 1110, 1095, 1070, 1069])]
)
def test_hannas_table_6(data_folder: Path, level: str, printed: list[int]) -> None:
    counts = borda(ranking_columns(data_folder, level), ties="published")
    assert sorted(counts, reverse=True)[:5] == printed


# --- Kemeny -----------------------------------------------------------------------------------------------------


def fewest_by_trying_all(prefer: np.ndarray) -> int:
    return min(disagreements(prefer, np.array(order)) for order in itertools.permutations(range(len(prefer))))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 100_000), items=st.integers(1, 7), rankings=st.integers(1, 8), places=st.integers(1, 9))
def test_no_order_beats_the_consensus(seed: int, items: int, rankings: int, places: int) -> None:
    rng = np.random.default_rng(seed)
    votes = rng.integers(0, places, (rankings, items)).astype(float)
    votes[rng.random(votes.shape) < 0.1] = NAN
    found, prefer = kemeny(votes), preferences(votes)
    assert sorted(found.order.tolist()) == list(range(items))
    assert found.cost == disagreements(prefer, found.order) == fewest_by_trying_all(prefer)
    assert found.exact
    assert found.gap == 0


def test_the_consensus_of_tennessee() -> None:
    # 42 × Memphis Nashville Chattanooga Knoxville, 26 × N C K M, 15 × C K N M, 17 × K C N M (items M N C K).
    ballots = [(42, [1, 2, 3, 4]), (26, [4, 1, 2, 3]), (15, [4, 3, 1, 2]), (17, [4, 3, 2, 1])]
    votes = [places for count, places in ballots for _ in range(count)]
    found = kemeny(votes)
    assert found.order.tolist() == [1, 2, 3, 0]  # Nashville, Chattanooga, Knoxville, Memphis
    # against it: N<C 32, N<K 32, C<K 17, and Memphis before each of the three 42
    assert found.cost == 32 + 32 + 17 + 3 * 42


def test_preferences_leave_out_ties_and_gaps() -> None:
    assert preferences([[1, 1, 2], [2, NAN, 1]]).tolist() == [[0, 0, 1], [0, 0, 1], [1, 0, 0]]
    with pytest.raises(ValueError, match="table"):
        preferences([1, 2, 3])


def test_circles_stay_together_and_draws_do_not_bind() -> None:
    # 0 > 1 > 2 > 0 is a circle, all three beat 3, and 4 draws with everyone.
    votes = [[1, 2, 3, 4, NAN], [3, 1, 2, 4, NAN], [2, 3, 1, 4, NAN]]
    groups = [group.tolist() for group in majority_groups(preferences(votes))]
    assert groups == [[0, 1, 2], [3], [4]]
    assert kemeny(votes).cost == 4


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 100_000))
def test_groups_lose_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    prefer = rng.integers(0, 3, (6, 6))
    np.fill_diagonal(prefer, 0)
    inside = sum(fewest_by_trying_all(prefer[np.ix_(g, g)]) for g in majority_groups(prefer))
    order = np.concatenate(majority_groups(prefer))
    label = np.concatenate([np.full(len(g), k) for k, g in enumerate(majority_groups(prefer))])[np.argsort(order)]
    across = sum(
        min(prefer[i, j], prefer[j, i]) for i, j in itertools.combinations(range(6), 2) if label[i] != label[j]
    )
    assert inside + across == fewest_by_trying_all(prefer)


def test_one_more_vote_for_the_consensus_changes_nothing() -> None:
    votes = np.random.default_rng(3).permuted(np.tile(np.arange(12.0), (9, 1)), axis=1)
    found = kemeny(votes)
    place = np.empty(12)
    place[found.order] = np.arange(12)
    again = kemeny(np.vstack([votes, place]))
    assert again.cost == found.cost
    assert kemeny([place]).order.tolist() == found.order.tolist()


def test_a_search_that_runs_out_of_time_says_how_far_it_may_be_off() -> None:
    votes = np.random.default_rng(0).random((36, 60))
    hasty, prefer = kemeny(votes, seconds=0.0), preferences(votes)
    assert hasty.gap > 0
    assert not hasty.exact
    assert hasty.cost == disagreements(prefer, hasty.order)
    for seconds in (0.01, 0.03, 0.1, 0.3):
        patient = kemeny(votes, seconds=seconds)
        assert hasty.bound <= patient.bound <= patient.cost <= hasty.cost


def test_a_programme_without_time_has_no_bound() -> None:
    votes = np.random.default_rng(0).random((36, 60))
    programme = linear_ordering._Programme(preferences(votes))
    triples = np.array([(i, j, k) for i, j, k in itertools.permutations(range(60), 3) if i < min(j, k)])
    solution = programme.solve(triples, whole=False, seconds=0.01)
    assert solution.bound == -np.inf


def test_moves_only_improve() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        prefer = rng.integers(0, 9, (9, 9))
        np.fill_diagonal(prefer, 0)
        start = rng.permutation(9)
        end = improved(prefer, start)
        assert sorted(end.tolist()) == list(range(9))
        assert disagreements(prefer, end) <= disagreements(prefer, start)
        assert disagreements(prefer, improved(prefer, end)) == disagreements(prefer, end)


def test_a_hard_tournament_is_solved_with_whole_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    # Thirteen items in random one-vote majorities where the linear programme leaves halves. Oracle: Held and Karp's
    # recursion over all sets of items.
    items = 13
    upper = np.triu(np.random.default_rng(40).integers(0, 2, (items, items)), 1)
    prefer = upper + np.tril(1 - upper.T, -1)
    table = prefer.tolist()
    fewest = [0] + [10**9] * (2**items - 1)
    for placed in range(2**items):
        there = [other for other in range(items) if placed >> other & 1]
        for item in range(items):
            if not placed >> item & 1:
                now = placed | 1 << item
                fewest[now] = min(fewest[now], fewest[placed] + sum(table[item][other] for other in there))
    asked = []
    solve = linear_ordering._Programme.solve

    def spying(self, triples, *, whole, seconds):
        asked.append(whole)
        return solve(self, triples, whole=whole, seconds=seconds)

    monkeypatch.setattr(linear_ordering._Programme, "solve", spying)
    order, bound = best_order(prefer, deadline=float("inf"))
    assert asked[0] is False
    assert asked[-1] is True
    assert disagreements(prefer, order) == bound == fewest[-1]


@pytest.mark.parametrize("ranking", ["global", "story", "system", "kendall"])
def test_hannas_consensus_is_proven(data_folder: Path, ranking: str) -> None:
    table = ranking_columns(data_folder, ranking).round(12)
    places = stats.rankdata(-table, axis=0).T
    found = kemeny(places, seconds=60)
    assert found.exact
    assert found.cost == disagreements(preferences(places), found.order)
    by_borda = np.argsort(-borda(table), kind="stable")
    assert found.cost <= disagreements(preferences(places), by_borda)
