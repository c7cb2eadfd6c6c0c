import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import type { Json } from '../../base/canonical-json.js'
import type { GenerationKwargs, JsonObject, RequestType } from '../../cache/records.js'

/** Something that is wrong with one kwarg. */
export interface KwargProblem {
  readonly name: string
  readonly text: string
}

const kwargs = {
  max_new_tokens: z.int('a whole number, 1 or more').min(1, 'a whole number, 1 or more'),
  // Task files also write it as a text.
  temperature: z.preprocess(
    value => (typeof value === 'string' && /^\s*\d*\.?\d+([eE][-+]?\d+)?\s*$/.test(value) ? Number(value) : value),
    z.number('a number, 0 or more').min(0, 'a number, 0 or more'),
  ),
  top_p: z.number('a number from 0 to 1').min(0, 'a number from 0 to 1').max(1, 'a number from 0 to 1'),
  top_k: z.int('a whole number'),
  do_sample: z.boolean('true or false'),
  num_beams: z.int('a whole number, 1 or more').min(1, 'a whole number, 1 or more'),
  repetition_penalty: z.number('a number above 0').positive('a number above 0'),
  seed: z.int('a whole number'),
  max_agentic_steps: z.int('a whole number, 1 or more').min(1, 'a whole number, 1 or more'),
  until: z.union([z.string().transform(text => [text]), z.array(z.string())], 'a text or a list of texts'),
}

type KwargName = keyof typeof kwargs

/**
 * Generation kwargs with their types: one text for `until` is a list of one, and `null` says nothing. Names that are not
 * known here are the backend's, unless they are a known one misspelt.
 */
export function readGeneration(given: JsonObject): {
  readonly generation: GenerationKwargs
  readonly problems: readonly KwargProblem[]
} {
  const problems: KwargProblem[] = []
  const read: Record<string, GenerationKwargs[string]> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    if (!isKnown(name)) {
      const meant = misspelt(name)
      if (meant === undefined) read[name] = value
      else problems.push({ name, text: `no such argument. Did you mean "${meant}"?` })
      continue
    }
    const parsed = kwargs[name].safeParse(value)
    if (parsed.success) read[name] = parsed.data
    else
      problems.push({ name, text: `expected ${parsed.error.issues[0]?.message ?? ''}, given ${JSON.stringify(value)}` })
  }
  return { generation: read, problems }
}

/**
 * A task's own kwargs with what holds where the file says nothing: answers end at the delimiter of examples, and are not
 * sampled where there are no kwargs at all. lmms-eval's `TaskConfig`.
 */
export function withDefaults(
  given: Readonly<Record<string, Json>> | undefined,
  delimiter: string | null,
): Record<string, Json> {
  const until = delimiter === null ? null : [delimiter]
  if (given === undefined) return { until, do_sample: false }
  const { generation } = readGeneration(given)
  const typed = Object.entries(generation).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { ...given, ...(Object.fromEntries(typed) as Record<string, Json>), ...('until' in given ? {} : { until }) }
}

/** Whether an answer is written, so that kwargs say how. */
export const isGenerated = (type: RequestType | 'multiple_choice'): boolean => type.startsWith('generate_until')

const isKnown = (name: string): name is KwargName => name in kwargs

/** Short names are left alone: a letter more or less makes another argument of them (`top_a`, `min_p`). */
const misspelt = (name: string): string | undefined =>
  name === 'max_tokens'
    ? 'max_new_tokens'
    : Object.keys(kwargs).find(known => known.length > 6 && distance(known, name) <= 2)
