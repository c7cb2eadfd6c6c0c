import { whiteSpaceClass } from '../../../../base/python/white-space.js'
import { marksPunctuationSymbols, nonSpacingMarks } from '../unicode-14.js'

interface BasicOptions {
  /** Drops accents and other marks that need no room, instead of the whole letter's being split at them. */
  readonly removeDiacritics?: boolean
  /** Puts a space between any two characters (grapheme clusters), for languages that are written without spaces. */
  readonly splitLetters?: boolean
}

/**
 * A transcript of any language in the form in which it is compared: in small letters, without what stands in brackets, each mark,
 * symbol and punctuation character a space, runs of white space one space. It does not trim.
 *
 * Source: Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision" (2022), appendix C; openai-whisper
 * 20250625, `normalizers/basic.py`.
 */
export function normaliseBasic(
  text: string,
  { removeDiacritics = false, splitLetters = false }: BasicOptions = {},
): string {
  const plain = withoutBrackets(text.toLowerCase())
  const clean = (removeDiacritics ? withoutMarks(plain, '') : withoutSymbols(plain)).toLowerCase()
  return oneSpace(splitLetters ? lettersOf(clean).join(' ') : clean)
}

/** Drops `<…>`, `[…]` (either may close the other), then `(…)`. What is never closed is passed at once: it stays. */
export const withoutBrackets = (text: string): string =>
  text
    .replace(/[<[][^>\]]*(?:[>\]]|$)/g, part => (/[>\]]$/.test(part) ? '' : part))
    .replace(/\([^)]+(?:\)|$)/g, part => (part.endsWith(')') ? '' : part))

/** Marks, symbols and punctuation become spaces, accents go; characters of `keep` stay as they are. */
export const withoutMarks = (text: string, keep: string): string =>
  text
    .normalize('NFKD')
    .replace(/[œŒøØæÆßẞđĐðÐþÞłŁ]/g, letter => undividedLetters[letter] ?? letter)
    .replace(nonSpacingMarks, '')
    .replace(marksPunctuationSymbols, symbol => (keep.includes(symbol) ? symbol : ' '))

/** Letters that Unicode does not divide into a base and a mark. */
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

/** Between two of ASCII's characters, or ideographs, a cluster always ends. */
const surely = /(?<=[\t\n -~\p{sc=Han}])(?=[\t\n -~\p{sc=Han}])/u

/** The segmenter's time grows with the square of a text's length, so it is given short parts. */
const lettersOf = (text: string): readonly string[] =>
  text
    .split(surely)
    .flatMap(part => (part.length === 1 ? [part] : Array.from(letters.segment(part), ({ segment }) => segment)))

const spaces = new RegExp(`[${whiteSpaceClass}]+`, 'g')

/** Each run of white space as one space. */
export const oneSpace = (text: string): string => text.replace(spaces, ' ')
