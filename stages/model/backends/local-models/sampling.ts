import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import { mistakeLines } from '../../../../base/errors/schema-mistakes.js'
import type { GenerationKwargs } from '../../../../cache/records.js'
import { AttemptError } from '../../model.js'

/** Rules for generating one answer. */
export interface GenerationRules {
  readonly maxNewTokens: number
  /** The stop sequences. The text ends before the first of them. */
  readonly until: readonly string[]
  /** The sampling rules. Absent for greedy decoding. */
  readonly sampling?: SamplingRules
  readonly seed: number
}

// A value at the default that keys leave out must mean the same as no value. Therefore only the temperature decides
// whether tokens are sampled, and `do_sample: false` has no effect.
const schema = z.strictObject({
  max_new_tokens: z.number().int().positive().optional(),
  until: z.array(z.string().min(1)).optional(),
  temperature: z.number().nonnegative().optional(),
  top_p: z.number().positive().max(1).optional(),
  top_k: z.number().int().nonnegative().optional(),
  seed: z.number().int().optional(),
  do_sample: z.boolean().optional(),
  num_beams: z.literal(1).optional(),
  repetition_penalty: z.literal(1).optional(),
})

/** @throws AttemptError `invalid_request` for unsupported settings, since ignoring them would change the answer */
export function generationRules(
  generation: GenerationKwargs,
  { backend, defaultMaxNewTokens }: { readonly backend: string; readonly defaultMaxNewTokens: number },
): GenerationRules {
  const refuse = (why: string) =>
    new AttemptError('invalid_request', `${backend} cannot generate so: ${why}`, { isRetryable: false })
  const result = schema.safeParse(generation)
  if (!result.success) throw refuse(mistakeLines(result.error.issues, generation, ofKwargs).join('; '))
  const { temperature = 0, top_p = 1, top_k = 0, ...kwargs } = result.data
  if (kwargs.do_sample === true && temperature === 0) throw refuse('do_sample needs a temperature above 0')
  return {
    maxNewTokens: kwargs.max_new_tokens ?? defaultMaxNewTokens,
    until: kwargs.until ?? [],
    ...(temperature > 0 && { sampling: { temperature, topP: top_p, topK: top_k } }),
    seed: kwargs.seed ?? 0,
  }
}

const ofKwargs = { whole: 'the generation kwargs', unknown: 'no such argument', known: Object.keys(schema.shape) }

/**
 * Selects tokens: greedily, or by draws that depend on the seed and on `request` (sample index and prompt). One seed
 * thus draws differently for each prompt.
 */
export function tokenPicker(
  { sampling, seed }: Pick<GenerationRules, 'sampling' | 'seed'>,
  request: readonly Json[],
): (logits: Float32Array) => number {
  if (sampling === undefined) return argmax
  const draw = drawsFrom(JSON.stringify([seed, ...request]))
  return logits => sampleToken(logits, sampling, draw())
}

/** Cuts the text before the first stop sequence. Undefined if it has none. */
export function cutAtStop(until: readonly string[], readText: () => string): string | undefined {
  if (until.length === 0) return undefined
  const text = readText()
  const positions = until.map(stop => text.indexOf(stop)).filter(at => at >= 0)
  return positions.length === 0 ? undefined : text.slice(0, Math.min(...positions))
}

/** Rules for drawing the next token. */
interface SamplingRules {
  /** The temperature, above 0. */
  readonly temperature: number
  /** The mass of the nucleus: only the likeliest tokens that reach this total probability. 1 for all. */
  readonly topP: number
  /** The maximum number of likeliest tokens. 0 for all. */
  readonly topK: number
}

/**
 * Returns numbers in [0, 1) that depend only on `seed`. The same request with the same seed and sample index gets the
 * same answer, whenever and in whichever thread it is computed.
 */
export function drawsFrom(seed: string): () => number {
  let drawn = 0
  return () => {
    const bytes = createHash('sha256').update(`${seed}/${drawn++}`).digest()
    return bytes.readUIntBE(0, 6) / 2 ** 48
  }
}

/**
 * Draws a token. It applies softmax at the temperature, then keeps the `topK` likeliest tokens, then the nucleus of
 * mass `topP` (at least one token). `draw` in [0, 1) selects among these. Equal probabilities are in the order of token
 * id.
 *
 * Source: Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration" (nucleus sampling).
 */
export function sampleToken(logits: Float32Array, rules: SamplingRules, draw: number): number {
  const greatest = logits.reduce((a, b) => Math.max(a, b), -Infinity)
  const weights = Array.from(logits, (logit, id) => ({ id, weight: Math.exp((logit - greatest) / rules.temperature) }))
  weights.sort((a, b) => b.weight - a.weight || a.id - b.id)
  const candidates = nucleus(rules.topK > 0 ? weights.slice(0, rules.topK) : weights, rules.topP)
  let remainingMass = draw * mass(candidates)
  for (const { id, weight } of candidates) {
    remainingMass -= weight
    if (remainingMass < 0) return id
  }
  return candidates.at(-1)?.id ?? 0
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

/** Returns the index of the greatest value. Among equal values, it is the first. */
export function argmax(values: Float32Array): number {
  let best = 0
  let greatest = -Infinity
  values.forEach((value, i) => {
    if (value > greatest) {
      greatest = value
      best = i
    }
  })
  return best
}

/** The natural logarithm of the softmax at `index`, in double precision. */
export function logSoftmaxAt(logits: Float32Array, index: number): number {
  const greatest = logits.reduce((a, b) => Math.max(a, b), -Infinity)
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - greatest), 0)
  return (logits[index] ?? Number.NaN) - greatest - Math.log(sum)
}
