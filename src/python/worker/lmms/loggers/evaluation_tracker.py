"""Tells a model's name from its arguments, as files that tasks write are named by it."""

from __future__ import annotations

_NAMES = ("peft", "delta", "pretrained", "model", "model_version", "model_name", "model_id", "path", "engine")


class GeneralConfigTracker:
    @staticmethod
    def _get_model_name(model_args: str) -> str:
        """The first of the known arguments, of which adapters come before the model that they change."""
        for name in _NAMES:
            _, found, rest = model_args.partition(f"{name}=")
            if found:
                # A name may occur twice, and only what stands before its second occurrence counts.
                return rest.split(f"{name}=")[0].split(",")[0]
        return ""
