#!/bin/bash
# A HEIC picture of 12 kB lists 130 million places without bytes. It fails its doc, and the other doc is answered.
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../lib/media-task.sh"
cp "$HERE/a.heic" .
PNG="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
printf '{"id":"bad","m":"a.heic"}\n{"id":"good","m":"%s"}\n' "$PNG" > t.jsonl
timeout -s KILL 60 $PIPELINE eval --tasks ./t.yaml --model anthropic --model-args "base_url=$ADDRESS,model=m" 2>&1
echo "exit code $?"
