/** The filters that are there by name. A new one is a file here and a line below. */
import { lowercase } from './lowercase.js'
import { map } from './map.js'
import { normalizeText } from './normalize-text.js'
import { regex } from './regex.js'
import { removeWhitespace } from './remove-whitespace.js'
import { strip } from './strip.js'
import { stripReasoningFilter } from './strip-reasoning.js'
import { takeFirst } from './take-first.js'
import { uppercase } from './uppercase.js'

export const filters = [
  takeFirst,
  regex,
  lowercase,
  uppercase,
  strip,
  removeWhitespace,
  map,
  stripReasoningFilter,
  normalizeText,
]
