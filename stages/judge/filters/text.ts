import { z } from 'zod'
import { pythonRegex } from '../../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { defineTextFilter, read, unread } from '../define/define-filter.js'
import { defaultReasoningTags, reasoningTags, stripReasoning } from '../text/reasoning.js'

/** All letters in lower case. */
export const lowercase = defineTextFilter({
  id: 'lowercase',
  args: z.strictObject({}),
  read: text => read(text.toLowerCase()),
})

/** All letters in upper case. */
export const uppercase = defineTextFilter({
  id: 'uppercase',
  args: z.strictObject({}),
  read: text => read(text.toUpperCase()),
})

/** Without white space at both ends. */
export const strip = defineTextFilter({
  id: 'strip',
  args: z.strictObject({}),
  read: text => read(stripWhiteSpace(text)),
})

/**
 * Drops one leading space, no more: it undoes the space that a continuation begins with.
 *
 * Source: lm-evaluation-harness, `filters/extraction.py`, WhitespaceFilter.
 */
export const removeWhitespace = defineTextFilter({
  id: 'remove_whitespace',
  args: z.strictObject({}),
  read: text => read(text.startsWith(' ') ? text.slice(1) : text),
})

const leading = pythonRegex(String.raw`^\s*([A-Z])\.`)

/**
 * The capital letter that an answer begins with, where a dot follows it; else the answer as it is.
 *
 * Source: lmms-eval 0.7.2, `tasks/ai2d/utils.py`, MultiChoiceRegexFilter.
 */
export const leadingLetter = defineTextFilter({
  id: 'leading_letter',
  args: z.strictObject({}),
  read: text => read(leading.exec(text)?.[1] ?? text),
})

/**
 * The text that `mapping_dict` gives for a text. One that is not in it is unparsed; `default_value` is then what the benchmark scores
 * in its place.
 *
 * Source: lm-evaluation-harness, `filters/selection.py`, MapFilter.
 */
export const map = defineTextFilter({
  id: 'map',
  args: z.strictObject({
    mapping_dict: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).default({}),
    default_value: z
      .union([z.string(), z.number()])
      .transform(String)
      .nullish()
      .transform(value => value ?? undefined),
  }),
  read(text, { mapping_dict: mapping, default_value: standIn }) {
    const mapped = Object.hasOwn(mapping, text) ? mapping[text] : undefined
    return mapped === undefined ? unread('not in the mapping', standIn) : read(mapped)
  },
})

/** Drops what stands between reasoning tags; see {@link stripReasoning}. */
export const stripReasoningFilter = defineTextFilter({
  id: 'strip_reasoning',
  args: z.strictObject({ tags: reasoningTags.default(defaultReasoningTags) }),
  read: (text, { tags }) => read(stripReasoning(text, tags)),
})

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
