/** How much one command may spend, from its flags or its configuration file. */
import { z } from 'zod'
import { PipelineError } from '../../base/errors.js'
import type { LimitSettings } from '../evaluation/settings.js'
import { present } from '../../base/present.js'

/** The flags, as typed; values are checked already. */
export interface LimitFlags {
  readonly maxRequests?: number
  readonly maxTokensTotal?: number
  readonly maxCost?: number
  /** Milliseconds. */
  readonly maxTime?: number
  readonly failFast?: number
  readonly prices?: string
}

const units: Readonly<Record<string, number>> = { '': 1_000, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }
const expectedTime = 'a time such as 90s, 10m, 1.5h, 1h30m, or seconds'

/** Milliseconds of `90s`, `10m`, `1h30m`, or of a number of seconds; undefined where it is none of them. */
export function milliseconds(text: string): number | undefined {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)\s*(min|h|m|s|$)\s*/gy)]
  const isWhole = parts.map(([part]) => part).join('') === text.trim()
  const sum = parts.reduce((total, [, number, unit = '']) => total + Number(number) * (units[unit] ?? Number.NaN), 0)
  return isWhole && sum > 0 ? sum : undefined
}

/** Reads `--max-time`. */
export function durationIn(text: string): number {
  const time = milliseconds(text)
  if (time !== undefined) return time
  throw new PipelineError('usage', `--max-time: expected ${expectedTime}, given "${text}"`)
}

/** Reads `--max-cost`: dollars, with a dollar sign or without. */
export function dollarsIn(text: string): number {
  const value = /^\$?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text.replace('$', '')) : Number.NaN
  if (Number.isFinite(value)) return value
  throw new PipelineError('usage', `--max-cost: expected dollars such as 2.50, given "${text}"`)
}

/** What may stand in a configuration file. Descriptions go into errors. */
export const limitKeys = {
  max_requests: z.int().nonnegative().describe('a whole number, 0 or more').optional(),
  max_tokens_total: z.int().nonnegative().describe('a whole number, 0 or more').optional(),
  max_cost: z.number().nonnegative().describe('dollars, such as 2.50').optional(),
  max_time: z
    .union([z.string(), z.number().positive().transform(String)])
    .refine(text => milliseconds(text) !== undefined)
    .describe(expectedTime)
    .optional(),
  fail_fast: z.int().positive().describe('a whole number, 1 or more').optional(),
  prices: z.string().describe('a file of prices').optional(),
}

type LimitConfig = { readonly [Key in keyof typeof limitKeys]?: z.output<(typeof limitKeys)[Key]> }

export function limitSettings(flags: LimitFlags, config: LimitConfig): LimitSettings {
  const { max_time: time } = config
  return present({
    maxRequests: flags.maxRequests ?? config.max_requests,
    maxTokensTotal: flags.maxTokensTotal ?? config.max_tokens_total,
    maxCost: flags.maxCost ?? config.max_cost,
    maxTime: flags.maxTime ?? (time === undefined ? undefined : milliseconds(time)),
    failFast: flags.failFast ?? config.fail_fast,
    prices: flags.prices ?? config.prices,
  })
}
