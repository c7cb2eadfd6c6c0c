"""Interfaces of `lmms_eval.api` for code of tasks."""
