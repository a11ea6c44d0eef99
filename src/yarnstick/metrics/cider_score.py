"""CIDEr-D: agreement with references in the n-grams that are rare in the corpus (Vedantam et al. 2015).

Rarity is a property of a corpus, so it is an object of its own: the document frequencies, counted over the
references of every prompt. HANNA's column is this with its defaults and the 96 human stories, one a prompt.

>>> df = document_frequencies([["the old fox slept"], ["the ship sank"]])
>>> round(cider("the old fox slept", ["the old fox slept"], df), 9)
10.0
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Ngram = tuple[str, ...]
Tokenizer = Callable[[str], Sequence[str]]

_WORD_CHARACTERS = re.compile(r"\w+")


def word_character_runs(text: str) -> list[str]:
    """Runs of letters, digits and underscores, case kept: the tokens HANNA's CIDEr was computed on."""
    return _WORD_CHARACTERS.findall(text)


@dataclass(frozen=True, slots=True, eq=False)
class DocumentFrequencies:
    """In how many prompts' references an n-gram occurs, and how such texts are made into n-grams."""

    documents: int
    frequency: Counter[Ngram]
    order: int
    tokenize: Tokenizer


@dataclass(frozen=True, slots=True)
class TfIdfVector:
    """A text's n-gram weights and their Euclidean norm, order by order, and its length in bigrams."""

    weights: tuple[dict[Ngram, float], ...]
    norms: tuple[float, ...]
    bigrams: int


def _ngrams(tokens: Sequence[str], n: int) -> Iterable[Ngram]:
    return zip(*(tokens[i:] for i in range(n)), strict=False)


def document_frequencies(
    references: Iterable[Sequence[str]], *, order: int = 4, tokenize: Tokenizer = word_character_runs
) -> DocumentFrequencies:
    """Count over a corpus: one item a prompt, each the sequence of that prompt's references."""
    frequency: Counter[Ngram] = Counter()
    documents = 0
    for several in references:
        if isinstance(several, str):
            raise TypeError("document_frequencies needs a sequence of references for each prompt, not a text")
        seen: set[Ngram] = set()
        for reference in several:
            tokens = tokenize(reference)
            for n in range(1, order + 1):
                seen.update(_ngrams(tokens, n))
        frequency.update(seen)
        documents += 1
    return DocumentFrequencies(documents, frequency, order, tokenize)


def tf_idf_vector(text: str, df: DocumentFrequencies) -> TfIdfVector:
    """Weight each n-gram by count x log(documents / document frequency) (eq. 1), unseen ones as if seen once.

    The published code counts without dividing by the text's length; cosines do not notice, the clipping does.
    """
    tokens = df.tokenize(text)
    log_documents = math.log(df.documents) if df.documents else 0.0
    frequency = df.frequency
    rarity = [log_documents - math.log(max(1, count)) for count in range(df.documents + 1)]
    weights: list[dict[Ngram, float]] = []
    norms: list[float] = []
    for n in range(1, df.order + 1):
        counts = Counter(_ngrams(tokens, n))
        of_order = {ngram: count * rarity[frequency[ngram]] for ngram, count in counts.items()}
        weights.append(of_order)
        norms.append(math.sqrt(sum(weight * weight for weight in of_order.values())))
    return TfIdfVector(tuple(weights), tuple(norms), max(0, len(tokens) - 1))


def _similarity(hypothesis: TfIdfVector, reference: TfIdfVector, sigma: float) -> float:
    """The mean over orders of the clipped cosine, damped by the difference in length (CIDEr-D, section 8)."""
    difference = hypothesis.bigrams - reference.bigrams
    damping = math.exp(-(difference * difference) / (2 * sigma * sigma))
    total = 0.0
    for mine, theirs, norm, other_norm in zip(
        hypothesis.weights, reference.weights, hypothesis.norms, reference.norms, strict=True
    ):
        if norm and other_norm:
            dot = sum(min(weight, theirs[ngram]) * theirs[ngram] for ngram, weight in mine.items() if ngram in theirs)
            total += dot / (norm * other_norm) * damping
    return total / len(hypothesis.weights)


def cider(
    hypothesis: str | TfIdfVector,
    references: Sequence[str | TfIdfVector],
    df: DocumentFrequencies,
    *,
    sigma: float = 6.0,
) -> float:
    """CIDEr-D, 0 to 10 (10: equal to every reference). Vectors may be passed for texts that come again.

    0 where nothing is rare: an empty text, or a corpus of one prompt, where every n-gram is in every document.
    Lengths more than a few ``sigma`` words apart score next to nothing, however alike: stories often do.
    """
    if not references:
        raise ValueError("CIDEr needs at least one reference")
    mine = hypothesis if isinstance(hypothesis, TfIdfVector) else tf_idf_vector(hypothesis, df)
    others = (one if isinstance(one, TfIdfVector) else tf_idf_vector(one, df) for one in references)
    return 10.0 * sum(_similarity(mine, other, sigma) for other in others) / len(references)
