/** Says which expressions of an answer are not what it answers: they are denied, supposed, asked for or only a bound. */
import { findBound } from '../text/value-claims/bounds.js'
import { isValueDenied } from '../text/value-claims/denials.js'
import { isValueSupposed } from '../text/value-claims/suppositions.js'

interface Place {
  readonly start: number
  readonly end: number
}

/** Returns whether a text says that an expression in it is not the answer. */
export const isUnsaid = (text: string, place: Place): boolean =>
  isValueDenied(text, place) || isValueSupposed(text, place) || findBound(text, place) !== 'none'
