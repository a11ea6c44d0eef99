"""A story metric that is trained: stories are damaged on purpose, and a model learns to tell them from whole ones.

After "UNION: An Unreferenced Metric for Evaluating Open-eNded Story Generation" (Guan & Huang, EMNLP 2020).
"""
