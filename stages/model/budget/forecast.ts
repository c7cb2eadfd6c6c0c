import { growingColumn } from '../../../base/collections/growing-column.js'
import type { GenerationKwargs, Input, MediaPart, ResponseMeta } from '../../../cache/records.js'
import { addRanges, estimateInput, mostOutput, noTokens, type KnownTokens, type TokenRange } from './estimate.js'
import { computeCost, type Price } from './price.js'

/** The estimated tokens and money of the unsent requests. */
export interface Forecast {
  readonly input: TokenRange
  readonly output: TokenRange
  /** The median output of stored answers. Without these, `output.high` is the maximum that is allowed. */
  readonly medianOutput?: number
  /** True if stored answers of the same task corrected the estimate from the text. */
  readonly isInputMeasured: boolean
  /** The cost in dollars, if a price is known. */
  readonly cost?: TokenRange
  /** The duration of one request in milliseconds, from stored answers. */
  readonly requestMs?: number
  /** The number of media by type. */
  readonly media: { readonly [kind in MediaPart['type']]?: number }
  /** The number of images whose tokens are computed from their size, as the model's provider documents. */
  readonly sizedImages: number
}

const times = ({ low, likely, high }: TokenRange, factor: number): TokenRange => ({
  low: Math.round(low * factor),
  likely: Math.round(likely * factor),
  high: Math.round(high * factor),
})

/** The tolerance of numbers that were measured on other requests of the same kind. */
const measuredMargin = { low: 0.9, likely: 1, high: 1.1 }

/** Predicts the needs of a task's requests from its answered requests. It keeps a few numbers for each answer. */
export class Forecaster {
  #asked = 0
  #input = noTokens
  #mostOutput = 0
  readonly #media: { [kind in MediaPart['type']]?: number } = {}
  readonly #outputs = growingColumn()
  readonly #durations = { sum: 0, count: 0 }
  readonly #seen = { guessed: 0, counted: 0 }
  readonly #known: KnownTokens
  #sizedImages = 0

  /** @param knownTokens returns the tokens of images for the model */
  constructor(knownTokens: KnownTokens = () => undefined) {
    this.#known = knownTokens
  }

  /** Adds a request that is to be sent. */
  ask(input: Input, generation: GenerationKwargs): void {
    this.#asked += 1
    this.#input = addRanges(this.#input, estimateInput(input, this.#known))
    this.#mostOutput += mostOutput(input, generation)
    for (const { content } of input.messages) for (const part of content) if (part.type !== 'text') this.#show(part)
  }

  #show(part: MediaPart): void {
    this.#media[part.type] = (this.#media[part.type] ?? 0) + 1
    if (this.#known(part) !== undefined) this.#sizedImages += 1
  }

  /** Adds a request that has its answer. */
  learn(input: Input, { usage, durationMs, batch }: ResponseMeta): void {
    if (usage?.inputTokens !== undefined) {
      this.#seen.guessed += estimateInput(input, this.#known).likely
      this.#seen.counted += usage.inputTokens
    }
    if (usage?.outputTokens !== undefined) this.#outputs.push(usage.outputTokens)
    if (batch === true) return
    this.#durations.sum += durationMs
    this.#durations.count += 1
  }

  forecast(price: Price | undefined): Forecast {
    const { guessed, counted } = this.#seen
    const isInputMeasured = guessed > 0
    const likely = this.#input.likely * (counted / guessed)
    const input = isInputMeasured ? times(measuredMargin, likely) : this.#input
    const { output, median } = this.#output()
    const { sum, count } = this.#durations
    return {
      input,
      output,
      ...(median === undefined ? {} : { medianOutput: median }),
      isInputMeasured,
      ...(price === undefined ? {} : { cost: this.#cost(price, input, output) }),
      ...(count === 0 ? {} : { requestMs: sum / count }),
      media: this.#media,
      sizedImages: this.#sizedImages,
    }
  }

  /**
   * Estimates the output from the mean of known answers, give or take two standard errors. One answer alone may be off
   * by a factor of two.
   */
  #output(): { readonly output: TokenRange; readonly median?: number } {
    const outputs = this.#outputs.values()
    const count = outputs.length
    if (count === 0) return { output: { low: 0, likely: this.#mostOutput, high: this.#mostOutput } }
    const mean = outputs.reduce((sum, tokens) => sum + tokens, 0) / count
    const squares = outputs.reduce((sum, tokens) => sum + (tokens - mean) ** 2, 0)
    const margin = count === 1 ? mean / 2 : 2 * Math.sqrt(squares / (count - 1) / count)
    const range = { low: Math.max(0, mean - margin), likely: mean, high: mean + margin }
    return { output: times(range, this.#asked), median: computeMedian(outputs) }
  }

  /** Computes the cost. Sums are enough, because prices depend on the request only for very long inputs. */
  #cost(price: Price, input: TokenRange, output: TokenRange): TokenRange {
    const requestCount = Math.max(1, this.#asked)
    const at = (bound: keyof TokenRange): number =>
      requestCount *
      (computeCost({ inputTokens: input[bound] / requestCount, outputTokens: output[bound] / requestCount }, price) ??
        0)
    return { low: at('low'), likely: at('likely'), high: at('high') }
  }
}

function computeMedian(values: Float64Array): number {
  const sorted = values.slice().sort()
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}
