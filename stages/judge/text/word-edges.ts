/**
 * Finds the edges of words. Scripts with spaces between words have an edge where no letter or digit touches. Chinese,
 * Japanese, Thai and other scripts write no spaces, so that no edge can be seen between their letters.
 */

/** The scripts that write words without spaces, as the inside of a character class with the flag `u`. */
export const unspacedScripts = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Yi', 'Nushu', 'Tangut', 'Thai', 'Lao', 'Khmer', 'Myanmar', 'Tibetan'],
  ...['Javanese', 'Balinese', 'New_Tai_Lue', 'Tai_Le', 'Tai_Tham', 'Tai_Viet'],
]
  .map(script => `\\p{scx=${script}}`)
  .join('')

/**
 * A pattern for a letter, digit or mark of a script with spaces between words. Latin letters and digits beside other
 * characters, as in 是B or 3초, are words of their own; Korean counts here as written without spaces.
 */
export const spacedCharacter = `(?:(?![${unspacedScripts}\\p{sc=Hangul}])[\\p{L}\\p{N}\\p{M}])`

const unspaced = new RegExp(`^[${unspacedScripts}]`, 'u')
const wordStart = /^[\p{L}\p{N}\p{M}]/u
const wordEnd = /[\p{L}\p{N}]\p{M}*$/u
const hangul = /^\p{sc=Hangul}/u

/** The particles and forms of "to be" that Korean writes after a word without a space. */
const particles = [
  ...[
    '은',
    '는',
    '이',
    '가',
    '을',
    '를',
    '의',
    '에',
    '에서',
    '에게',
    '께',
    '로',
    '으로',
    '와',
    '과',
    '랑',
    '이랑',
    '도',
    '만',
  ],
  ...[
    '까지',
    '부터',
    '보다',
    '처럼',
    '마다',
    '조차',
    '밖에',
    '나',
    '이나',
    '라',
    '이라',
    '라고',
    '이라고',
    '라는',
    '이라는',
  ],
  ...[
    '며',
    '이며',
    '고',
    '이고',
    '다',
    '이다',
    '였다',
    '이었다',
    '임',
    '인',
    '입니다',
    '입니까',
    '예요',
    '이에요',
    '에요',
  ],
  ...['요', '이요', '죠', '이죠', '네요', '이네요', '야', '이야', '씩', '들', '번', '항'],
]
const onlyParticles = new RegExp(
  `^(?:${particles.toSorted((a, b) => b.length - a.length).join('|')})+(?!\\p{sc=Hangul})`,
  'u',
)

/** The number of characters on either side of an edge that are read. No particle is longer, and slices cost time. */
const reach = 16

/**
 * Returns whether no letter or digit touches the text from `start` to `end`, in scripts that separate words. A number
 * that is a part of another one, as 3 of `3.14`, `1,3` or `-3`, is no word.
 */
export function isWholeWord(text: string, start: number, end: number): boolean {
  const inside = text.slice(start, end)
  const [before, after] = [text.slice(Math.max(0, start - reach), start), text.slice(end, end + reach)]
  if (isInNumber(before, inside, after)) return false
  return !touches(before, inside) && !touches(inside, after)
}

const thousands = /^\p{N}{3}(?!\p{N})/u

/** Returns whether the number that a text begins or ends with has further digits or a sign outside the text. */
function isInNumber(before: string, inside: string, after: string): boolean {
  if (/^[-−]\p{N}/u.test(inside) && /[\p{N})]$/u.test(before)) return true
  if (/^\p{N}/u.test(inside)) {
    if (/(?:\p{N}\.|(?:^|\s)[-−]\.?|(?:^|\s)\.)$/u.test(before)) return true
    if (/\p{N},$/u.test(before) && thousands.test(inside + after)) return true
  }
  return (
    /\p{N}$/u.test(inside) && (/^\.\p{N}/u.test(after) || (after.startsWith(',') && thousands.test(after.slice(1))))
  )
}

/** Returns whether `text` contains `sought` as whole words. */
export function containsWords(text: string, sought: string): boolean {
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    if (isWholeWord(text, at, at + sought.length)) return true
  }
  return false
}

/** Returns whether the last character of `before` and the first of `after` belong to one word. */
function touches(before: string, after: string): boolean {
  // A mark, such as a vowel sign, changes the letter before it in every script.
  if (/^\p{M}/u.test(after)) return wordEnd.test(before)
  const last = /[^\p{M}]\p{M}*$/u.exec(before)?.[0] ?? ''
  if (!wordEnd.test(last) || !wordStart.test(after)) return false
  if (unspaced.test(last) || unspaced.test(after)) return false
  // Korean writes its particles, and other words, directly after Latin letters and digits.
  if (hangul.test(last) !== hangul.test(after)) return false
  return !(hangul.test(after) && onlyParticles.test(after))
}
