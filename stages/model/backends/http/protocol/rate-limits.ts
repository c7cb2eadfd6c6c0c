import type { RateLimit, RateLimits } from '../../../model.js'

/** The header names for one kind of limit. */
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
 * Reads the server's rate limits from the headers of a response. Returns undefined if there are none.
 *
 * It reads OpenAI's `x-ratelimit-…-requests` and `…-tokens` (also Azure, Groq, Fireworks and vLLM's gateways),
 * Anthropic's `anthropic-ratelimit-…`, the unnamed `x-ratelimit-…` (OpenRouter, Together) and `ratelimit-…` of the
 * IETF's draft.
 */
export function readRateLimits(headers: Headers): RateLimits | undefined {
  const requests = readLimitHeaders(headers, requestHeaders)
  const tokens = readLimitHeaders(headers, tokenHeaders)
  if (requests === undefined && tokens === undefined) return undefined
  return { ...(requests === undefined ? {} : { requests }), ...(tokens === undefined ? {} : { tokens }) }
}

/** Computes the milliseconds until a used-up limit is reset. @returns undefined if none is used up, or no time is stated */
export function exhaustedFor({ requests, tokens }: RateLimits): number | undefined {
  const waits = [requests, tokens].flatMap(limit =>
    limit?.remaining === 0 && limit.resetMs !== undefined ? [limit.resetMs] : [],
  )
  return waits.length === 0 ? undefined : Math.max(...waits)
}

function readLimitHeaders(headers: Headers, names: LimitHeaders): RateLimit | undefined {
  const limit = parseCount(findHeader(headers, names.limit))
  const remaining = parseCount(findHeader(headers, names.remaining))
  if (limit === undefined && remaining === undefined) return undefined
  const resetMs = computeResetMs(findHeader(headers, names.reset), headerText(headers['date']))
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(resetMs === undefined ? {} : { resetMs }),
  }
}

function findHeader(headers: Headers, names: readonly string[]): string {
  for (const name of names) {
    const value = headers[name]
    if (value !== undefined) return headerText(value)
  }
  return ''
}

/** Returns the text of a header. If it came several times, the first counts. */
export const headerText = (header: string | readonly string[] | undefined): string =>
  (typeof header === 'string' ? header : header?.[0]) ?? ''

/** Parses a number of at least 0. The IETF's form may continue after it (`100;w=60`). */
function parseCount(text: string): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)\s*(?:[;,].*)?$/.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** A larger number is a time since 1970, because no wait is that long. */
const leastEpochSeconds = 1_000_000_000
const leastEpochMilliseconds = 1_000_000_000_000

/**
 * Computes the milliseconds until a limit is reset. The text is a duration (`6m0s`, `1h2m`, `120ms`), seconds (`0.5`),
 * seconds or milliseconds since 1970, or a date. Points in time are compared with the server's own clock.
 *
 * @param date the `date` header of the same response
 */
export function computeResetMs(text: string, date: string): number | undefined {
  const value = text.trim()
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value)
    if (number >= leastEpochMilliseconds) return sinceDate(number, date)
    return number >= leastEpochSeconds ? sinceDate(number * 1000, date) : number * 1000
  }
  return parseDuration(value) ?? sinceDate(Date.parse(value), date)
}

function sinceDate(time: number, date: string): number | undefined {
  const wait = time - Date.parse(date)
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** Parses a duration in Go's format: `6m0s`, `1h2m3.5s`, `120ms`. @returns milliseconds, or undefined if it is invalid */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|[dhms]))+$/.test(text)) return undefined
  let sum = 0
  for (const [, number = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)) {
    sum += Number(number) * (unitMs[unit] ?? 0)
  }
  return sum
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Reads the milliseconds to wait from `retry-after-ms` or `retry-after`, as seconds or a date by the server's clock. */
export function readRetryAfter(headers: Headers): number | undefined {
  const exact = Number.parseFloat(headerText(headers['retry-after-ms']))
  if (exact >= 0) return exact
  const after = headerText(headers['retry-after'])
  if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Number.parseFloat(after) * 1000
  const wait = Date.parse(after) - Date.parse(headerText(headers['date']))
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
