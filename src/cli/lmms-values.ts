import { z } from 'zod'
import { PipelineError } from '../../base/errors.js'
import { defaultReasoningTags } from '../../stages/judge/reasoning.js'

/** Reads lmms-eval's `--seed`: of Python, NumPy, PyTorch and examples. Only examples are drawn here. @returns theirs */
export function seedIn(text: string): number | undefined {
  const parts = text.split(',').map(part => part.trim())
  const isSeed = parts.every(part => /^\d+$/.test(part) || part === 'None') && [1, 4].includes(parts.length)
  const last = parts.at(-1) ?? ''
  if (isSeed) return last === 'None' ? undefined : Number(last)
  throw new PipelineError('usage', `--seed: expected one whole number, or four with commas between, given "${text}"`)
}

const pairs = z.array(z.tuple([z.string(), z.string()]))

/** Reads lmms-eval's `--reasoning-tags`: whatever is not usual belongs to what a task is, and stands in its file. */
export function reasoningTagsIn(text: string): string {
  const given = pairs.safeParse(parsed(text))
  const isUsual =
    given.success && JSON.stringify([...given.data].sort()) === JSON.stringify([...defaultReasoningTags].sort())
  if (isUsual) return text
  throw new PipelineError(
    'usage',
    `--reasoning-tags: here a task says it, since it changes scores: reasoning_tags: ${text} in its file   (usual: ${JSON.stringify(defaultReasoningTags)})`,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
