import { computeCost, type Price } from '../../../cache/facts/compute-cost.js'
import type { AttemptFacts } from '../../../cache/records.js'

/** The attempt that gave an answer, as scoring sees it. Unknown values are absent. */
export interface ScoredAttempt {
  /** The duration of the attempt that was answered, without waits and failed attempts before. Unknown for a batch. */
  readonly seconds?: number | undefined
  /** The tokens that the server counted. */
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** The cost in dollars. */
  readonly cost?: number | undefined
}

/** Turns the stored facts of an attempt into what scoring sees. @param price the price of the model, if it is known */
export function makeScoredAttempt(facts: AttemptFacts, price: Price | undefined): ScoredAttempt {
  const { seconds, inputTokens, outputTokens, isBatch } = facts
  const cost = price && computeCost(facts, price, isBatch === undefined ? {} : { isBatch })
  return { seconds, inputTokens, outputTokens, cost }
}

/** Adds attempts, as those of the choices of a doc. A sum with an unknown part is unknown. */
export function addAttempts(attempts: readonly ScoredAttempt[]): ScoredAttempt {
  const sum = (pick: (attempt: ScoredAttempt) => number | undefined): number | undefined => {
    const values = attempts.map(pick)
    return values.reduce<number | undefined>(
      (total, value) => (total === undefined || value === undefined ? undefined : total + value),
      0,
    )
  }
  return {
    seconds: sum(attempt => attempt.seconds),
    inputTokens: sum(attempt => attempt.inputTokens),
    outputTokens: sum(attempt => attempt.outputTokens),
    cost: sum(attempt => attempt.cost),
  }
}
