#!/bin/bash
# needs: python3
# TensorBoard keeps 32-bit numbers. A score beyond their range is left out, and is not written as infinity.
: "${PIPELINE:?set PIPELINE to the command}"
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT; export PIPELINE_STORE="$W/store"; cd "$W"
echo 'export const pr = () => ({ s: 1e39, ok: 1 })' > utils.ts
printf 'task: t\ndataset_path: ./t.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: q\nprocess_results: !function utils.pr\nmetric_list: [{metric: s}, {metric: ok}]\n' > t.yaml; echo '{"q":"a"}' > t.jsonl
$PIPELINE eval --tasks ./t.yaml --model dummy --track tensorboard=tb --quiet > /dev/null
python3 -c "
import glob
b=open(glob.glob('tb/*/events*')[0],'rb').read(); print('infinite numbers:', b.count(b'\x15\0\0\x80\x7f')+b.count(b'\x15\0\0\x80\xff'), 'others:', b.count(b't/ok'))"
