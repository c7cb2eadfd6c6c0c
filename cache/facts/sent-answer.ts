import type { ResponseKey } from '../digest.js'

const prefix = 'sent '

/** Returns the name of the value that says which request was sent as this one. The value is `{"response":KEY}`. */
export const nameSentAnswer = (key: ResponseKey): string => `${prefix}${key}`

/** The pattern of these names in SQL. */
export const sentPattern = `${prefix}%`

/** The position of the digest's first hexadecimal digit in the text of such a value, counted from 1. */
export const sentDigitsAt = '{"response":"sha256:'.length + 1
