/** Character classes that match letters of both cases, for parts of a pattern that ignore case. */

/** All characters that have another case. */
let cased: readonly string[] | undefined

const known = new Map<string, string>()

/**
 * Makes a pattern that matches the class `written` without regard to case. The program's oldest Node.js has no `(?i:…)`, so the characters that
 * ignoring case adds or takes away are listed. With `ascii` only A to Z have two cases.
 */
export function foldedClass(written: string, { ascii }: { readonly ascii: boolean }): string {
  const key = `${ascii ? 'a' : 'u'}${written}`
  const found = known.get(key) ?? widenClass(written, ascii)
  if (known.size < 1000) known.set(key, found)
  return found
}

function widenClass(written: string, ascii: boolean): string {
  const exact = new RegExp(`^(?:${written})$`, 'u')
  const folded = ascii ? foldedAscii(written, exact) : foldedUnicode(written)
  const characters = ascii ? asciiLetters : (cased ??= casedCharacters())
  const without = characters.filter(character => exact.test(character) && !folded(character))
  const more = characters.filter(character => !exact.test(character) && folded(character))
  const less = without.length === 0 ? written : `(?!${formatCharacterClass(without)})${written}`
  if (more.length === 0) return without.length === 0 ? written : `(?:${less})`
  return `(?:${less}|${formatCharacterClass(more)})`
}

function foldedUnicode(written: string): (character: string) => boolean {
  const folded = new RegExp(`^(?:${written})$`, 'iu')
  return character => folded.test(character)
}

const asciiLetters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')

function foldedAscii(written: string, exact: RegExp): (character: string) => boolean {
  const isNegated = /^(?:\[\^|\(\?:\(\?!)/.test(written)
  const both = (one: string): readonly boolean[] => [one.toLowerCase(), one.toUpperCase()].map(each => exact.test(each))
  return character => (isNegated ? !both(character).includes(false) : both(character).includes(true))
}

const formatCharacterClass = (characters: readonly string[]): string =>
  `[${characters.map(character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).join('')}]`

function casedCharacters(): readonly string[] {
  const hasCase = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u
  // Letters with two cases are in the first two planes.
  return Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter(one => hasCase.test(one))
}
