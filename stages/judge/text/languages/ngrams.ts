import { isUpper } from '../letter-case.js'
import type { LanguageProfiles } from './profiles.js'

const address = /https?:\/\/[-_.?&~;+=/#0-9A-Za-z]{1,2076}/g
const mail = /[-_.0-9A-Za-z]{1,64}@[-_0-9A-Za-z]{1,255}[-_.0-9A-Za-z]{1,255}/g
const vietnamese = /[AEIOUYaeiouyÂÊÔâêôĂăƠơƯư][\u0323\u0300\u0301\u0303\u0309]/g
/** Characters of a text that are looked at. */
const longest = 10_000

/**
 * The n-grams of one to three characters within the words of a text, in order, as far as any language has them. Web and mail addresses are
 * left out, words in capitals too, and Latin words in a text that is mostly not Latin.
 */
export function ngramsOf(text: string, profiles: LanguageProfiles): readonly string[] {
  const found: string[] = []
  let gram = [' ']
  let isCapitals = false
  for (const character of cleaned(text)) {
    const next = plain(character, profiles)
    const last = gram.at(-1) ?? ' '
    if (last === ' ') {
      gram = [' ']
      isCapitals = false
    } else if (gram.length >= 3) gram = gram.slice(1)
    if (last !== ' ' || next !== ' ') {
      gram.push(next)
      isCapitals = isUpper(next) && (isCapitals || isUpper(last))
    }
    if (isCapitals) continue
    for (let length = 1; length <= gram.length; length++) {
      const part = gram.slice(-length).join('')
      if (part !== ' ' && profiles.sharesOf(part) !== undefined) found.push(part)
    }
  }
  return found
}

function cleaned(text: string): readonly string[] {
  const bare = text
    .replace(address, ' ')
    .replace(mail, ' ')
    .replace(vietnamese, pair => pair.normalize('NFC'))
  const characters = Array.from(bare)
    .slice(0, longest)
    .filter((character, index, all) => character !== ' ' || all[index - 1] !== ' ')
  const latin = characters.filter(isLatin).length
  const others = characters.filter(character => character >= '\u0300' && !/[\u1e00-\u1eff]/.test(character)).length
  return latin * 2 < others ? characters.filter(character => !isLatin(character)) : characters
}

const isLatin = (character: string): boolean => /^[A-z]$/.test(character)

/** Characters that say the same of a language as one. */
function plain(character: string, { kanji }: LanguageProfiles): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return /[A-Za-z]/.test(character) ? character : ' '
  if (/[\xa0«°»\u2000-\u206f]/.test(character)) return ' '
  if (character === '\u0219') return '\u015f'
  if (character === '\u021b') return '\u0163'
  if (character === '\u06cc') return '\u064a'
  if (code >= 0x1ea0 && code <= 0x1eff) return '\u1ec3'
  if (code >= 0x3040 && code <= 0x309f) return '\u3042'
  if (code >= 0x30a0 && code <= 0x30ff) return '\u30a2'
  if ((code >= 0x3100 && code <= 0x312f) || (code >= 0x31a0 && code <= 0x31bf)) return '\u3105'
  if (code >= 0xac00 && code <= 0xd7af) return '\uac00'
  return kanji.get(character) ?? character
}
