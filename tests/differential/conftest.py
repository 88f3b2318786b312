"""Keeps PyTorch to one thread: pytest-xdist already has a process for each core."""

from __future__ import annotations

import torch

torch.set_num_threads(1)
