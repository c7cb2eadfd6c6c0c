/**
 * Marks, punctuation and symbols as defined by Unicode 14. The normalisers' references ran with these tables
 * (Python 3.11). They do not know characters of later versions, which stay in the text. Without this file, scores
 * would depend on the Unicode version of the JavaScript engine.
 */

/** Ranges in which versions up to 17 have new marks, punctuation and symbols. Unicode 14 assigns nothing else there. */
const later = [
  '897 cf3 ece 1acf-1aeb 1b4e-1b4f 1b7f 20c1 2427-2429 2b96 2ffc-2fff 31e4-31ef fbc3-fbd2 fd90-fd91 fdc8-fdce',
  '10d69-10d8f 10ed0-10eff 11241 113b8-113e2 11b00-11be1 11f00-11f5a 13440-13455 1611e-1612f 16d6d-16d6f 1cc00-1cef0 1e08f',
  '1e4ec-1e6f5 1f6d8-1f6dc 1f774-1f77f 1f7d9 1f8b2-1f8d8 1fa54-1fa57 1fa75-1fa77 1fa87-1fa8f 1faad-1faaf 1fabb-1fabf',
  '1fac6-1facf 1fada-1fadf 1fae8-1faef 1faf7-1faf8 1fbcb-1fbef 1fbfa',
]
  .join(' ')
  .split(' ')
  .map(range => range.replace(/[0-9a-f]+/g, '\\u{$&}'))
  .join('')

/** Matches one character of any of these general categories. */
const makeCategoryPattern = (categories: string): RegExp => new RegExp(`(?![${later}])[${categories}]`, 'gu')

export const marksPunctuationSymbols = makeCategoryPattern('\\p{M}\\p{P}\\p{S}')

const punctuation = makeCategoryPattern('\\p{P}')

export const withoutPunctuation = (text: string): string => text.replace(punctuation, '')

/** Non-spacing marks. U+1171E became a spacing mark after Unicode 14. */
export const nonSpacingMarks = makeCategoryPattern('\\p{Mn}\\u{1171e}')

/** Returns whether every character is punctuation. True for an empty text. */
export const isAllPunctuation = (text: string): boolean => allPunctuation.test(text)

const allPunctuation = new RegExp(`^(?:(?![${later}])\\p{P})*$`, 'u')
