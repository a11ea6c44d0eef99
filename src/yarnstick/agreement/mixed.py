"""A mixed model of ratings: rating = mean + story + rater + error, both effects random and crossed (REML).

It answers what averages cannot where not everybody rated everything: a story met by strict raters is not a worse
story, and one rated once is known less well than one rated ten times. The stories' predictions (BLUPs) are human
scores with the raters' habits taken out, drawn towards the mean as far as they are uncertain.

The rows of stories rated equally often enter the likelihood only through their sums of squares and products, so
after one pass over the ratings each step costs raters³, however many the stories.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError

#: between which multiples of the error's variance those of stories and raters are sought
_RATIOS = (1e-12, 1e8)
#: a ratio below this is taken as 0 where 0 is the ``_SAME`` deviance
_NEARLY_NONE = 1e-5
_SAME = 1e-7
#: the deviance may still fall by this much per unit of log variance where the search is said to have converged
_FLAT = 1e-4


@dataclass(frozen=True, slots=True)
class MixedModel:
    """The fitted model. Stories and raters without any rating are NaN."""

    mean: float
    story_variance: float
    rater_variance: float
    error_variance: float
    #: the stories' predicted deviations from the mean, and the standard error of each
    stories: Floats
    story_errors: Floats
    #: the raters' predicted strictness (below 0) or mildness (above)
    raters: Floats
    #: -2 log restricted likelihood
    deviance: float
    converged: bool

    @property
    def scores(self) -> Floats:
        """Human scores on the scale of the ratings, with the raters' habits taken out."""
        return self.mean + self.stories

    @property
    def reliability(self) -> float:
        """The squared correlation of predicted and true story effects, on average; 0 where stories do not differ."""
        if self.story_variance == 0:
            return 0.0
        return float(1 - np.nanmean(self.story_errors**2) / self.story_variance)


def mixed_model(ratings: Floats) -> MixedModel:
    """Fit the model to ``ratings`` (stories × raters, NaN where missing) by restricted maximum likelihood."""
    table = np.asarray(ratings, dtype=np.float64)
    _check(table)
    given = ~np.isnan(table)
    stories, raters = np.flatnonzero(given.any(axis=1)), np.flatnonzero(given.any(axis=0))
    held = table[stories][:, raters]
    # The smaller side is kept in the equations, the larger is worked out of them.
    turned = held.shape[0] < held.shape[1]
    sums = _Sums(held.T if turned else held)
    ratios, converged = _search(sums)
    fit = _Fit(sums, *ratios)
    large, small = fit.effects
    large_errors, small_errors = fit.standard_errors
    by_story = (small, small_errors, large) if turned else (large, large_errors, small)
    story_ratio, rater_ratio = ratios[::-1] if turned else ratios
    return MixedModel(
        mean=sums.shift + fit.mean,
        story_variance=story_ratio * fit.error_variance,
        rater_variance=rater_ratio * fit.error_variance,
        error_variance=fit.error_variance,
        stories=_spread(by_story[0], stories, table.shape[0]),
        story_errors=_spread(by_story[1], stories, table.shape[0]),
        raters=_spread(by_story[2], raters, table.shape[1]),
        deviance=fit.deviance,
        converged=converged,
    )


def _check(table: Floats) -> None:
    if table.ndim != 2:
        raise InputError(f"the mixed model needs stories × raters, not the shape {table.shape}")
    given = ~np.isnan(table)
    if (given.sum(axis=0) > 0).sum() < 2 or (given.sum(axis=1) > 0).sum() < 2:
        raise InputError("the mixed model needs ratings by 2 raters of 2 stories", remedy="collect more ratings")
    if given.sum() <= max((given.sum(axis=0) > 0).sum(), (given.sum(axis=1) > 0).sum()):
        raise InputError(
            "the mixed model cannot tell the raters' effects from the stories' or from error",
            remedy="some stories need two ratings and some raters two stories",
        )
    held = table[given]
    if held.min() == held.max():
        raise InputError("all ratings are equal, so there is nothing to explain", remedy="look at the ratings file")


