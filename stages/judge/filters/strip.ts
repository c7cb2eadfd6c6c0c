import { z } from 'zod'
import { stripWhiteSpace } from '../../../base/white-space.js'
import { defineTextFilter, read } from '../define-filter.js'

/** Without white space at both ends. */
export const strip = defineTextFilter({
  id: 'strip',
  args: z.strictObject({}),
  read: text => read(stripWhiteSpace(text)),
})
