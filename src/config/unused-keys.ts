/** Keys of lmms-eval's configuration files that say nothing here: taken, so that its files work, and told in a note. */
import { z } from 'zod'

const names = [
  'batch_size',
  'max_batch_size',
  'device',
  'use_cache',
  'cache_requests',
  'check_integrity',
  'write_out',
  'log_samples_suffix',
  'wandb_args',
  'wandb_log_samples',
  'swanlab_args',
  'swanlab_log_samples',
  'hf_hub_log_args',
  'apply_chat_template',
  'show_config',
  'verbosity',
  'timezone',
  'trust_remote_code',
  'process_with_media',
  'agentic_trace_mode',
  'baseline',
] as const

type UnusedKey = (typeof names)[number]

const anything = z.json().describe('anything').optional()

/** What may stand in a configuration file. */
export const unusedKeys = Object.fromEntries(names.map(name => [name, anything])) as Record<UnusedKey, typeof anything>

/** Those that a file gives, by the names of their flags. */
export const unusedKeysIn = (config: { readonly [Name in UnusedKey]?: unknown }): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    names
      .filter(name => config[name] !== undefined && config[name] !== false && config[name] !== '')
      .map(name => [name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), config[name]]),
  )
