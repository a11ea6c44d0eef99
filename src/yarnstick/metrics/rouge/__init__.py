"""ROUGE 1.5.5 in NumPy. Begin reading at ``scoring``."""

from yarnstick.metrics.rouge.scoring import MultiReference, rouge_scores
from yarnstick.metrics.rouge.tokens import rouge_sentences, rouge_tokens
from yarnstick.metrics.rouge.variants import ROUGE_VARIANTS

__all__ = ["ROUGE_VARIANTS", "MultiReference", "rouge_scores", "rouge_sentences", "rouge_tokens"]
