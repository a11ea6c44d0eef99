"""What BERTScore gives two stories that have nothing to do with each other, for any model: the zero of a rescaled one.

States of one model all point more or less the same way, so that even strangers score high: .3 with one model, .85 with
another. Rescaling is (score - baseline) / (1 - baseline) for each of P, R and F, which changes no order. The authors
took a million pairs of sentences from the web for each model they list; here any model will do, and the pairs are of
stories, since that is what is scored.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import numpy as np

from yarnstick.errors import InputError
from yarnstick.metrics.embedding.bertscore_score import BertScore, bertscore
from yarnstick.models.encoders import DEFAULT_ENCODER, load_encoder

NONE, SAMPLE = "no", "sample"
#: each text is held against this many others at most
_OTHERS = 20
_REMEDY = "no, sample (the references that come with yarnstick), or a UTF-8 file with a story a line"


def baseline_texts(source: str) -> tuple[str, ...]:
    """Texts that have nothing to do with each other: one reference a prompt of the sample, or the lines of a file."""
    if source == SAMPLE:
        from yarnstick.stories.corpora.bundled import sample_stories

        references = [texts for rows in sample_stories().batches() for texts in rows.column("references").to_pylist()]
        return tuple(dict.fromkeys(texts[0] for texts in references))
    try:
        lines = Path(source).expanduser().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"no baseline can be made of {source!r}: {error}", remedy=_REMEDY) from error
    texts = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if len(texts) < 2:
        raise InputError("a baseline needs two different texts or more", file=source, remedy=_REMEDY)
    return texts


def digest_of_texts(texts: tuple[str, ...]) -> str:
    """A short name for the texts, for signatures."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]


def compute_baseline(texts: tuple[str, ...], model: str = DEFAULT_ENCODER, layer: int = -1) -> BertScore:
    """The mean BERTScore of each text with those that follow it, round and round, without weights."""
    encoder = load_encoder(model)
    return _computed(texts, model, encoder.layer(layer), encoder.identity)


def rescaled(score: BertScore, baseline: BertScore) -> BertScore:
    """(score - baseline) / (1 - baseline), for each of the three by itself."""
    return BertScore(*((one - zero) / (1 - zero) for one, zero in zip(score, baseline, strict=True)))


@lru_cache(maxsize=8)
def _computed(texts: tuple[str, ...], model: str, layer: int, identity: str) -> BertScore:
    reads = load_encoder(model).tokens(texts, (layer,))
    own = [(~read.special).astype(np.float64) for read in reads]
    pairs = [
        (place, (place + step) % len(reads))
        for step in range(1, min(len(reads) - 1, _OTHERS) + 1)
        for place in range(len(reads))
    ]
    scores = [bertscore(reads[one].states, reads[two].states, own[one], own[two]) for one, two in pairs]
    return BertScore(*np.mean(scores, axis=0).tolist())
