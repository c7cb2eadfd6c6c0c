import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import type { ConcurrencyBounds } from './schedule/limits/concurrency-controller.js'

/** The maximum number of requests in flight: fixed, or adapted to the server within bounds. */
export type Concurrency = number | ConcurrencyBounds

/** The default for an unknown server: enough to keep it busy at first, without flooding it. */
const defaults: ConcurrencyBounds = { start: 16, min: 1, max: 256 }

/** The backend arguments for concurrency. All are optional. */
export interface ConcurrencyArgs {
  readonly num_concurrent?: unknown
  readonly concurrency?: unknown
  readonly batch_size?: unknown
  readonly adaptive_concurrency?: unknown
  readonly adaptive_min_concurrency?: unknown
  readonly adaptive_max_concurrency?: unknown
}

/** The command's flags for concurrency. */
export interface ConcurrencyFlags {
  readonly concurrency?: number | 'adaptive' | undefined
  readonly maxConcurrency?: number | undefined
}

/**
 * Decides the maximum number of requests in flight. Flags win over the model's arguments, these over the backend's
 * default.
 *
 * @throws PipelineError if the settings contradict each other
 */
export function chooseConcurrency(
  advised: number | 'adaptive',
  args: ConcurrencyArgs,
  { concurrency: flag, maxConcurrency }: ConcurrencyFlags = {},
): Concurrency {
  const count = number(args.num_concurrent) ?? number(args.concurrency) ?? number(args.batch_size)
  const isAdaptive = args.adaptive_concurrency
  const wanted =
    flag ??
    (isAdaptive === true ? 'adaptive' : undefined) ??
    count ??
    (isAdaptive === false && advised === 'adaptive' ? defaults.start : advised)
  if (typeof wanted === 'number') {
    if (maxConcurrency !== undefined)
      throw new PipelineError(
        'usage',
        `${option('maxConcurrency', maxConcurrency)}: the concurrency is fixed at ${wanted}. Give ${option('concurrency', 'adaptive')} with it, or ${option('concurrency', maxConcurrency)} alone.`,
        { reason: 'concurrency-fixed', data: { concurrency: wanted, maxConcurrency } },
      )
    return wanted
  }
  const min = number(args.adaptive_min_concurrency) ?? defaults.min
  const max = maxConcurrency ?? number(args.adaptive_max_concurrency) ?? defaults.max
  if (min > max) throw new PipelineError('config', `adaptive concurrency: at least ${min} is more than at most ${max}`)
  return { min, max, start: Math.min(max, Math.max(min, count ?? defaults.start)) }
}

/** Tells whether the arguments set the concurrency. */
export const saysInArgs = (args: ConcurrencyArgs): boolean =>
  (['num_concurrent', 'concurrency', 'batch_size', 'adaptive_max_concurrency'] as const).some(
    name => args[name] !== undefined,
  )

/** Returns the highest possible number of requests in flight. */
export const computeMaxConcurrency = (concurrency: Concurrency): number =>
  typeof concurrency === 'number' ? concurrency : concurrency.max

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
