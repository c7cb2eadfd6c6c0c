import { z } from 'zod'
import { defineTextFilter, read } from '../define-filter.js'

/** All letters in lower case. */
export const lowercase = defineTextFilter({
  id: 'lowercase',
  args: z.strictObject({}),
  read: text => read(text.toLowerCase()),
})
