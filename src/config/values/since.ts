import { PipelineError } from '../../../base/errors/errors.js'
import { milliseconds } from '../limits.js'

const dayMs = 86_400_000
const longUnits: Readonly<Record<string, number>> = { d: dayMs, w: 7 * dayMs }

/**
 * Reads a time in the past: an age such as `2d`, `1w` or `3h`, or a date such as `2026-11-20` or `2026-11-20T15:00`. A date without
 * a time is midnight of this machine's time zone.
 *
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970
 * @throws PipelineError (usage) if the text is neither
 */
export function readSince(flag: string, text: string, now: number): number {
  const age = readAge(text)
  if (age !== undefined) return now - age
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00`) : readDateTime(text)
  if (Number.isFinite(at)) return at
  throw new PipelineError(
    'usage',
    `${flag}: expected an age such as 2d, 1w or 3h, or a date such as 2026-11-20, given "${text}"`,
  )
}

/** A bare number could be anything, so an age needs its unit. */
function readAge(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([dw])$/.exec(text) ?? []
  const long = longUnits[unit]
  if (number !== undefined && long !== undefined) return Number(number) * long
  return /[a-z]$/.test(text) ? milliseconds(text) : undefined
}

const readDateTime = (text: string): number => (/^\d{4}-\d{2}-\d{2}T\d/.test(text) ? Date.parse(text) : Number.NaN)
