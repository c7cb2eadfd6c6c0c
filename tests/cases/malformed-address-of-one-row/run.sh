#!/bin/bash
# A row with a malformed address fails its own doc. The others are answered, and a check of the docs names it.
. "$(dirname "$0")/../lib/media-task.sh"
PNG="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
printf '{"id":"1","m":"%s"}\n{"id":"2","m":"http://ho[st/a.png"}\n{"id":"3","m":"http://"}\n{"id":"4","m":"https://host:99999/a.png"}\n{"id":"5","m":"%s"}\n' "$PNG" "$PNG" > t.jsonl
$PIPELINE eval --model dummy --tasks ./t.yaml 2>&1
echo "exit code $?"
$PIPELINE tasks validate ./t.yaml --docs 5 2>&1
$PIPELINE media manifest --tasks ./t.yaml --model dummy 2>&1
