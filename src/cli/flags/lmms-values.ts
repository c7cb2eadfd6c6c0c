import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { defaultReasoningTags } from '../../../stages/judge/text/reasoning.js'

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
