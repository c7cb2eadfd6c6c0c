import { defineEngine } from './engines/define-engine.js'
import { count, json, outputFlag, placementFlag, share, text, whole, yesNo } from './engines/engine.js'

/** LMDeploy, running or started for the run. */
export const lmdeploy = defineEngine({
  id: 'lmdeploy',
  aliases: [],
  summary: 'LMDeploy: a server that runs (base_url), or one that is started for the run',
  accepts: ['text', 'image', 'video'],
  concurrency: 'adaptive',
  baseUrlVariable: 'LMDEPLOY_BASE_URL',
  keyVariable: 'LMDEPLOY_API_KEY',
  example: 'http://127.0.0.1:23333/v1',
  healthPath: '/health',
  program: ['lmdeploy', 'serve', 'api_server'],
  install: 'pip install lmdeploy',
  flags: {
    revision: outputFlag('--revision', text('branch, tag or commit of a model on the Hub')),
    backend: outputFlag('--backend', text('what computes: turbomind or pytorch')),
    dtype: outputFlag('--dtype', text('auto, float16, bfloat16')),
    model_format: outputFlag('--model-format', text('how weights are kept: hf, awq, gptq, fp8…')),
    quant_policy: outputFlag('--quant-policy', whole('bits of the cache: 0 for all, 4, 8')),
    session_len: outputFlag('--session-len', count('the longest context, in tokens')),
    max_model_len: outputFlag('--session-len', count('the same')),
    chat_template: outputFlag('--chat-template', text('name or JSON file of a chat template'), { mayBeFile: true }),
    trust_remote_code: outputFlag('--trust-remote-code', yesNo('run code that comes with the model')),
    hf_overrides: outputFlag('--hf-overrides', json('over the model’s configuration, as JSON')),
    reasoning_parser: outputFlag('--reasoning-parser', text('how reasoning is separated from the answer')),
    tool_call_parser: outputFlag('--tool-call-parser', text('how calls of tools are read')),
    tensor_parallel_size: placementFlag('--tp', count('GPUs that share each layer')),
    tp: placementFlag('--tp', count('the same')),
    data_parallel_size: placementFlag('--dp', count('copies of the model')),
    dp: placementFlag('--dp', count('the same')),
    gpu_memory_utilization: placementFlag(
      '--cache-max-entry-count',
      share('share of the free GPU memory for the cache'),
    ),
    cache_max_entry_count: placementFlag('--cache-max-entry-count', share('the same')),
    max_batch_size: placementFlag('--max-batch-size', count('requests computed at once')),
    vision_max_batch_size: placementFlag('--vision-max-batch-size', count('images computed at once')),
    enable_prefix_caching: placementFlag('--enable-prefix-caching', yesNo('compute shared beginnings once')),
    download_dir: placementFlag('--download-dir', text('where models from the Hub are kept'), { names: 'path' }),
  },
  serve: ({ source, name, port }) => [
    source,
    ...['--model-name', name, '--server-name', '127.0.0.1', '--server-port', port],
  ],
})
