import { z } from 'zod'
import { defineTextFilter, read } from '../define-filter.js'
import { reasoningTags, stripReasoning } from '../reasoning.js'

/**
 * Drops what stands between thinking tags; see {@link stripReasoning}. `<think>` and `<analysis>` are gone before any filter if the task
 * does not say otherwise (`reasoning_tags`).
 *
 * Source: lmms-eval 0.7.2, `filters/transformation.py`, StripThinkingFilter.
 */
export const stripThinking = defineTextFilter({
  id: 'strip_thinking',
  args: z.strictObject({
    tag_pairs: reasoningTags
      .nullish()
      .transform(
        pairs =>
          pairs ?? [['<think>', '</think>'] as [string, string], ['<thinking>', '</thinking>'] as [string, string]],
      ),
  }),
  read: (text, { tag_pairs: pairs }) => read(stripReasoning(text, pairs)),
})
