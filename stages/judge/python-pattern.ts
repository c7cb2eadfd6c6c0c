import { z } from 'zod'
import { messageOf } from '../../base/errors.js'
import { pythonRegex } from '../../base/python-regex.js'

/** An argument that is a regular expression as Python writes it; compiled once, with the flag `g`. */
export const pythonPattern = z.string().transform((pattern, context) => {
  try {
    return pythonRegex(pattern, 'g')
  } catch (error) {
    context.addIssue({ code: 'custom', message: `not a regular expression: ${messageOf(error)}` })
    return z.NEVER
  }
})
