/** Makes text of bytes that come in pieces. Without bytes: the end. */
export interface PieceDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string
}

/** Each byte is the character of its number, of which the web's `latin1` makes another one here and there. */
const latin: PieceDecoder = {
  decode: bytes =>
    bytes === undefined ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
}

const isLatin = /^(latin[-_]?1|l1|iso[-_]?8859[-_]1|8859|cp819)$/i

/**
 * A decoder of an encoding by the name that Python has for it, which refuses what is not of that encoding.
 *
 * @returns undefined where it is not known
 */
export function textDecoder(encoding: string): PieceDecoder | undefined {
  if (isLatin.test(encoding)) return latin
  const label = encoding
    .replace(/^(utf[-_]?8[-_]sig|(us[-_])?ascii)$/i, 'utf-8')
    .replace(/^cp(125\d)$/i, 'windows-$1')
    .replace(/^utf[-_]?(8|16)/i, 'utf-$1')
  for (const name of [label, label.replaceAll('_', '-')]) {
    try {
      return new TextDecoder(name, { fatal: true })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return undefined
}
