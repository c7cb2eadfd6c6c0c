/**
 * The filter `normalize_text`. It has its own file, because its normalisers load large tables that other filters do
 * not need.
 */
import { z } from 'zod'
import { defineTextFilter, read } from '../define/define-filter.js'
import { normalizerArgument } from '../metrics/error-rate/wer.js'
import { normalise } from '../text/normalizers.js'

/**
 * Applies `normalizer` to the answer: one of the normalisers of `wer`, or a list of them. References are not
 * changed.
 */
export const normalizeText = defineTextFilter({
  id: 'normalize_text',
  args: z.strictObject({ normalizer: normalizerArgument }),
  read: (text, { normalizer }) => read(normalise(text, normalizer)),
})
