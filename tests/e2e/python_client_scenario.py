"""Uses the Python client. The server is killed and started again when this prints "kill" and reads a line."""

import json
import sys

from pipeline_client import JobFailedError, PipelineClient, ServiceError

client = PipelineClient(sys.argv[1], max_retries=20)
assert client.is_healthy() and not PipelineClient("http://127.0.0.1:9").is_healthy()
assert client.health()["status"] == "healthy"
assert "echoes" in client.list_tasks(query="ech*") and "dummy" in client.list_models()
assert client.task_info("echoes")["kind"] == "task" and client.model_info("dummy")["id"] == "dummy"

echo = {"mode": "echo", "latency_ms": 40}
job = client.evaluate("dummy", ["echoes"], model_args=echo, concurrency=1, labels={"from": "python"})
kinds, ids = [], []
for event in client.events(job["job_id"]):
    kinds.append(event["type"])
    ids.append(event["id"])
    if event["type"] == "progress" and kinds.count("progress") == 1:
        print("kill", flush=True)
        sys.stdin.readline()
assert ids == list(range(1, len(ids) + 1)) and kinds[-1] == "completed", (ids, kinds)

done = client.wait_for_job(job["job_id"], timeout=60)
assert done["labels"] == {"from": "python"} and done["run"] is not None
assert client.get_job_results(job["job_id"])["tasks"] == client.get_run_results(done["run"])["tasks"]
assert len(list(client.iter_samples(job["job_id"], page_size=7))) == 50
assert [one["job_id"] for one in client.iter_jobs(label="from:python")] == [job["job_id"]]
assert client.list_runs()["total"] == 1 and client.get_run(done["run"])["tasks"] == ["echoes"]
assert client.get_queue_status()["completed_jobs"] == 1

analysed = client.recheck("last", k=5, wait_seconds=60)["job"]
assert analysed["status"] == "completed" and analysed["result"]["matches"] == 5, analysed

failing = client.evaluate("dummy", "echoes", model_args={"mode": "fixed", "fail": ["invalid_request:1"]}, wait_seconds=60, limit=2)
assert failing["job"]["status"] == "failed", failing
try:
    client.wait_for_job(failing["job_id"])
    raise AssertionError("a failed job was awaited without an error")
except JobFailedError as error:
    assert error.job["status"] == "failed"
try:
    client.evaluate("dummy", ["echoes"], limit="many", priority=1000)
    raise AssertionError("mistakes were accepted")
except ServiceError as error:
    assert error.status == 422 and len(error.problems) == 2, error
try:
    client.evaluate("dummy", ["echoes"], batch_size="auto")
    raise AssertionError("an argument that the service ignores was taken")
except TypeError as error:
    assert "batch_size" in str(error), error
print("done")
