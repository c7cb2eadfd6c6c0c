#!/bin/bash
# An output path names a part of the store, or a file that the command reads. Right: exit code 1 before anything is
# written, a sentence that names the file, and the store, the data and the task are as before.
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp -r . "$D"; cd "$D"; export PIPELINE_STORE="$D/store"
$PIPELINE eval --model dummy --model-args mode=target --tasks ./t.yaml --quiet > /dev/null
ln -s store/store.sqlite link.html
refused() { "$@" > out 2>&1; echo "rc=$?"; grep error: out; }
echo "== parts of the store"
refused $PIPELINE export last -o store/store.sqlite
refused $PIPELINE report last --html link.html
refused $PIPELINE report last --output-path store/runs
refused $PIPELINE report last --format lm-eval --output-path store/media
refused $PIPELINE track last --to tensorboard=dir=store/runs
refused $PIPELINE tasks new t2 --dir store/media
refused $PIPELINE init --data d.jsonl --yes --dir store/runs
refused $PIPELINE infer --model dummy --tasks ./t.yaml -o store/runs/x --store other --limit 1
echo "== files that are read"
refused $PIPELINE export last -o d.jsonl
refused $PIPELINE infer --model dummy --tasks ./t.yaml -o t.yaml --limit 2
refused $PIPELINE eval --model dummy --tasks ./t.yaml --html d.jsonl --limit 3
cmp d.jsonl "$OLDPWD/d.jsonl" && cmp t.yaml "$OLDPWD/t.yaml" && echo "files are as before"
$PIPELINE runs list | grep -c dummy
