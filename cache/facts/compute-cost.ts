import type { Usage } from '../records.js'

/** Prices in dollars per million tokens. */
export interface TokenPrices {
  readonly input: number
  /** All generated tokens, including reasoning. */
  readonly output: number
  /** Input tokens from the provider's cache. @default input */
  readonly cached?: number | undefined
}

/** The prices of one model. */
export interface Price extends TokenPrices {
  /** Audio tokens of the input. @default input */
  readonly audio?: number | undefined
  /** The prices of a whole request whose input has more than this many tokens. */
  readonly above?: (TokenPrices & { readonly tokens: number }) | undefined
  /** The share of the price in a batch API. @default 1 */
  readonly batch?: number | undefined
  /** The date on which the price was looked up, and the source. */
  readonly date?: string | undefined
  readonly source?: string | undefined
}

/**
 * Computes the cost of a request in dollars. Undefined if its tokens were not counted.
 *
 * Output tokens include reasoning, and input tokens include cached ones, as in `Usage`. Neither is paid twice.
 */
export function computeCost(
  usage: Usage,
  price: Price,
  { isBatch = false }: { readonly isBatch?: boolean } = {},
): number | undefined {
  const { inputTokens, outputTokens, cachedTokens = 0, audioTokens = 0 } = usage
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const rate = price.above !== undefined && inputTokens > price.above.tokens ? price.above : price
  const cached = Math.min(cachedTokens, inputTokens)
  const audio = Math.min(audioTokens, inputTokens - cached)
  const fresh = inputTokens - cached - audio
  const dollars =
    fresh * rate.input +
    cached * (rate.cached ?? rate.input) +
    audio * (price.audio ?? rate.input) +
    outputTokens * rate.output
  return (dollars * (isBatch ? (price.batch ?? 1) : 1)) / 1_000_000
}
