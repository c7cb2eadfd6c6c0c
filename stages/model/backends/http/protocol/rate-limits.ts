import type { RateLimit, RateLimits } from '../../../model.js'

/** Names of the headers that say one kind of limit. */
interface LimitHeaders {
  readonly limit: readonly string[]
  readonly remaining: readonly string[]
  readonly reset: readonly string[]
}

const requestHeaders: LimitHeaders = {
  limit: ['x-ratelimit-limit-requests', 'anthropic-ratelimit-requests-limit', 'x-ratelimit-limit', 'ratelimit-limit'],
  remaining: [
    'x-ratelimit-remaining-requests',
    'anthropic-ratelimit-requests-remaining',
    'x-ratelimit-remaining',
    'ratelimit-remaining',
  ],
  reset: ['x-ratelimit-reset-requests', 'anthropic-ratelimit-requests-reset', 'x-ratelimit-reset', 'ratelimit-reset'],
}

const tokenHeaders: LimitHeaders = {
  limit: [
    'x-ratelimit-limit-tokens',
    'anthropic-ratelimit-tokens-limit',
    'anthropic-ratelimit-input-tokens-limit',
    'x-tokenlimit-limit',
  ],
  remaining: [
    'x-ratelimit-remaining-tokens',
    'anthropic-ratelimit-tokens-remaining',
    'anthropic-ratelimit-input-tokens-remaining',
    'x-tokenlimit-remaining',
  ],
  reset: [
    'x-ratelimit-reset-tokens',
    'anthropic-ratelimit-tokens-reset',
    'anthropic-ratelimit-input-tokens-reset',
    'x-tokenlimit-reset',
  ],
}

/**
 * What an answer's headers say of the server's limits; undefined where they say nothing.
 *
 * Read are OpenAI's `x-ratelimit-…-requests` and `…-tokens` (also Azure, Groq, Fireworks and vLLM's gateways), Anthropic's
 * `anthropic-ratelimit-…`, the unnamed `x-ratelimit-…` (OpenRouter, Together) and `ratelimit-…` of the IETF's draft.
 */
export function rateLimitsOf(headers: Headers): RateLimits | undefined {
  const requests = limitOf(headers, requestHeaders)
  const tokens = limitOf(headers, tokenHeaders)
  if (requests === undefined && tokens === undefined) return undefined
  return { ...(requests === undefined ? {} : { requests }), ...(tokens === undefined ? {} : { tokens }) }
}

/** Milliseconds until what is used up is granted again; undefined where nothing is, or no time is said. */
export function exhaustedFor({ requests, tokens }: RateLimits): number | undefined {
  const waits = [requests, tokens].flatMap(limit =>
    limit?.remaining === 0 && limit.resetMs !== undefined ? [limit.resetMs] : [],
  )
  return waits.length === 0 ? undefined : Math.max(...waits)
}

function limitOf(headers: Headers, names: LimitHeaders): RateLimit | undefined {
  const limit = countOf(valueOf(headers, names.limit))
  const remaining = countOf(valueOf(headers, names.remaining))
  if (limit === undefined && remaining === undefined) return undefined
  const resetMs = resetOf(valueOf(headers, names.reset), headerText(headers['date']))
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(resetMs === undefined ? {} : { resetMs }),
  }
}

function valueOf(headers: Headers, names: readonly string[]): string {
  for (const name of names) {
    const value = headers[name]
    if (value !== undefined) return headerText(value)
  }
  return ''
}

/** The text of a header; of one that came several times, its first. */
export const headerText = (header: string | readonly string[] | undefined): string =>
  (typeof header === 'string' ? header : header?.[0]) ?? ''

/** A number of at least 0; the IETF's form may go on after it (`100;w=60`). */
function countOf(text: string): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)\s*(?:[;,].*)?$/.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Seconds since 1970 are greater than this, and no wait is that long. */
const leastEpochSeconds = 1_000_000_000
const leastEpochMilliseconds = 1_000_000_000_000

/**
 * Milliseconds until a limit is full again, written as a duration (`6m0s`, `1h2m`, `120ms`), seconds (`0.5`), seconds or
 * milliseconds since 1970, or a date. Points in time are measured by the server's own clock.
 *
 * @param date the header `date` of the same answer
 */
export function resetOf(text: string, date: string): number | undefined {
  const value = text.trim()
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value)
    if (number >= leastEpochMilliseconds) return sinceDate(number, date)
    return number >= leastEpochSeconds ? sinceDate(number * 1000, date) : number * 1000
  }
  return durationOf(value) ?? sinceDate(Date.parse(value), date)
}

function sinceDate(time: number, date: string): number | undefined {
  const wait = time - Date.parse(date)
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** Milliseconds of a duration as Go writes it: `6m0s`, `1h2m3.5s`, `120ms`; undefined where it is none. */
export function durationOf(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|[dhms]))+$/.test(text)) return undefined
  let sum = 0
  for (const [, number = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)) {
    sum += Number(number) * (unitMs[unit] ?? 0)
  }
  return sum
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Milliseconds that the server asks to wait, as `retry-after-ms`, seconds, or a date by the server's own clock. */
export function retryAfterOf(headers: Headers): number | undefined {
  const exact = Number.parseFloat(headerText(headers['retry-after-ms']))
  if (exact >= 0) return exact
  const after = headerText(headers['retry-after'])
  if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Number.parseFloat(after) * 1000
  const wait = Date.parse(after) - Date.parse(headerText(headers['date']))
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
