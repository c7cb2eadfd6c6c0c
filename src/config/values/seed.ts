/** Reads lmms-eval's `seed`: seeds of Python, NumPy, PyTorch and examples. Only the examples' seed has a meaning here. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'

const expected = 'one whole number, or three or four with commas between'

/** Reads `--seed`. @returns the seed of examples; undefined where the text gives none */
export function seedIn(text: string): number | undefined {
  if (!isSeed(text)) throw new PipelineError('usage', `--seed: expected ${expected}, given "${text}"`)
  return seedOfExamples(text)
}

const splitParts = (text: string): string[] => text.split(',').map(part => part.trim())

const isSeed = (text: string): boolean => {
  const parts = splitParts(text)
  return parts.every(part => /^\d+$/.test(part) || part.toLowerCase() === 'none') && [1, 3, 4].includes(parts.length)
}

/** lmms-eval takes one number for all four, and its default for a fourth that is left out. */
function seedOfExamples(text: string): number | undefined {
  const parts = splitParts(text)
  const seed = Number(parts.length === 3 ? undefined : parts.at(-1))
  return Number.isNaN(seed) ? undefined : seed
}

const oneSeed = z.union([z.number(), z.string(), z.null()])

/** The schema for configuration files, in which the numbers may be a list. */
export const seedValue = z
  .union([oneSeed, z.array(oneSeed)])
  .transform(value =>
    [value]
      .flat()
      .map(part => String(part ?? 'none'))
      .join(),
  )
  .refine(isSeed)
  .transform(seedOfExamples)
  .describe(`${expected} or as a list; the last is fewshot_seed`)
