"""The registries of lmms-eval. Code of tasks registers itself here. The program finds functions by `!function` and reads none of them."""

from __future__ import annotations

from typing import Any, Callable, Dict

Decorator = Callable[[Any], Any]

MODEL_REGISTRY: Dict[str, Any] = {}
TASK_REGISTRY: Dict[str, Any] = {}
GROUP_REGISTRY: Dict[str, Any] = {}
METRIC_REGISTRY: Dict[str, Any] = {}
METRIC_AGGREGATION_REGISTRY: Dict[str, Any] = {}
AGGREGATION_REGISTRY: Dict[str, Any] = {}
HIGHER_IS_BETTER_REGISTRY: Dict[str, Any] = {}
FILTER_REGISTRY: Dict[str, Any] = {}


def _registers(registry: Dict[str, Any], *names: str) -> Decorator:
    def decorate(registered: Any) -> Any:
        for name in names:
            registry[name] = registered
        return registered

    return decorate


def register_model(*names: str) -> Decorator:
    return _registers(MODEL_REGISTRY, *names)


def register_task(name: str) -> Decorator:
    return _registers(TASK_REGISTRY, name)


def register_group(name: str) -> Decorator:
    return _registers(GROUP_REGISTRY, name)


def register_filter(name: str) -> Decorator:
    return _registers(FILTER_REGISTRY, name)


def register_aggregation(name: str) -> Decorator:
    return _registers(AGGREGATION_REGISTRY, name)


def register_metric(**args: Any) -> Decorator:
    name = args["metric"]
    if "aggregation" in args:
        METRIC_AGGREGATION_REGISTRY[name] = AGGREGATION_REGISTRY[args["aggregation"]]
    if "higher_is_better" in args:
        HIGHER_IS_BETTER_REGISTRY[name] = args["higher_is_better"]
    return _registers(METRIC_REGISTRY, name)


def _found(registry: Dict[str, Any], name: str, kind: str) -> Any:
    if name not in registry:
        raise KeyError(f"the {kind} {name} of lmms-eval is not available without it: pip install lmms-eval")
    return registry[name]


def get_metric(name: str, hf_evaluate_metric: bool = False) -> Any:
    if hf_evaluate_metric:
        raise KeyError(f"the metric {name} needs the packages lmms-eval and evaluate: pip install lmms-eval evaluate")
    return _found(METRIC_REGISTRY, name, "metric")


def get_aggregation(name: str) -> Any:
    return _found(AGGREGATION_REGISTRY, name, "aggregation")


def get_metric_aggregation(name: str) -> Any:
    return _found(METRIC_AGGREGATION_REGISTRY, name, "aggregation of the metric")


def is_higher_better(metric_name: str) -> Any:
    return HIGHER_IS_BETTER_REGISTRY.get(metric_name)


def get_filter(filter_name: Any) -> Any:
    return filter_name if callable(filter_name) else _found(FILTER_REGISTRY, filter_name, "filter")
