/** The measured token usage of one model, from which the cost of its next request is estimated. */
import type { Usage } from '../../../cache/records.js'
import { estimateInput, mostOutput, type TokenRange } from './estimate.js'
import type { GatedRequest } from './gate.js'
import { computeCost, type Price } from './price.js'

export interface ModelUsage {
  /** Without a price, the cost of requests is unknown and not limited. */
  readonly price?: Price | undefined
  answered: number
  /** The most output tokens of an answer so far. */
  mostOutput: number
  /** The highest ratio of actual to estimated input tokens so far. */
  inputFactor: number
}

export const noUsage: ModelUsage = { answered: 0, mostOutput: 0, inputFactor: 1 }

/** The estimated tokens of a request. */
export interface Need {
  readonly guessed: TokenRange
  readonly inputTokens: number
  readonly outputTokens: number
}

export const noNeed: Need = { guessed: { low: 0, likely: 0, high: 0 }, inputTokens: 0, outputTokens: 0 }

export interface Amount {
  readonly tokens: number
  readonly dollars: number
}

/** Estimates a request: from the answers so far, or before the first one by its maximum. */
export function estimatedNeed(model: ModelUsage, { input, generation }: GatedRequest): Need {
  const guessed = estimateInput(input)
  return {
    guessed,
    inputTokens: model.answered > 0 ? Math.ceil(guessed.likely * model.inputFactor) : guessed.high,
    outputTokens: model.answered > 0 ? model.mostOutput : mostOutput(input, generation),
  }
}

/** Updates the usage by the tokens of an answer. */
export function noteAnswer(
  model: ModelUsage,
  { guessed }: Need,
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
): void {
  model.mostOutput = Math.max(model.mostOutput, outputTokens)
  const factor = inputTokens / Math.max(1, guessed.likely)
  model.inputFactor = model.answered === 0 ? factor : Math.max(model.inputFactor, factor)
  model.answered += 1
}

/** Computes the total price of tokens. */
export function computeAmount({ price }: Pick<ModelUsage, 'price'>, usage: Usage): Amount {
  const { inputTokens = 0, outputTokens = 0 } = usage
  return { tokens: inputTokens + outputTokens, dollars: price === undefined ? 0 : (computeCost(usage, price) ?? 0) }
}
