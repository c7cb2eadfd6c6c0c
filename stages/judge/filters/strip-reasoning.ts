import { z } from 'zod'
import { defineTextFilter, read } from '../define-filter.js'
import { defaultReasoningTags, reasoningTags, stripReasoning } from '../reasoning.js'

/** Drops what stands between reasoning tags; see {@link stripReasoning}. */
export const stripReasoningFilter = defineTextFilter({
  id: 'strip_reasoning',
  args: z.strictObject({ tags: reasoningTags.default(defaultReasoningTags) }),
  read: (text, { tags }) => read(stripReasoning(text, tags)),
})
