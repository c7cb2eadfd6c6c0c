/** JSON pointers (RFC 6901): `/options/0`. */

import { isList, isObject, type Json } from './canonical-json.js'

/** Appends a step to a pointer. */
export const pointerTo = (pointer: string, step: string | number): string =>
  `${pointer}/${typeof step === 'number' ? step : step.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Returns the steps of a pointer. */
export const parsePointer = (pointer: string): readonly string[] =>
  pointer
    .slice(1)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Returns the value at a pointer, or undefined if there is none. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value
  for (const step of parsePointer(pointer)) {
    if (isList(at)) at = at[Number(step)]
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
  }
  return at
}
