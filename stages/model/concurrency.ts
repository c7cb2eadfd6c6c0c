import { PipelineError } from '../../base/errors/errors.js'
import type { ConcurrencyBounds } from './schedule/limits/concurrency-controller.js'

/** How many requests may be under way at once: always so many, or as many as the server bears within bounds. */
export type Concurrency = number | ConcurrencyBounds

/** Defaults for an unknown server: enough to keep it busy at first, and not so many that it is flooded. */
const usual: ConcurrencyBounds = { start: 16, min: 1, max: 256 }

/** A backend's arguments about concurrency; all may be absent. */
export interface ConcurrencyArgs {
  readonly num_concurrent?: unknown
  readonly concurrency?: unknown
  readonly batch_size?: unknown
  readonly adaptive_concurrency?: unknown
  readonly adaptive_min_concurrency?: unknown
  readonly adaptive_max_concurrency?: unknown
}

/** What the user says of it by flags. */
export interface ConcurrencyFlags {
  readonly concurrency?: number | 'adaptive' | undefined
  readonly maxConcurrency?: number | undefined
}

/**
 * How many requests are under way at once, by flags, else by the model's arguments, else by what its backend advises.
 *
 * @throws PipelineError where what is said contradicts itself.
 */
export function concurrencyOf(
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
    (isAdaptive === false && advised === 'adaptive' ? usual.start : advised)
  if (typeof wanted === 'number') {
    if (maxConcurrency !== undefined)
      throw new PipelineError(
        'usage',
        `--max-concurrency ${maxConcurrency}: the concurrency is fixed at ${wanted}. Give --concurrency adaptive with it, or --concurrency ${maxConcurrency} alone.`,
      )
    return wanted
  }
  const min = number(args.adaptive_min_concurrency) ?? usual.min
  const max = maxConcurrency ?? number(args.adaptive_max_concurrency) ?? usual.max
  if (min > max) throw new PipelineError('config', `adaptive concurrency: at least ${min} is more than at most ${max}`)
  return { min, max, start: Math.min(max, Math.max(min, count ?? usual.start)) }
}

/** Whether the arguments say how many requests are under way at once. */
export const saysInArgs = (args: ConcurrencyArgs): boolean =>
  (['num_concurrent', 'concurrency', 'batch_size', 'adaptive_max_concurrency'] as const).some(
    name => args[name] !== undefined,
  )

/** The most requests that may be under way at once. */
export const mostOf = (concurrency: Concurrency): number =>
  typeof concurrency === 'number' ? concurrency : concurrency.max

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
