"""Names of `lmms_eval.loggers` that tasks import."""