def _spread(values: Floats, where: NDArray[np.intp], length: int) -> Floats:
    spread = np.full(length, np.nan)
    spread[where] = values
    return spread


class _Sums:
    """What the likelihood needs of a table (large × small side), gathered by the number of ratings in a row."""

    def __init__(self, table: Floats) -> None:
        given = ~np.isnan(table)
        self.ratings = int(given.sum())
        self.shift = float(table[given].mean())
        values = np.where(given, table - self.shift, 0.0)
        self.given = given.astype(np.float64)
        self.sizes = given.sum(axis=1)
        #: per row: how many ratings, and their sum; the two right-hand sides that everything is linear in
        self.rows = np.stack([self.sizes.astype(np.float64), values.sum(axis=1)])
        self.columns = np.stack([given.sum(axis=0).astype(np.float64), values.sum(axis=0)])
        total = float(values.sum())
        self.products = np.array([[self.ratings, total], [total, float((values**2).sum())]])
        self.kinds = np.unique(self.sizes)
        members = [np.flatnonzero(self.sizes == kind) for kind in self.kinds]
        self.members = np.array([len(rows) for rows in members])
        #: for each kind of row: shared columns, columns × right-hand sides, right-hand sides × right-hand sides
        self.pairs = np.stack([self.given[rows].T @ self.given[rows] for rows in members])
        self.column_sums = np.stack([self.given[rows].T @ self.rows[:, rows].T for rows in members])
        self.row_products = np.stack([self.rows[:, rows] @ self.rows[:, rows].T for rows in members])


class _Fit:
    """The model at given ratios of the two variances to the error's, all else at its best.

    With ratios a (large side) and b (small side), V = error (I + a Z Z' + b U U'). ``weights`` are 1 / (a size + 1);
    K = U' H U with H = (I + a Z Z')⁻¹, and S = I + b K, so that log |I + a Z Z' + b U U'| = Σ log(a size + 1) +
    log |S|. Right-hand sides come in pairs: the column of ones, and the ratings.
    """

    def __init__(self, sums: _Sums, a: float, b: float) -> None:
        self.sums, self.a, self.b = sums, a, b
        self.weights = 1 / (a * sums.kinds + 1)
        self.k = np.diag(sums.columns[0]) - a * np.tensordot(self.weights, sums.pairs, 1)
        self.s = np.eye(len(self.k)) + b * self.k
        at_columns = sums.columns.T - a * np.tensordot(self.weights, sums.column_sums, 1)
        self.solved = np.linalg.solve(self.s, at_columns)  # U' V⁻¹ of both right-hand sides, in units of the error
        products = sums.products - a * np.tensordot(self.weights, sums.row_products, 1)
        self.gram = products - b * at_columns.T @ self.solved
        self.mean = float(self.gram[0, 1] / self.gram[0, 0])
        self.contrast = np.array([-self.mean, 1.0])  # ratings less their mean, of the two right-hand sides
        self.residual = float(self.gram[1, 1] - self.mean * self.gram[0, 1])
        self.error_variance = self.residual / (sums.ratings - 1)

    @cached_property
    def deviance(self) -> float:
        """-2 log restricted likelihood, constants included."""
        if not self.residual > 0:
            return -math.inf
        logs = -float(self.sums.members @ np.log(self.weights)) + float(np.linalg.slogdet(self.s)[1])
        free = self.sums.ratings - 1
        return free * (1 + math.log(2 * math.pi * self.error_variance)) + logs + math.log(self.gram[0, 0])

    @property
    def slope(self) -> Floats:
        """The deviance's derivatives in a and b: of the determinants, less what the ratings take back."""
        sums, squared = self.sums, self.weights**2
        shared = np.linalg.solve(self.s, np.tensordot(squared, sums.pairs, 1))
        large = float(self.weights @ (sums.members * sums.kinds)) - self.b * float(np.trace(shared))
        small = float(np.trace(np.linalg.solve(self.s, self.k)))
        # Z' V⁻¹ of a right-hand side is weight × (its row sums - b × (columns shared) solved), squared and summed.
        pulled = self.b * self.solved
        crossed = np.tensordot(squared, sums.column_sums, 1).T @ pulled
        rows = np.tensordot(squared, sums.row_products, 1) - crossed - crossed.T
        rows += pulled.T @ np.tensordot(squared, sums.pairs, 1) @ pulled
        columns = self.solved.T @ self.solved
        gradient = []
        for determinant, squares in ((large, rows), (small, columns)):
            taken = float(self.contrast @ squares @ self.contrast) / self.error_variance
            gradient.append(determinant - float(squares[0, 0] / self.gram[0, 0]) - taken)
        return np.array(gradient)

    @property
    def effects(self) -> tuple[Floats, Floats]:
        """The best linear unbiased predictions of the large and the small side."""
        small = self.b * self.solved @ self.contrast
        left = self.contrast @ self.sums.rows - self.sums.given @ small
        return self.a * left / (self.a * self.sums.sizes + 1), small

    @property
    def standard_errors(self) -> tuple[Floats, Floats]:
        """Of both sides' predictions, the uncertainty of the mean included, the variances taken as known."""
        sums, root = self.sums, math.sqrt(self.b)
        weights = 1 / (self.a * sums.sizes + 1)
        known = np.column_stack([root * sums.given, sums.rows[0]])  # rows × (small side, mean)
        inner = np.zeros((known.shape[1], known.shape[1]))
        inner[:-1, :-1] = self.b * np.diag(sums.columns[0]) + np.eye(len(self.k))
        inner[:-1, -1] = inner[-1, :-1] = root * sums.columns[0]
        inner[-1, -1] = sums.ratings
        inverse = np.linalg.inv(inner - self.a * known.T @ (weights[:, None] * known))
        through = ((known @ inverse) * known).sum(axis=1)
        large = self.a * (weights + self.a * weights**2 * through)
        small = self.b * np.diag(inverse)[:-1]
        return np.sqrt(large * self.error_variance), np.sqrt(small * self.error_variance)


