"""
A client of `pipeline serve`. It needs Python 3.9 and nothing else.

    client = PipelineClient("http://127.0.0.1:7310")
    job = client.evaluate("openai", ["mmmu_val"], model_args={"model": "gpt-4.1-mini"}, limit=20)
    print(client.wait_for_job(job["job_id"])["result"])

Made from the OpenAPI document of the service: `npm run python-client -- --write` makes it again.
"""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, TypedDict, Union, cast

JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]


SampleKind = Literal["all", "wrong", "right", "unparsed", "failed", "empty", "cut", "disputed", "labelled", "unlabelled", "flipped", "improved", "worsened"]


class HealthResponse(TypedDict):
    status: Literal["healthy", "degraded", "unhealthy"]
    timestamp: str
    queue_size: int
    running_jobs: int
    oldest_queued_seconds: Optional[float]
    workers: Dict[str, Any]
    disk_free_bytes: Optional[float]
    problems: List[str]


class _ProblemBase(TypedDict):
    detail: str


class Problem(_ProblemBase, total=False):
    problems: List[str]


class QueueStatusResponse(TypedDict):
    queue_size: int
    running_job: Optional[str]
    running_jobs: List[str]
    queued_jobs: List[str]
    completed_jobs: int
    failed_jobs: int
    cancelled_jobs: int


class _JobSubmitResponseBase(TypedDict):
    job_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    position_in_queue: int
    message: str


class JobSubmitResponse(_JobSubmitResponseBase, total=False):
    job: JobInfo


class JobInfo(TypedDict):
    job_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    created_at: str
    started_at: Optional[str]
    completed_at: Optional[str]
    request: Dict[str, Any]
    result: Optional[Dict[str, Any]]
    error: Optional[str]
    position_in_queue: Optional[int]
    run: Optional[str]
    waiting_for: Optional[str]
    declined_because: List[str]
    cancelling: bool
    priority: int
    labels: Dict[str, str]


class JobList(TypedDict):
    jobs: List[JobSummary]
    next_cursor: Optional[str]


class JobSummary(TypedDict):
    job_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    created_at: str
    started_at: Optional[str]
    completed_at: Optional[str]
    request: Dict[str, Any]
    error: Optional[str]
    position_in_queue: Optional[int]
    run: Optional[str]
    waiting_for: Optional[str]
    declined_because: List[str]
    cancelling: bool
    priority: int
    labels: Dict[str, str]


class CancelResponse(TypedDict):
    message: str


class RunList(TypedDict):
    runs: List[Run]
    total: int
    next_cursor: Optional[str]


class _RunBase(TypedDict):
    id: str
    name: str
    created_at: str
    model: str
    tasks: List[str]
    tags: List[str]


class Run(_RunBase, total=False):
    title: str
    note: str


class SamplePage(TypedDict):
    samples: List[Dict[str, Any]]
    next_cursor: Optional[str]


class LabelPage(TypedDict):
    labels: List[Label]
    next_cursor: Optional[str]


class Label(TypedDict):
    label: Literal["right", "wrong", "unclear", None]
    note: str
    author: str
    at: str
    run: str
    task: str
    doc_id: str
    record_key: str
    answers_key: str
    place: Optional[Dict[str, Any]]


class RunTags(TypedDict):
    run: str
    tags: List[str]


class TaskList(TypedDict):
    tasks: List[str]
    groups: List[str]


class _TaskInfoBase(TypedDict):
    name: str
    kind: Literal["task", "group", "tag"]


class TaskInfo(_TaskInfoBase, total=False):
    members: List[str]
    config: Dict[str, Any]


class ModelList(TypedDict):
    models: List[str]


class ModelInfo(TypedDict):
    id: str
    aliases: List[str]
    summary: str
    form: str
    origin: str
    accepts: List[str]
    requests: List[str]
    args: List[Dict[str, Any]]


class RunInfo(Run):
    counts: Dict[str, Any]
    judgement: Optional[int]
    aggregates: List[Dict[str, Any]]
    stopped: Optional[Dict[str, Any]]


