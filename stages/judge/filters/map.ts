import { z } from 'zod'
import { defineTextFilter, read, unread } from '../define-filter.js'

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
