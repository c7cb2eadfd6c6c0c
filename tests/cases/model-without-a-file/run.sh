#!/bin/bash
# The folder of a model lacks a file, or has a pipe in place of one. The message names it, for each backend that reads files of a model.
. "$(dirname "$0")/../lib/media-task.sh"
echo '{"id":"a","m":null}' > t.jsonl
sed -i '/doc_to_visual/d' t.yaml
new_folder() {
  rm -rf m && mkdir -p m/onnx
  echo '{"model_type":"bert"}' > m/config.json
  for name in tokenizer.json tokenizer_config.json generation_config.json chat_template.jinja preprocessor_config.json processor_config.json; do echo "{}" > m/$name; done
  for network in model vision_encoder embed_tokens decoder_model_merged; do : > m/onnx/$network.onnx; done
}
for file in tokenizer_config.json tokenizer.json config.json; do
  for backend in transformers_js onnx_vlm; do
    new_folder && rm m/$file
    timeout -s KILL 30 $PIPELINE eval --tasks ./t.yaml --model $backend --model-args model=./m 2>&1
    echo "$backend without $file: exit code $?"
  done
done
mkfifo m.gguf
timeout -s KILL 30 $PIPELINE eval --tasks ./t.yaml --model llama_cpp --model-args model=./m.gguf 2>&1
echo "llama_cpp: exit code $?"
new_folder && rm m/onnx/model.onnx && mkfifo m/onnx/model.onnx
for backend in onnx_vlm transformers_js; do
  rm -f m/config.json && mkfifo m/config.json
  timeout -s KILL 30 $PIPELINE eval --tasks ./t.yaml --model $backend --model-args model=./m 2>&1
  echo "$backend: exit code $?"
done
