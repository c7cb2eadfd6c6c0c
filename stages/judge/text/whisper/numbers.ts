import { pythonRegex } from '../../../../base/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../../base/white-space.js'
import { spellOutNumbers, takesPointFive } from './number-reader.js'

/**
 * `text`, in small letters, with numbers that are spelled out in digits: `twenty five dollars` is `$25`, `one oh one` is `101`,
 * `twenty first` is `21st`, `one` stays. Words are set apart by single spaces.
 *
 * Source: openai-whisper 20250625, `normalizers/english.py`, EnglishNumberNormalizer.
 */
export function normaliseNumbers(text: string): string {
  const words = splitWhiteSpace(separateLetters(withoutHalves(text)))
  return joinCents(spellOutNumbers(words).join(' '))
}

/** `two and a half` as `two point five`. */
function withoutHalves(text: string): string {
  const segments = text.split(half)
  const parts = segments.flatMap((segment, index) => {
    if (stripWhiteSpace(segment) === '') return []
    if (index === segments.length - 1) return [segment]
    return [segment, takesPointFive(splitWhiteSpace(segment).at(-1) ?? '') ? 'point five' : 'and a half']
  })
  return parts.join(' ')
}

/** A space where letters and digits meet, but none before `st`, `nd`, `rd`, `th` and `s`. */
const separateLetters = (text: string): string =>
  text
    .replace(/([a-z])([0-9])/g, '$1 $2')
    .replace(/([0-9])([a-z])/g, '$1 $2')
    .replace(ordinalSuffix, '$1$2')

/** `$2 and ¢7` as `$2.07`, `$0.50` as `¢50`, and 1 as a word. */
const joinCents = (text: string): string =>
  text
    .replace(
      unitAndCents,
      (_, currency: string, integer: string, cents: string) => `${currency}${integer}.${cents.padStart(2, '0')}`,
    )
    .replace(centsAlone, (_, cents: string) => `¢${Number(cents)}`)
    .replace(oneOrOnes, 'one$1')

const half = pythonRegex('\\band\\s+a\\s+half\\b')
const ordinalSuffix = pythonRegex('([0-9])\\s+(st|nd|rd|th|s)\\b', 'g')
const unitAndCents = pythonRegex('([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\\b', 'g')
const centsAlone = pythonRegex('[€£$]0.([0-9]{1,2})\\b', 'g')
const oneOrOnes = pythonRegex('\\b1(s?)\\b', 'g')
