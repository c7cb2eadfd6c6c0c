/** A part of a file, in bytes: from the first, to before the last. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * Reads a `Range` header (RFC 9110, section 14). Several ranges at once are answered with the whole file, which is allowed.
 *
 * @returns undefined for the whole file; `unsatisfiable` if the range begins behind the end
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '')
    return Number(last) === 0 || size === 0 ? 'unsatisfiable' : { from: Math.max(0, size - Number(last)), to: size }
  const from = Number(first)
  if (last !== '' && Number(last) < from) return undefined
  if (from >= size) return 'unsatisfiable'
  return { from, to: last === '' ? size : Math.min(size, Number(last) + 1) }
}
