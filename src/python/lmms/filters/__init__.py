"""The filters of lmms-eval by their names in YAML."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Tuple

from lmms_eval.api.filter import Filter, FilterEnsemble

from . import extraction, selection, transformation

__all__ = ["FILTER_REGISTRY", "Filter", "FilterEnsemble", "build_filter_ensemble", "get_filter"]

FILTER_REGISTRY: Dict[str, Any] = {
    "take_first": selection.TakeFirstFilter,
    "regex": extraction.RegexFilter,
    "majority_vote": selection.MajorityVoteFilter,
    "take_first_k": selection.TakeKFilter,
    "remove_whitespace": extraction.WhitespaceFilter,
    "lowercase": transformation.LowercaseFilter,
    "uppercase": transformation.UppercaseFilter,
    "map": transformation.MapFilter,
    "multi_choice_regex": extraction.MultiChoiceRegexFilter,
    "strip_thinking": transformation.StripThinkingFilter,
}


def get_filter(filter_name: Any) -> Any:
    return FILTER_REGISTRY.get(filter_name, filter_name) if isinstance(filter_name, str) else filter_name


def build_filter_ensemble(filter_name: str, components: Iterable[Tuple[Any, Any]]) -> FilterEnsemble:
    return FilterEnsemble(filter_name, [get_filter(function)(**(kwargs or {})) for function, kwargs in components])
