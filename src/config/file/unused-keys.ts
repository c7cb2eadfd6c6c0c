/** Flags and keys of lmms-eval that say nothing here: taken, so that its lines and files work, and told in a note. */
import { z } from 'zod'

export interface Unused {
  readonly flags: string
  /** The reason why it does nothing. */
  readonly why: string
}

/** By their keys in a configuration file. */
export const unused = {
  batch_size: {
    flags: '-b, --batch-size <n>',
    why: 'requests are scheduled one by one; --concurrency sets how many at once',
  },
  max_batch_size: { flags: '--max-batch-size <n>', why: 'requests are scheduled one by one' },
  device: { flags: '--device <name>', why: 'remote models choose their own device; local models run on the CPU' },
  use_cache: {
    flags: '-c, --use-cache <dir>',
    why: 'every answer is kept in the store (--store) and taken from there',
  },
  cache_requests: { flags: '--cache-requests <mode>', why: 'requests are kept in the store' },
  check_integrity: {
    flags: '--check-integrity',
    why: 'pipeline tasks validate checks tasks, pipeline cache verify the store',
  },
  write_out: { flags: '-w, --write-out', why: 'pipeline tasks show NAME shows a doc as it is asked' },
  log_samples_suffix: { flags: '--log-samples-suffix <text>', why: 'files are named by run and task' },
  apply_chat_template: {
    flags: '--apply-chat-template',
    why: 'conversations are sent as messages, and the server applies its chat template',
  },
  show_config: { flags: '--show-config', why: 'pipeline report RUN --json prints the settings' },
  verbosity: { flags: '-v, --verbosity <level>', why: 'messages have one level; --quiet prints less' },
  timezone: { flags: '--timezone <name>', why: 'times are written in UTC' },
  trust_remote_code: { flags: '--trust-remote-code', why: 'no code comes with datasets' },
  process_with_media: {
    flags: '--process-with-media',
    why: 'process_results gets media if the task file says process_results_use_image: true',
  },
  agentic_trace_mode: { flags: '--agentic-trace-mode <mode>', why: 'all turns of a conversation are always stored' },
} as const satisfies Readonly<Record<string, Unused>>

type UnusedKey = keyof typeof unused

const names = Object.keys(unused) as UnusedKey[]

const anything = z.json().describe('anything').optional()

/** Keys of other tools that a configuration file may contain although they do nothing. */
export const unusedKeys = Object.fromEntries(names.map(name => [name, anything])) as Record<UnusedKey, typeof anything>

/** Returns the ignored keys in a file, by the names of their flags. */
export const unusedKeysIn = (config: { readonly [Name in UnusedKey]?: unknown }): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    names
      .filter(name => config[name] !== undefined && config[name] !== false && config[name] !== '')
      .map(name => [name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), config[name]]),
  )
