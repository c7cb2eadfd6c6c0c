/** `normalize_text` alone: its normalisers have large tables, which other filters do without. */
import { z } from 'zod'
import { defineTextFilter, read } from '../define/define-filter.js'
import { normalizerArgument } from '../metrics/error-rate/wer.js'
import { normalise } from '../text/normalizers.js'

/** The answer after `normalizer`: one of the normalisers that `wer` knows, or a list of them in their order. References stay as they are. */
export const normalizeText = defineTextFilter({
  id: 'normalize_text',
  args: z.strictObject({ normalizer: normalizerArgument }),
  read: (text, { normalizer }) => read(normalise(text, normalizer)),
})
