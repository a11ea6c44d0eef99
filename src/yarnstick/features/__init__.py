"""What many metrics need and nobody should compute twice."""

from yarnstick.features.batch import Batch
from yarnstick.features.memo import Features

__all__ = ["Batch", "Features"]
