#!/bin/bash
# A worker's base_url says where the requests of its jobs go, and nothing else: jobs of another address, of an engine that would be started, and of an attached
# engine are all done. A worker whose arguments would change answers leaves the job to others.
: "${PIPELINE:?set PIPELINE to the command}"
H=$(cd "$(dirname "$0")" && pwd); W=$(mktemp -d); cd "$W"; trap 'kill $M; rm -rf "$W"' EXIT
for i in 0 1 2 3; do echo "{\"id\":\"d$i\",\"q\":\"Q $i\",\"a\":\"a\"}"; done > q.jsonl
printf 'task: t\ndataset_path: ./q.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\nmetric_list:\n  - metric: exact_match\n' > t.yaml
${PIPELINE%% *} "$H/engine.mjs" > port & M=$!
until [ -s port ]; do sleep 0.05; done; U=http://127.0.0.1:$(cat port)
work() { OPENAI_API_KEY=x $PIPELINE worker --store "$1" --allow-dir "$W" --model-args "base_url=$U/v1$2" --jobs 1 --idle 1 2>&1 | sed 's/[0-9a-f-]\{36\}/ID/g'; }
for model in openai,base_url=http://127.0.0.1:9/v1,model=m vllm,base_url=http://127.0.0.1:9/v1,model=m vllm,model=org/m,revision=main,tensor_parallel_size=2; do
  echo "-- $model"
  OPENAI_API_KEY=x VLLM_API_KEY=x $PIPELINE eval --model "${model%%,*}" --model-args "${model#*,}" --tasks t.yaml --store "s${#model}" --detach --quiet > out 2>&1 || cat out
  work "s${#model}"; curl -s "$U/count"
done
echo "-- another argument"
OPENAI_API_KEY=x $PIPELINE eval --model openai --model-args base_url=http://127.0.0.1:9/v1,model=n --tasks t.yaml --store other --detach --quiet > out 2>&1 || cat out
work other ,max_frames=3; curl -s "$U/count"
