import { z } from 'zod'
import { defineTextFilter, read } from '../define-filter.js'

/** All letters in upper case. */
export const uppercase = defineTextFilter({
  id: 'uppercase',
  args: z.strictObject({}),
  read: text => read(text.toUpperCase()),
})
