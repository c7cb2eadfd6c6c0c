import { whiteSpaceClass } from '../../../../base/python/white-space.js'
import { marksPunctuationSymbols, nonSpacingMarks } from '../unicode-14.js'

interface BasicOptions {
  /** True to remove accents and other non-spacing marks. Otherwise such a mark splits the letter's word. */
  readonly removeDiacritics?: boolean
  /** True to separate all characters (grapheme clusters) with spaces, for languages written without spaces. */
  readonly splitLetters?: boolean
}

/**
 * Normalises a transcript of any language. It is put in lower case, bracketed text is removed, and each mark,
 * symbol and punctuation character becomes a space. Runs of white space become one space. It does not trim.
 *
 * Source: Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision" (2022), appendix C;
 * openai-whisper 20250625, `normalizers/basic.py`.
 */
export function normaliseBasic(
  text: string,
  { removeDiacritics = false, splitLetters = false }: BasicOptions = {},
): string {
  const plain = withoutBrackets(text.toLowerCase())
  const clean = (removeDiacritics ? withoutMarks(plain, '') : withoutSymbols(plain)).toLowerCase()
  return oneSpace(splitLetters ? splitCharacters(clean).join(' ') : clean)
}

/**
 * Removes `<…>` and `[…]`, which can close each other, then `(…)`. Text after an unclosed bracket stays; it is
 * skipped in one step, to keep the time linear.
 */
export const withoutBrackets = (text: string): string =>
  text
    .replace(/[<[][^>\]]*(?:[>\]]|$)/g, part => (/[>\]]$/.test(part) ? '' : part))
    .replace(/\([^)]+(?:\)|$)/g, part => (part.endsWith(')') ? '' : part))

/** Replaces marks, symbols and punctuation by spaces and removes accents. Characters of `keep` are not changed. */
export const withoutMarks = (text: string, keep: string): string =>
  text
    .normalize('NFKD')
    .replace(/[œŒøØæÆßẞđĐðÐþÞłŁ]/g, letter => undividedLetters[letter] ?? letter)
    .replace(nonSpacingMarks, '')
    .replace(marksPunctuationSymbols, symbol => (keep.includes(symbol) ? symbol : ' '))

/** Letters that Unicode does not decompose into a base and a mark. */
const undividedLetters: Readonly<Record<string, string>> = {
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  æ: 'ae',
  Æ: 'AE',
  ß: 'ss',
  ẞ: 'SS',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'th',
  ł: 'l',
  Ł: 'L',
}

const withoutSymbols = (text: string): string => text.normalize('NFKC').replace(marksPunctuationSymbols, ' ')

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Matches between two ASCII characters or ideographs, where a cluster always ends. */
const surely = /(?<=[\t\n -~\p{sc=Han}])(?=[\t\n -~\p{sc=Han}])/u

/**
 * Splits a text into characters. It is segmented in short parts, since the segmenter's time is quadratic in the
 * length.
 */
const splitCharacters = (text: string): readonly string[] =>
  text
    .split(surely)
    .flatMap(part => (part.length === 1 ? [part] : Array.from(letters.segment(part), ({ segment }) => segment)))

const spaces = new RegExp(`[${whiteSpaceClass}]+`, 'g')

/** Replaces each run of white space by one space. */
export const oneSpace = (text: string): string => text.replace(spaces, ' ')
