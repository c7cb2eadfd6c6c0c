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

# ---- types ----


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

    # ---- operations ----

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
