import { createHash } from 'node:crypto'

/** How the next token is drawn. */
export interface SamplingRules {
  /** Above 0. */
  readonly temperature: number
  /** Only the likeliest tokens whose probabilities add up to this; 1 for all. */
  readonly topP: number
  /** Only so many of the likeliest tokens; 0 for all. */
  readonly topK: number
}

/**
 * Numbers in [0, 1) that depend on `seed` alone: the same request with the same seed and sample index is answered alike,
 * whenever and by whichever thread it is asked.
 */
export function drawsFrom(seed: string): () => number {
  let drawn = 0
  return () => {
    const bytes = createHash('sha256').update(`${seed}/${drawn++}`).digest()
    return bytes.readUIntBE(0, 6) / 2 ** 48
  }
}

/**
 * Draws a token: softmax at the temperature, the `topK` likeliest, of those the nucleus of mass `topP` (at least one
 * token), then by `draw` in [0, 1). Equal probabilities are in the order of token id.
 *
 * Source: Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration" (nucleus sampling).
 */
export function sampleToken(logits: Float32Array, rules: SamplingRules, draw: number): number {
  const greatest = logits.reduce((a, b) => Math.max(a, b), -Infinity)
  const weights = Array.from(logits, (logit, id) => ({ id, weight: Math.exp((logit - greatest) / rules.temperature) }))
  weights.sort((a, b) => b.weight - a.weight || a.id - b.id)
  const kept = nucleus(rules.topK > 0 ? weights.slice(0, rules.topK) : weights, rules.topP)
  let left = draw * mass(kept)
  for (const { id, weight } of kept) {
    left -= weight
    if (left < 0) return id
  }
  return kept.at(-1)?.id ?? 0
}

interface Weighted {
  readonly id: number
  readonly weight: number
}

const mass = (tokens: readonly Weighted[]): number => tokens.reduce((total, token) => total + token.weight, 0)

function nucleus(tokens: readonly Weighted[], topP: number): readonly Weighted[] {
  const enough = topP * mass(tokens)
  let sum = 0
  const end = tokens.findIndex(token => (sum += token.weight) >= enough)
  return end < 0 ? tokens : tokens.slice(0, end + 1)
}
