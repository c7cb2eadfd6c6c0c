import { defineEngine } from './engines/define-engine.js'
import { count, json, outputFlag, placementFlag, share, text, whole, yesNo } from './engines/engine.js'

/** vLLM, running or started for the run. Arguments have the names of vLLM and lmms-eval. */
export const vllm = defineEngine({
  id: 'vllm',
  aliases: ['vllm_chat', 'vllm_generate'],
  summary: 'vLLM: a server that runs (base_url), or one that is started for the run',
  accepts: ['text', 'image', 'audio', 'video'],
  concurrency: 'adaptive',
  baseUrlVariable: 'VLLM_BASE_URL',
  keyVariable: 'VLLM_API_KEY',
  example: 'http://127.0.0.1:8000/v1',
  healthPath: '/health',
  program: ['vllm', 'serve'],
  install: 'pip install vllm',
  flags: {
    revision: outputFlag('--revision', text('branch, tag or commit of a model on the Hub')),
    tokenizer: outputFlag('--tokenizer', text('name or folder of another tokenizer'), { names: 'path or name' }),
    dtype: outputFlag('--dtype', text('auto, half, bfloat16, float32…')),
    quantization: outputFlag('--quantization', text('how weights are quantized: awq, gptq, fp8…')),
    kv_cache_dtype: outputFlag('--kv-cache-dtype', text('arithmetic of the cache: auto, fp8…')),
    max_model_len: outputFlag('--max-model-len', count('the longest context, in tokens')),
    chat_template: outputFlag('--chat-template', text('file of a chat template in place of the model’s'), {
      mayBeFile: true,
    }),
    trust_remote_code: outputFlag('--trust-remote-code', yesNo('run code that comes with the model')),
    seed: outputFlag('--seed', whole('of the engine')),
    generation_config: outputFlag(
      '--generation-config',
      text('where defaults of sampling come from: auto, vllm, a folder'),
      { names: 'path or name' },
    ),
    hf_overrides: outputFlag('--hf-overrides', json('over the model’s configuration, as JSON')),
    mm_processor_kwargs: outputFlag('--mm-processor-kwargs', json('for the processor of media, as JSON')),
    media_io_kwargs: outputFlag('--media-io-kwargs', json('how media are decoded, as JSON')),
    reasoning_parser: outputFlag(
      '--reasoning-parser',
      text('how reasoning is separated from the answer: deepseek_r1, qwen3…'),
    ),
    tool_call_parser: outputFlag('--tool-call-parser', text('how calls of tools are read: hermes, llama3_json…')),
    enable_auto_tool_choice: outputFlag('--enable-auto-tool-choice', yesNo('let the model call tools')),
    limit_mm_per_prompt: placementFlag('--limit-mm-per-prompt', json('the most media of a request: {"image":4}')),
    tensor_parallel_size: placementFlag('--tensor-parallel-size', count('GPUs that share each layer')),
    pipeline_parallel_size: placementFlag('--pipeline-parallel-size', count('GPUs that share the layers')),
    data_parallel_size: placementFlag('--data-parallel-size', count('copies of the model')),
    gpu_memory_utilization: placementFlag(
      '--gpu-memory-utilization',
      share('share of each GPU’s memory that it may use'),
    ),
    max_num_seqs: placementFlag('--max-num-seqs', count('requests computed at once')),
    max_num_batched_tokens: placementFlag('--max-num-batched-tokens', count('tokens computed at once')),
    enforce_eager: placementFlag('--enforce-eager', yesNo('start sooner, without CUDA graphs'), {
      negation: '--no-enforce-eager',
    }),
    enable_prefix_caching: placementFlag('--enable-prefix-caching', yesNo('compute shared beginnings once'), {
      negation: '--no-enable-prefix-caching',
    }),
    enable_chunked_prefill: placementFlag('--enable-chunked-prefill', yesNo('compute long prompts in pieces'), {
      negation: '--no-enable-chunked-prefill',
    }),
    disable_log_stats: placementFlag('--disable-log-stats', yesNo('log no figures')),
    download_dir: placementFlag('--download-dir', text('where models from the Hub are kept'), { names: 'path' }),
  },
  serve: ({ source, name, port }) => [source, '--served-model-name', name, '--host', '127.0.0.1', '--port', port],
})