class JobEvent(TypedDict):
    """An event of a job. The ids of a job's events grow by one, from 1."""

    id: int
    type: str
    data: Dict[str, Any]


class ServiceError(Exception):
    """The service refused a request."""

    def __init__(self, status: int, problems: Sequence[str], retry_after: float = 0) -> None:
        super().__init__(f"{status}: {'; '.join(problems)}")
        self.status = status
        self.problems = list(problems)
        self.retry_after = retry_after


class JobFailedError(RuntimeError):
    """A job ended as failed or cancelled."""

    def __init__(self, job: JobInfo) -> None:
        super().__init__(f"job {job['job_id']} {job['status']}: {job['error'] or ''}")
        self.job = job


# Statuses that another attempt may change.
_PASSING = (429, 502, 503)
# What a lost connection raises, `urllib.error.URLError` included.
_LOST = (OSError, http.client.HTTPException)
_FINAL = ("completed", "failed", "cancelled")


class PipelineClient:
    """
    Submits evaluations and reads what they became. Lost connections and statuses 429, 502 and 503 are retried.

    Methods raise ServiceError where the service refuses, and OSError where it cannot be reached.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:7310",
        token: Optional[str] = None,
        timeout: float = 60,
        max_retries: int = 8,
        retry_delay: float = 0.25,
    ) -> None:
        """Times are in seconds. The delay doubles with each retry, up to ten seconds."""
        self.base_url = base_url.rstrip("/")
        self._headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._timeout = timeout
        self._max_retries = max_retries
        self._retry_delay = retry_delay

    def health(self) -> HealthResponse:
        """Whether the service works."""
        answer = self._json("GET", "/health")
        return cast("HealthResponse", answer)

    def get_queue_status(self) -> QueueStatusResponse:
        """What runs and what waits."""
        answer = self._json("GET", "/queue")
        return cast("QueueStatusResponse", answer)

    def evaluate(
        self,
        model: str,
        tasks: Union[str, List[str]],
        *,
        model_args: Optional[Union[str, Dict[str, Any]]] = None,
        judge_model: Optional[str] = None,
        judge_args: Optional[Union[str, Dict[str, Any]]] = None,
        judge_override: Optional[Dict[str, str]] = None,
        parity: Optional[Literal["lmms-eval"]] = None,
        gen_kwargs: Optional[Union[str, Dict[str, Any]]] = None,
        limit: Optional[Union[Union[int, float], Dict[str, Union[int, float]]]] = None,
        limit_by: Optional[str] = None,
        offset: Optional[int] = None,
        subset: Optional[Union[int, float]] = None,
        subset_seed: Optional[int] = None,
        samples: Optional[Union[str, Dict[str, List[Union[int, str]]]]] = None,
        docs: Optional[Union[str, List[str]]] = None,
        shard: Optional[str] = None,
        stop_when: Optional[str] = None,
        num_fewshot: Optional[int] = None,
        fewshot_as_multiturn: Optional[bool] = None,
        system_instruction: Optional[str] = None,
        repeats: Optional[int] = None,
        fewshot_seed: Optional[int] = None,
        force_simple: Optional[bool] = None,
        reasoning_tags: Optional[Union[List[List[Any]], Literal["none"]]] = None,
        reduce: Optional[Union[str, List[str]]] = None,
        cluster: Optional[str] = None,
        concurrency: Optional[Union[int, str]] = None,
        max_concurrency: Optional[int] = None,
        order: Optional[Literal["media", "length", "none"]] = None,
        hedge: Optional[bool] = None,
        retry_failed: Optional[bool] = None,
        batch: Optional[bool] = None,
        batch_requests: Optional[int] = None,
        poll: Optional[float] = None,
        wait: Optional[bool] = None,
        max_requests: Optional[int] = None,
        max_tokens_total: Optional[int] = None,
        max_cost: Optional[float] = None,
        max_time: Optional[Union[str, float]] = None,
        fail_fast: Optional[int] = None,
        prices: Optional[str] = None,
        mcp: Optional[Union[str, List[str]]] = None,
        tools: Optional[str] = None,
        max_tool_rounds: Optional[int] = None,
        tool_timeout: Optional[float] = None,
        new_run: Optional[bool] = None,
        fresh: Optional[bool] = None,
        code_key: Optional[Literal["revision", "files", "commit"]] = None,
        code_version: Optional[str] = None,
        name: Optional[str] = None,
        tag: Optional[Union[str, List[str]]] = None,
        note: Optional[str] = None,
        model_name: Optional[str] = None,
        include_path: Optional[Union[str, List[str]]] = None,
        plugin: Optional[Union[str, List[str]]] = None,
        log_samples: Optional[bool] = None,
        predict_only: Optional[bool] = None,
        max_tokens: Optional[int] = None,
        seed: Optional[Union[Optional[float], List[Optional[float]]]] = None,
        webhook: Optional[str] = None,
        priority: Optional[int] = None,
        labels: Optional[Dict[str, str]] = None,
        idempotency_key: Optional[str] = None,
        wait_seconds: Optional[int] = None,
    ) -> JobSubmitResponse:
        """
        Submit an evaluation. A retry cannot submit it twice.

        wait_seconds: answer when the job has ended, or after so many seconds; the answer then has `job`
        model: the name of a model backend
        model_args: a mapping of arguments, or a text such as a=1,b=x
        tasks: a task, or a list of tasks
        judge_model: the name of a model backend
        judge_args: a mapping of arguments, or a text such as a=1,b=x
        judge_override: a mapping of judge models to those that are asked in their place
        parity: "lmms-eval"
        gen_kwargs: a mapping of generation kwargs, or a text such as temperature=0
        limit: a whole number of docs, a share between 0 and 1, -1 for all, or these by task
        limit_by: the name of a field
        offset: a whole number, 0 or more
        subset: a whole number of docs, or a share between 0 and 1
        subset_seed: a whole number, 0 or more
        samples: a JSON file, or a mapping of tasks to lists of indices and ids
        docs: an id or pattern of docs, or a list of them
        shard: i/n, such as 2/4
        stop_when: a condition such as half-width < 0.02
        num_fewshot: a whole number, 0 or more
        system_instruction: a text, or a file of it
        repeats: a whole number, 1 or more
        fewshot_seed: a whole number, 0 or more
        reasoning_tags: none, or pairs of start and end such as [["<think>","</think>"]]
        reduce: pass@K, majority, mean, first, max or min, with commas between
        cluster: auto, none or a field
        concurrency: a whole number, 1 or more, or "adaptive"
        max_concurrency: a whole number, 1 or more
        order: "media", "length" or "none"
        hedge: true, false, a percentile of the latencies such as p95, or a time such as 30s
        batch_requests: a whole number, 1 or more
        poll: seconds, more than 0
        max_requests: a whole number, 0 or more
        max_tokens_total: a whole number, 0 or more
        max_cost: dollars, such as 2.50
        max_time: a time such as 90s, 10m, 1.5h, 1h30m, or seconds
        fail_fast: a whole number, 1 or more
        prices: a file of prices
        mcp: a command line or an address, or a list of them
        tools: a file of tool servers
        max_tool_rounds: a whole number, 0 or more
        tool_timeout: seconds, more than 0
        code_key: "revision", "files" or "commit"
        tag: a tag, or a list of tags
        include_path: a folder, or a list of folders
        plugin: a file or package, or a list of them
        max_tokens: a whole number, 0 or more
        seed: one whole number, or three or four with commas between or as a list; the last is fewshot_seed
        webhook: an http or https address, which is called when the job ends
        priority: a whole number from -100 to 100; higher is earlier (0)
        labels: texts by name, at most 50, to find jobs by
        """
        answer = self._json("POST", "/evaluate", headers={"idempotency-key": idempotency_key or str(uuid.uuid4())}, body=_body(locals()), wait=wait_seconds)
        return cast("JobSubmitResponse", answer)

    def get_job(self, job_id: str, *, wait_seconds: Optional[int] = None) -> JobInfo:
        """A job with its result."""
        answer = self._json("GET", f"/jobs/{_quoted(job_id)}", wait=wait_seconds)
        return cast("JobInfo", answer)

    def cancel_job(self, job_id: str) -> CancelResponse:
        """Cancel a job."""
        answer = self._json("DELETE", f"/jobs/{_quoted(job_id)}")
        return cast("CancelResponse", answer)

    def list_jobs(self, *, status: Optional[Literal["queued", "running", "completed", "failed", "cancelled"]] = None, label: Optional[Union[str, List[str]]] = None, cursor: Optional[str] = None, limit: Optional[int] = None) -> JobList:
        """Jobs, newest first."""
        answer = self._json("GET", "/jobs", query={"status": status, "label": label, "cursor": cursor, "limit": limit})
        return cast("JobList", answer)

    def list_runs(self, *, q: Optional[str] = None, cursor: Optional[str] = None, limit: Optional[int] = None) -> RunList:
        """Runs, newest first."""
        answer = self._json("GET", "/runs", query={"q": q, "cursor": cursor, "limit": limit})
        return cast("RunList", answer)

    def get_run(self, run: str) -> RunInfo:
        """A run: what it is, and how far."""
        answer = self._json("GET", f"/runs/{_quoted(run)}")
        return cast("RunInfo", answer)

    def get_run_results(self, run: str) -> Dict[str, Any]:
        """The results JSON of a run."""
        answer = self._json("GET", f"/runs/{_quoted(run)}/results")
        return cast("Dict[str, Any]", answer)

    def get_run_samples(self, run: str, *, only: Optional[Literal["all", "wrong", "right", "unparsed", "failed", "empty", "cut", "disputed", "labelled", "unlabelled", "flipped", "improved", "worsened"]] = None, against: Optional[str] = None, task: Optional[str] = None, docs: Optional[str] = None, where: Optional[Union[str, List[str]]] = None, score: Optional[Union[str, List[str]]] = None, answer: Optional[str] = None, cursor: Optional[str] = None, limit: Optional[int] = None) -> SamplePage:
        """Samples of a run, a page at a time."""
        answer = self._json("GET", f"/runs/{_quoted(run)}/samples", query={"only": only, "against": against, "task": task, "docs": docs, "where": where, "score": score, "answer": answer, "cursor": cursor, "limit": limit})
        return cast("SamplePage", answer)

    def get_job_results(self, job_id: str) -> Dict[str, Any]:
        """The results JSON of the run of a job, also while it runs."""
        answer = self._json("GET", f"/jobs/{_quoted(job_id)}/results")
        return cast("Dict[str, Any]", answer)

    def get_job_samples(self, job_id: str, *, only: Optional[Literal["all", "wrong", "right", "unparsed", "failed", "empty", "cut", "disputed", "labelled", "unlabelled", "flipped", "improved", "worsened"]] = None, against: Optional[str] = None, task: Optional[str] = None, docs: Optional[str] = None, where: Optional[Union[str, List[str]]] = None, score: Optional[Union[str, List[str]]] = None, answer: Optional[str] = None, cursor: Optional[str] = None, limit: Optional[int] = None) -> SamplePage:
        """Samples of the run of a job, a page at a time."""
        answer = self._json("GET", f"/jobs/{_quoted(job_id)}/samples", query={"only": only, "against": against, "task": task, "docs": docs, "where": where, "score": score, "answer": answer, "cursor": cursor, "limit": limit})
        return cast("SamplePage", answer)

    def compare(self, a: str, b: str, *, margin: Optional[float] = None) -> Dict[str, Any]:
        """Run b against run a, doc by doc."""
        answer = self._json("GET", "/compare", query={"a": a, "b": b, "margin": margin})
        return cast("Dict[str, Any]", answer)

    def why_miss(self, a: str, b: str) -> Dict[str, Any]:
        """In what the requests of two runs differ."""
        answer = self._json("GET", "/why-miss", query={"a": a, "b": b})
        return cast("Dict[str, Any]", answer)

    def leaderboard(self, *, tag: Optional[str] = None, task: Optional[str] = None, model: Optional[str] = None) -> Dict[str, Any]:
        """Models and tasks with their scores, and the best by the paired comparison."""
        answer = self._json("GET", "/leaderboard", query={"tag": tag, "task": task, "model": model})
        return cast("Dict[str, Any]", answer)

    def plan_comparison(self, run: str, *, against: Optional[str] = None, effect: Optional[float] = None, correlation: Optional[float] = None, alpha: Optional[float] = None, power: Optional[float] = None) -> Dict[str, Any]:
        """How many docs a comparison with the run needs."""
        answer = self._json("GET", f"/runs/{_quoted(run)}/power", query={"against": against, "effect": effect, "correlation": correlation, "alpha": alpha, "power": power})
        return cast("Dict[str, Any]", answer)

    def calibrate(self, run: str) -> Dict[str, Any]:
        """How far the scores of a run agree with labels."""
        answer = self._json("GET", f"/runs/{_quoted(run)}/calibration")
        return cast("Dict[str, Any]", answer)

    def stability(
        self,
        run: str,
        *,
        others: Optional[List[str]] = None,
        idempotency_key: Optional[str] = None,
        wait_seconds: Optional[int] = None,
    ) -> JobSubmitResponse:
        """
        Measure how far repeated answers agree. A retry cannot submit it twice.

        wait_seconds: answer when the job has ended, or after so many seconds; the answer then has `job`
        run: a name, an id, or `last`; `NAME@1` means its first judgement
        others: further runs of the same tasks, to diagnose docs with
        """
        answer = self._json("POST", "/stability", headers={"idempotency-key": idempotency_key or str(uuid.uuid4())}, body=_body(locals()), wait=wait_seconds)
        return cast("JobSubmitResponse", answer)

    def blame(
        self,
        a: str,
        b: str,
        *,
        idempotency_key: Optional[str] = None,
        wait_seconds: Optional[int] = None,
    ) -> JobSubmitResponse:
        """
        Split the difference of two runs by its causes. A retry cannot submit it twice.

        wait_seconds: answer when the job has ended, or after so many seconds; the answer then has `job`
        a: the run to compare with
        b: the run whose difference is explained
        """
        answer = self._json("POST", "/blame", headers={"idempotency-key": idempotency_key or str(uuid.uuid4())}, body=_body(locals()), wait=wait_seconds)
        return cast("JobSubmitResponse", answer)

    def repro(
        self,
        run: str,
        *,
        idempotency_key: Optional[str] = None,
        wait_seconds: Optional[int] = None,
    ) -> JobSubmitResponse:
        """
        Tell how to repeat a run, and what differs now. A retry cannot submit it twice.

        wait_seconds: answer when the job has ended, or after so many seconds; the answer then has `job`
        run: a name, an id, or `last`; `NAME@1` means its first judgement
        """
        answer = self._json("POST", "/repro", headers={"idempotency-key": idempotency_key or str(uuid.uuid4())}, body=_body(locals()), wait=wait_seconds)
        return cast("JobSubmitResponse", answer)

    def recheck(
        self,
        run: str,
        *,
        k: Optional[int] = None,
        seed: Optional[int] = None,
        tolerance: Optional[float] = None,
        idempotency_key: Optional[str] = None,
        wait_seconds: Optional[int] = None,
    ) -> JobSubmitResponse:
        """
        Ask a part of a run again. A retry cannot submit it twice.

        wait_seconds: answer when the job has ended, or after so many seconds; the answer then has `job`
        run: a name, an id, or `last`; `NAME@1` means its first judgement
        k: the number of docs to send again (50)
        seed: the seed of the choice of docs (0)
        tolerance: the share of equal answers that is expected (0.9)
        """
        answer = self._json("POST", "/recheck", headers={"idempotency-key": idempotency_key or str(uuid.uuid4())}, body=_body(locals()), wait=wait_seconds)
        return cast("JobSubmitResponse", answer)

    def list_labels(self, *, run: Optional[str] = None, cursor: Optional[str] = None, limit: Optional[int] = None) -> LabelPage:
        """What people say of answers, a page at a time."""
        answer = self._json("GET", "/labels", query={"run": run, "cursor": cursor, "limit": limit})
        return cast("LabelPage", answer)

    def add_label(
        self,
        run: str,
        task: str,
        doc_index: int,
        label: Literal["right", "wrong", "unclear", None],
        *,
        note: Optional[str] = None,
        author: Optional[str] = None,
    ) -> Label:
        """
        Say of the answers to a doc whether they are right.

        run: a name, an id, or `last`; `NAME@1` means its first judgement
        label: null takes the label of this author back
        author: who says so; the name of the token counts if there is one
        """
        answer = self._json("POST", "/labels", body=_body(locals(), "label"))
        return cast("Label", answer)

    def tag_run(
        self,
        run: str,
        *,
        add: Optional[List[str]] = None,
        remove: Optional[List[str]] = None,
    ) -> RunTags:
        """Give a run tags, or take them away."""
        answer = self._json("POST", f"/runs/{_quoted(run)}/tags", body=_body(locals()))
        return cast("RunTags", answer)

    def list_tasks(self, *, query: Optional[str] = None) -> List[str]:
        """Names that "tasks" takes."""
        answer = self._json("GET", "/tasks", query={"query": query})
        return cast("List[str]", answer["tasks"])

    def task_info(self, name: str) -> TaskInfo:
        """What a task is."""
        answer = self._json("GET", f"/tasks/{_quoted(name)}")
        return cast("TaskInfo", answer)

    def list_models(self) -> List[str]:
        """Names that "model" takes."""
        answer = self._json("GET", "/models")
        return cast("List[str]", answer["models"])

    def model_info(self, name: str) -> ModelInfo:
        """A model backend and its arguments."""
        answer = self._json("GET", f"/models/{_quoted(name)}")
        return cast("ModelInfo", answer)

    def is_healthy(self) -> bool:
        """Whether the service answers now, without retries."""
        try:
            with self._open("GET", "/health") as answer:
                return json.load(answer)["status"] in ("healthy", "degraded")
        except (ServiceError, ValueError, KeyError) + _LOST:
            return False

    def wait_for_job(self, job_id: str, timeout: Optional[float] = None, raise_on_failure: bool = True) -> JobInfo:
        """
        Waits until a job has ended: completed, failed or cancelled.

        Raises JobFailedError where it did not complete, unless `raise_on_failure` is false, and TimeoutError after `timeout` seconds.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            began = time.monotonic()
            left = 30.0 if end is None else end - began
            if left <= 0:
                raise TimeoutError(f"job {job_id} did not end within {timeout} seconds")
            job = self.get_job(job_id, wait_seconds=max(1, min(30, int(left))))
            if job["status"] in _FINAL:
                if raise_on_failure and job["status"] != "completed":
                    raise JobFailedError(job)
                return job
            # A proxy that drops the header must not make this a busy loop.
            time.sleep(max(0.0, 1 - (time.monotonic() - began)))

    def events(self, job_id: str, last_event_id: int = 0) -> Iterator[JobEvent]:
        """Events of a job, each exactly once and in order, until the job has ended. Lost connections are made again."""
        path = f"/jobs/{_quoted(job_id)}/events"
        attempt, is_over = 0, False
        while True:
            lost: Optional[Exception] = None
            try:
                with self._open("GET", path, headers={"last-event-id": str(last_event_id)}) as answer:
                    for event in _events_in(answer):
                        if event["id"] <= last_event_id:
                            continue
                        last_event_id, attempt = event["id"], 0
                        yield event
                        if event["type"] in _FINAL:
                            return
            except (ServiceError,) + _LOST as error:
                lost = error
            # The stream of a job that has ended is complete unless the connection was lost.
            if lost is None and is_over:
                return
            if lost is None:
                is_over = self.get_job(job_id)["status"] in _FINAL
                if is_over:
                    continue
            self._before_retry(lost or ConnectionError("the stream of events ended early"), attempt)
            attempt += 1

    def iter_jobs(self, status: Optional[JobStatus] = None, label: Optional[str] = None) -> Iterator[JobSummary]:
        """Jobs without their results, newest first. Pages are read as the loop reaches them."""
        cursor: Optional[str] = None
        while True:
            page = self.list_jobs(status=status, label=label, cursor=cursor)
            yield from page["jobs"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def iter_samples(
        self, job_id: str, only: SampleKind = "all", task: Optional[str] = None, page_size: int = 100
    ) -> Iterator[Dict[str, Any]]:
        """Samples of a job's run, also while it runs. Pages are read as the loop reaches them."""
        cursor: Optional[str] = None
        while True:
            page = self.get_job_samples(job_id, only=only, task=task, cursor=cursor, limit=page_size)
            yield from page["samples"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def _json(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        body: Optional[Mapping[str, Any]] = None,
        wait: Optional[int] = None,
    ) -> Any:
        sent = dict(headers or {})
        if wait is not None:
            sent["prefer"] = f"wait={wait}"
        attempt = 0
        while True:
            try:
                with self._open(method, path, query, sent, body, self._timeout + (wait or 0)) as answer:
                    return json.load(answer)
            except (ServiceError, ValueError) + _LOST as error:
                self._before_retry(error, attempt)
            attempt += 1

    def _open(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        body: Optional[Mapping[str, Any]] = None,
        timeout: Optional[float] = None,
    ) -> http.client.HTTPResponse:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self.base_url}{path}" + (f"?{urllib.parse.urlencode(given, doseq=True)}" if given else "")
        data = None if body is None else json.dumps(body).encode()
        content = {} if data is None else {"content-type": "application/json"}
        request = urllib.request.Request(url, data, {**self._headers, **content, **(headers or {})}, method=method)
        try:
            return cast(http.client.HTTPResponse, urllib.request.urlopen(request, timeout=timeout or self._timeout))
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from None

    def _before_retry(self, error: Exception, attempt: int) -> None:
        is_final = isinstance(error, ServiceError) and error.status not in _PASSING
        if is_final or attempt >= self._max_retries:
            raise error
        own = min(10.0, self._retry_delay * 2**attempt) * random.uniform(0.5, 1)
        time.sleep(max(own, error.retry_after if isinstance(error, ServiceError) else 0))


def _refusal(error: urllib.error.HTTPError) -> ServiceError:
    text = error.read().decode(errors="replace")
    after = error.headers.get("retry-after", "")
    try:
        said = json.loads(text)
        problems = said.get("problems") or [said["detail"]]
    except (ValueError, KeyError, AttributeError):
        # A proxy in between answers with a page of its own.
        problems = [text[:1000]]
    return ServiceError(error.code, problems, float(after) if after.isdigit() else 0)


def _body(arguments: Mapping[str, Any], *nullable: str) -> Dict[str, Any]:
    """The arguments of a method that are fields of its request. A field that was not given is left out."""
    fields = {name: value for name, value in arguments.items() if name not in ("self", "idempotency_key", "wait_seconds")}
    return {name: value for name, value in fields.items() if value is not None or name in nullable}


def _events_in(answer: http.client.HTTPResponse) -> Iterator[JobEvent]:
    fields: Dict[str, str] = {}
    for raw in answer:
        line = raw.decode().rstrip("\r\n")
        if line:
            name, _, value = line.partition(":")
            fields[name] = value[1:] if value.startswith(" ") else value
            continue
        if "data" in fields:
            yield {"id": int(fields["id"]), "type": fields.get("event", ""), "data": json.loads(fields["data"])}
        fields = {}


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")
