/** Character classes that match letters of both cases, for parts of a pattern that ignore case. */

/** All characters that have another case. */
let cased: readonly string[] | undefined

const foldedClasses = new Map<string, string>()

/**
 * Makes a pattern that matches `characterClass` without regard to case. The program's oldest Node.js has no `(?i:…)`, so the characters that
 * ignoring case adds or takes away are listed. With `ascii` only A to Z have two cases.
 */
export function foldedClass(characterClass: string, { ascii }: { readonly ascii: boolean }): string {
  const key = `${ascii ? 'a' : 'u'}${characterClass}`
  const pattern = foldedClasses.get(key) ?? widenClass(characterClass, ascii)
  if (foldedClasses.size < 1000) foldedClasses.set(key, pattern)
  return pattern
}

function widenClass(characterClass: string, ascii: boolean): string {
  const exact = new RegExp(`^(?:${characterClass})$`, 'u')
  const folded = ascii ? foldedAscii(characterClass, exact) : foldedUnicode(characterClass)
  const characters = ascii ? asciiLetters : (cased ??= casedCharacters())
  const without = characters.filter(character => exact.test(character) && !folded(character))
  const more = characters.filter(character => !exact.test(character) && folded(character))
  const less = without.length === 0 ? characterClass : `(?!${formatCharacterClass(without)})${characterClass}`
  if (more.length === 0) return without.length === 0 ? characterClass : `(?:${less})`
  return `(?:${less}|${formatCharacterClass(more)})`
}

function foldedUnicode(characterClass: string): (character: string) => boolean {
  const folded = new RegExp(`^(?:${characterClass})$`, 'iu')
  return character => folded.test(character)
}

const asciiLetters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')

function foldedAscii(characterClass: string, exact: RegExp): (character: string) => boolean {
  const isNegated = /^(?:\[\^|\(\?:\(\?!)/.test(characterClass)
  const both = (letter: string): readonly boolean[] =>
    [letter.toLowerCase(), letter.toUpperCase()].map(each => exact.test(each))
  return character => (isNegated ? !both(character).includes(false) : both(character).includes(true))
}

const formatCharacterClass = (characters: readonly string[]): string =>
  `[${characters.map(character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).join('')}]`

function casedCharacters(): readonly string[] {
  const hasCase = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u
  // Letters with two cases are in the first two planes.
  return Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter(character =>
    hasCase.test(character),
  )
}