def _search(sums: _Sums) -> tuple[tuple[float, float], bool]:
    """The two ratios with the least deviance, and whether the search got there.

    In logarithms the surface is as smooth for a ratio of 1000 as for one of 0.001. What runs towards minus infinity
    is then tried at 0 itself.
    """
    from scipy import optimize

    def at(logs: Floats) -> tuple[float, Floats]:
        ratios = np.exp(logs)
        fit = _Fit(sums, float(ratios[0]), float(ratios[1]))
        if not fit.residual > 0:
            return -1e300, np.zeros(2)
        return fit.deviance, ratios * fit.slope

    best = None
    # The surface can have a second valley at a border: start inside, and from where each effect is all there is.
    for start in ((0.5, 0.5), (5.0, 0.01), (0.01, 5.0)):
        found = optimize.minimize(
            at, np.log(start), jac=True, method="L-BFGS-B", bounds=[tuple(np.log(_RATIOS))] * 2,
            options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 500},
        )  # fmt: skip
        if best is None or found.fun < best.fun:
            best = found
    assert best is not None
    a, b = (float(ratio) for ratio in np.exp(best.x))
    if a < _NEARLY_NONE and _Fit(sums, 0.0, b).deviance <= best.fun + _SAME:
        a = 0.0
    if b < _NEARLY_NONE and _Fit(sums, a, 0.0).deviance <= best.fun + _SAME:
        b = 0.0
    if max(a, b) > 0.99 * _RATIOS[1]:
        raise InputError(
            "the raters agree so well, but for their strictness, that no error is left to estimate",
            remedy="take the means of the ratings",
        )
    # Inside, the slope vanishes in units of log variance; at 0 it may only point upwards.
    slope = _Fit(sums, a, b).slope
    flat = all(abs(r * push) < _FLAT if r else push > -_FLAT for r, push in zip((a, b), slope, strict=True))
    return (a, b), flat
