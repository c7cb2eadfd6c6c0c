import { defineEngine } from './engines/define-engine.js'
import { count, json, outputFlag, placementFlag, share, text, whole, yesNo } from './engines/engine.js'

/** SGLang, running or started for the run. Arguments that lmms-eval names as for vLLM have those names here, too. */
export const sglang = defineEngine({
  id: 'sglang',
  aliases: ['sglang_runtime', 'sglang_chat'],
  summary: 'SGLang: a server that runs (base_url), or one that is started for the run',
  accepts: ['text', 'image', 'audio', 'video'],
  concurrency: 'adaptive',
  baseUrlVariable: 'SGLANG_BASE_URL',
  keyVariable: 'SGLANG_API_KEY',
  example: 'http://127.0.0.1:30000/v1',
  healthPath: '/health',
  program: ['python3', '-m', 'sglang.launch_server'],
  install: 'pip install "sglang[all]", and executable= the Python that has it',
  flags: {
    revision: outputFlag('--revision', text('branch, tag or commit of a model on the Hub')),
    tokenizer_path: outputFlag('--tokenizer-path', text('name or folder of another tokenizer'), {
      names: 'path or name',
    }),
    dtype: outputFlag('--dtype', text('auto, half, bfloat16, float32…')),
    quantization: outputFlag('--quantization', text('how weights are quantized: awq, gptq, fp8…')),
    kv_cache_dtype: outputFlag('--kv-cache-dtype', text('arithmetic of the cache: auto, fp8_e5m2…')),
    context_length: outputFlag('--context-length', count('the longest context, in tokens')),
    max_model_len: outputFlag('--context-length', count('the same')),
    chat_template: outputFlag('--chat-template', text('name or file of a chat template in place of the model’s'), {
      mayBeFile: true,
    }),
    trust_remote_code: outputFlag('--trust-remote-code', yesNo('run code that comes with the model')),
    seed: outputFlag('--random-seed', whole('of the engine')),
    json_model_override_args: outputFlag('--json-model-override-args', json('over the model’s configuration, as JSON')),
    mm_process_config: outputFlag('--mm-process-config', json('for the processor of media, as JSON')),
    enable_multimodal: outputFlag('--enable-multimodal', yesNo('take media where the model is not known to')),
    attention_backend: outputFlag('--attention-backend', text('how attention is computed: fa3, flashinfer, triton…')),
    reasoning_parser: outputFlag('--reasoning-parser', text('how reasoning is separated from the answer')),
    tool_call_parser: outputFlag('--tool-call-parser', text('how calls of tools are read')),
    tensor_parallel_size: placementFlag('--tp-size', count('GPUs that share each layer')),
    tp_size: placementFlag('--tp-size', count('the same')),
    tp: placementFlag('--tp-size', count('the same')),
    data_parallel_size: placementFlag('--dp-size', count('copies of the model')),
    dp_size: placementFlag('--dp-size', count('the same')),
    dp: placementFlag('--dp-size', count('the same')),
    gpu_memory_utilization: placementFlag(
      '--mem-fraction-static',
      share('share of each GPU’s memory for weights and cache'),
    ),
    mem_fraction_static: placementFlag('--mem-fraction-static', share('the same')),
    max_running_requests: placementFlag('--max-running-requests', count('requests computed at once')),
    chunked_prefill_size: placementFlag('--chunked-prefill-size', whole('tokens of a prompt computed at once')),
    disable_radix_cache: placementFlag('--disable-radix-cache', yesNo('compute shared beginnings again and again')),
    disable_cuda_graph: placementFlag('--disable-cuda-graph', yesNo('start sooner, without CUDA graphs')),
    download_dir: placementFlag('--download-dir', text('where models from the Hub are kept'), { names: 'path' }),
  },
  serve: ({ source, name, port }) => [
    ...['--model-path', source, '--served-model-name', name],
    ...['--host', '127.0.0.1', '--port', port],
  ],
})
