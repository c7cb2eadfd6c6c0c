/** What a rule of the lexer makes of the text that it matched. */
export interface Emission {
  /** The token; absent where the text is dropped. */
  readonly token?: string
  /** How much of the text is used up, all of it if not said. The rest is read again. */
  readonly length?: number
  readonly isNewline?: boolean
}

export type Emit = (matched: string) => Emission

export const asIs: Emit = token => ({ token })
export const drop: Emit = () => ({})
export const endLine: Emit = () => ({ isNewline: true })
export const as = (token: string) => (): Emission => ({ token })

/** Leaves the last `count` units for the next token. */
export const allBut =
  (count: number): Emit =>
  matched => ({ token: matched.slice(0, -count), length: matched.length - count })

/** The abbreviation with its period, and then the period once more, as the end of the sentence. */
export const abbreviationAtEnd: Emit = matched => ({ token: matched, length: matched.length - 1 })

/** Of one letter and a period only the letter; else as {@link abbreviationAtEnd}. */
export const acronymAtEnd: Emit = matched => (matched.length === 2 ? allBut(1)(matched) : abbreviationAtEnd(matched))

/** Soft hyphens are where a line may be broken, no part of a word. */
export const withoutSoftHyphens: Emit = matched => ({ token: matched.replaceAll('\u00ad', '') || '-' })

/** A token must not hold a space. */
export const withoutSpaces: Emit = matched => ({ token: matched.replaceAll(' ', '\u00a0') })

export const withoutBrackets: Emit = matched => ({
  token: matched.replaceAll('(', '-LRB-').replaceAll(')', '-RRB-').replaceAll(' ', '\u00a0'),
})

export const withAmpersand: Emit = matched => ({ token: matched.replace(/&amp;/gi, '&') })

export const asQuotes =
  (side: 'left' | 'right'): Emit =>
  matched => ({
    token: matched
      .replace(/&apos;|'/g, side === 'left' ? '`' : "'")
      .replace(/"|&quot;/g, side === 'left' ? '``' : "''")
      .replace(/[\u0091\u2018\u201b\u2039]/g, '`')
      .replace(/[\u0092\u2019\u203a]/g, "'")
      .replace(/[\u0093\u201c\u00ab]/g, '``')
      .replace(/[\u0094\u201d\u00bb]/g, "''"),
  })

/** The Treebank knows dollars; it has `#` for pounds. */
export const asCurrency: Emit = matched => ({
  token: matched
    .replaceAll('\u00a2', 'cents')
    .replaceAll('\u00a3', '#')
    .replace(/[\u0080\u00a4\u20a0\u20ac]/g, '$'),
})

const fractions = new Map([
  ['\u00bc', '1/4'],
  ['\u00bd', '1/2'],
  ['\u00be', '3/4'],
  ['\u2153', '1/3'],
  ['\u2154', '2/3'],
])

export const asFraction: Emit = matched => ({ token: fractions.get(matched) ?? matched })

export const asDashes: Emit = matched => ({ token: matched.length === 3 || matched.length === 4 ? '--' : matched })
