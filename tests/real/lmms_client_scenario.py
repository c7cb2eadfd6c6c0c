"""Runs lmms-eval's EvalClient and AsyncEvalClient through every method. Prints a line for each that did what it should."""

import asyncio
import sys

import httpx
from lmms_eval_client import AsyncEvalClient, EvalClient

url = sys.argv[1]
echo = {"model": "dummy", "tasks": ["echoes"], "model_args": {"mode": "echo"}}
# Every request fails, for a reason that no further attempt would change.
failing = {**echo, "model_args": {"mode": "fixed", "text": "no", "fail": ["invalid_request:1"]}}
slow = {**echo, "model_args": {"mode": "echo", "latency_ms": 60000}}


def done(name: str) -> None:
    print(name, flush=True)


def sync() -> None:
    with EvalClient(url) as client:
        assert client.health()["status"] == "healthy"
        done("health")
        assert client.is_healthy() and not EvalClient("http://127.0.0.1:9").is_healthy()
        done("is_healthy")
        assert "echoes" in client.list_tasks()
        done("list_tasks")
        assert "dummy" in client.list_models()
        done("list_models")
        submitted = client.evaluate(**echo, num_fewshot=0, batch_size="auto", device="cuda:0", limit=6, num_gpus=2, output_dir="out")
        assert submitted["status"] in ("queued", "running") and submitted["position_in_queue"] >= 0, submitted
        done("evaluate")
        assert client.get_job(submitted["job_id"])["request"]["limit"] == 6
        done("get_job")
        job = client.wait_for_job(submitted["job_id"], poll_interval=0.1, timeout=60, verbose=False)
        assert job["status"] == "completed" and job["result"]["tasks"]["echoes"], job
        done("wait_for_job")
        failed = client.evaluate(**failing, limit=2)
        try:
            client.wait_for_job(failed["job_id"], poll_interval=0.1, timeout=60, verbose=False)
            raise AssertionError("a failed job was awaited without an error")
        except RuntimeError as error:
            assert str(error).startswith("Job failed: "), error
        done("wait_for_job of a failed job")
        cancelled = client.evaluate(**slow)
        assert "cancelled" in client.cancel_job(cancelled["job_id"])["message"]
        assert client.get_job(cancelled["job_id"])["job_id"] == cancelled["job_id"]
        done("cancel_job")
        queue = client.get_queue_status()
        assert queue["completed_jobs"] == 1 and queue["failed_jobs"] == 1, queue
        done("get_queue_status")
        try:
            client.merge_checkpoint("checkpoint")
            raise AssertionError("a checkpoint was merged")
        except httpx.HTTPStatusError as error:
            assert error.response.status_code == 501, error
        done("merge_checkpoint")


async def asynchronous() -> None:
    async with AsyncEvalClient(url) as client:
        assert (await client.health())["status"] == "healthy"
        submitted = await client.evaluate(**echo, limit=6, log_samples=True)
        job = await client.wait_for_job(submitted["job_id"], poll_interval=0.1, timeout=60, verbose=False)
        assert job["status"] == "completed", job
        assert (await client.get_job(submitted["job_id"]))["result"]["tasks"]["echoes"]
        failed = await client.evaluate(**failing, limit=2)
        try:
            await client.wait_for_job(failed["job_id"], poll_interval=0.1, timeout=60, verbose=False)
            raise AssertionError("a failed job was awaited without an error")
        except RuntimeError as error:
            assert str(error).startswith("Job failed: "), error
        cancelled = await client.evaluate(**slow)
        assert "cancelled" in (await client.cancel_job(cancelled["job_id"]))["message"]
        assert (await client.get_queue_status())["completed_jobs"] == 2
        done("AsyncEvalClient")


sync()
asyncio.run(asynchronous())
