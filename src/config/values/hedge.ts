/** Reads when a slow request is hedged, from flags or configuration file. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import type { HedgeAfter } from '../../../stages/model/schedule/loop/hedge-rule.js'
import { milliseconds } from '../limits.js'

const standard: HedgeAfter = { quantile: 0.95 }
const expected = 'a percentile of the latencies such as p95, or a time such as 30s'

/** Parses `p95`, `30s`, `2m`, or a number of seconds; undefined if it is none of them. */
function hedgeAfter(text: string): HedgeAfter | undefined {
  const [, percent] = /^p(\d{1,2}(?:\.\d+)?)$/i.exec(text.trim()) ?? []
  if (percent !== undefined) return Number(percent) > 0 ? { quantile: Number(percent) / 100 } : undefined
  const ms = milliseconds(text)
  return ms === undefined ? undefined : { ms }
}

/** Reads `--hedge`. */
export function hedgeIn(text: string): HedgeAfter {
  const after = hedgeAfter(text)
  if (after !== undefined) return after
  throw new PipelineError('usage', `--hedge: expected ${expected}, given "${text}"`)
}

/** The flag without a value says `true`, and `--no-hedge` says `false`. */
export type HedgeFlag = HedgeAfter | boolean

/** The schema for configuration files. */
export const hedgeValue = z
  .union([z.boolean(), z.string(), z.number().transform(String)])
  .refine(value => typeof value === 'boolean' || hedgeAfter(value) !== undefined)
  .transform((value): HedgeFlag => (typeof value === 'boolean' ? value : hedgeIn(value)))
  .describe(`true, false, ${expected}`)

/** The schema for programs. */
export const hedgeInProgram = z
  .union([z.boolean(), z.string()])
  .refine(value => typeof value === 'boolean' || hedgeAfter(value) !== undefined)
  .describe(`true, false, ${expected}`)

/** Converts the flag to the rule for hedged copies. Undefined means never. */
export const settledHedge = (flag: HedgeFlag): HedgeAfter | undefined =>
  flag === true ? standard : flag === false ? undefined : flag

/** The form that is stored with a run. */
export function writtenHedge(after: HedgeAfter): string {
  return 'ms' in after ? `${after.ms / 1_000}s` : `p${Number((100 * after.quantile).toPrecision(6))}`
}
