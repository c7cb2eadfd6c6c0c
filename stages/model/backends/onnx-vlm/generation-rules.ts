import { z } from 'zod'
import { didYouMean } from '../../../../base/suggest.js'
import type { GenerationKwargs } from '../../../../cache/records.js'
import { AttemptError } from '../../define-backend.js'
import type { SamplingRules } from './sampling.js'

/** How one answer is generated. */
export interface GenerationRules {
  readonly maxNewTokens: number
  /** The text ends before the first of these. */
  readonly until: readonly string[]
  /** Absent: greedy. */
  readonly sampling?: SamplingRules
  readonly seed: number
}

// A value at the default that keys leave out must mean the same as no value at all: temperature alone decides whether
// tokens are sampled, and `do_sample: false` says nothing.
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

/** @throws AttemptError `invalid_request` for what this backend does not do, since an answer without it is another one. */
export function generationRules(generation: GenerationKwargs, defaultMaxNewTokens: number): GenerationRules {
  const result = schema.safeParse(generation)
  if (!result.success) throw refuse(result.error.issues.map(describe).join('; '))
  const { temperature = 0, top_p = 1, top_k = 0, ...kwargs } = result.data
  if (kwargs.do_sample === true && temperature === 0) throw refuse('do_sample needs a temperature above 0')
  return {
    maxNewTokens: kwargs.max_new_tokens ?? defaultMaxNewTokens,
    until: kwargs.until ?? [],
    ...(temperature > 0 && { sampling: { temperature, topP: top_p, topK: top_k } }),
    seed: kwargs.seed ?? 0,
  }
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return `${issue.path.join('.')}: ${issue.message}`
  return issue.keys.map(key => `${key}: no such argument.${didYouMean(key, Object.keys(schema.shape))}`).join('; ')
}

const refuse = (why: string) =>
  new AttemptError('invalid_request', `onnx_vlm cannot generate so: ${why}`, { isRetryable: false })
