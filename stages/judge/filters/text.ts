import { z } from 'zod'
import { pythonRegex } from '../../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { defineTextFilter, read, unread } from '../define/define-filter.js'
import { defaultReasoningTags, reasoningTags, stripReasoning } from '../text/reasoning.js'

/** Converts all letters to lower case. */
export const lowercase = defineTextFilter({
  id: 'lowercase',
  args: z.strictObject({}),
  read: text => read(text.toLowerCase()),
})

/** Converts all letters to upper case. */
export const uppercase = defineTextFilter({
  id: 'uppercase',
  args: z.strictObject({}),
  read: text => read(text.toUpperCase()),
})

/** Removes white space at both ends. */
export const strip = defineTextFilter({
  id: 'strip',
  args: z.strictObject({}),
  read: text => read(stripWhiteSpace(text)),
})

/**
 * Removes one leading space, to undo the space that a continuation begins with.
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
 * The capital letter at the start of an answer, if a dot follows it; else the unchanged answer.
 *
 * Source: lmms-eval 0.7.2, `tasks/ai2d/utils.py`, MultiChoiceRegexFilter.
 */
export const leadingLetter = defineTextFilter({
  id: 'leading_letter',
  args: z.strictObject({}),
  read: text => read(leading.exec(text)?.[1] ?? text),
})

/**
 * Replaces a text by its value in `mapping_dict`. A text without an entry is unparsed, and `default_value` is
 * scored in its place.
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

/** Removes the text between reasoning tags; see {@link stripReasoning}. */
export const stripReasoningFilter = defineTextFilter({
  id: 'strip_reasoning',
  args: z.strictObject({ tags: reasoningTags.default(defaultReasoningTags) }),
  read: (text, { tags }) => read(stripReasoning(text, tags)),
})

/**
 * Removes the text between thinking tags; see {@link stripReasoning}. The usual tags are already removed before all
 * filters, unless the task sets `reasoning_tags`.
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
