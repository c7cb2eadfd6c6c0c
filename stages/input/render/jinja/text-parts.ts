import { whiteSpaceClass as space } from '../../../../base/python/white-space.js'

/** Removes any of `chars`, or white space where it is null, from one end. */
export function stripEnd(text: string, chars: string | null, end: 'start' | 'end'): string {
  if (chars === null) return text.replace(end === 'start' ? leadingSpace : trailingSpace, '')
  const characters = Array.from(text)
  const isKept = (char: string): boolean => !chars.includes(char)
  const at = end === 'start' ? characters.findIndex(isKept) : characters.findLastIndex(isKept)
  if (at < 0) return ''
  return (end === 'start' ? characters.slice(at) : characters.slice(0, at + 1)).join('')
}

export const strippedAround = (text: string, chars: string | null): string =>
  stripEnd(stripEnd(text, chars, 'start'), chars, 'end')

/** Python's `split`, with at most `most` splits. `null` splits at white space. */
export function split(text: string, between: string | null, most: number): readonly string[] {
  if (between === null) return splitAtSpace(text, most)
  if (between === '') throw new Error('split: the separator is empty')
  const parts = text.split(between)
  return most < 0 || parts.length <= most ? parts : [...parts.slice(0, most), parts.slice(most).join(between)]
}

function splitAtSpace(text: string, most: number): readonly string[] {
  const parts: string[] = []
  let rest = text.replace(leadingSpace, '')
  while (rest !== '') {
    const space = parts.length === most ? null : someSpace.exec(rest)
    if (parts.length === most) return [...parts, rest]
    if (space === null) return [...parts, rest]
    parts.push(rest.slice(0, space.index))
    rest = rest.slice(space.index + space[0].length)
  }
  return parts
}

/** Python's `rsplit`, with at most `most` splits. */
export function splitFromEnd(text: string, between: string | null, most: number): readonly string[] {
  const reverseText = (value: string): string => Array.from(value).reverse().join('')
  return split(reverseText(text), between === null ? null : reverseText(between), most)
    .map(reverseText)
    .reverse()
}

export function lines(text: string, keepsEnds: boolean): readonly string[] {
  const linesWithEnds = text.match(
    /[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+$/g,
  )
  return keepsEnds
    ? (linesWithEnds ?? [])
    : (linesWithEnds ?? []).map(line => line.replace(/(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])$/, ''))
}

/** Python's `partition` and `rpartition`: the text before, the separator, the text behind. */
export function partition(text: string, between: string, isLast: boolean): readonly [string, string, string] {
  if (between === '') throw new Error('partition: the separator is empty')
  const at = isLast ? text.lastIndexOf(between) : text.indexOf(between)
  if (at < 0) return isLast ? ['', '', text] : [text, '', '']
  return [text.slice(0, at), between, text.slice(at + between.length)]
}

/** Python's `replace`, at most `most` times. An empty `old` matches between all characters. */
export function replaceText(text: string, [old, by]: readonly [string, string], most: number): string {
  const parts = old === '' ? ['', ...Array.from(text), ''] : text.split(old)
  if (most < 0 || parts.length - 1 <= most) return parts.join(by)
  return parts.slice(0, most).join(by) + (most === 0 ? '' : by) + parts.slice(most).join(old)
}

export const isSpace = (text: string): boolean => onlySpace.test(text)

/** Pads a text with `fill` to a width, on one side or on both. */
export function justifyText(
  text: string,
  { width, fill }: { width: number; fill: string },
  side: 'left' | 'right' | 'both',
): string {
  const missing = Math.max(width - Array.from(text).length, 0)
  if (side === 'left') return fill.repeat(missing) + text
  if (side === 'right') return text + fill.repeat(missing)
  // CPython puts an odd remainder on the left where the width is odd.
  const left = Math.floor(missing / 2) + (missing & width & 1)
  return fill.repeat(left) + text + fill.repeat(missing - left)
}

export function tabsExpanded(text: string, size: number): string {
  let column = 0
  return Array.from(text, char => {
    if (char === '\n' || char === '\r') column = 0
    else if (char !== '\t') column += 1
    if (char !== '\t') return char
    const width = size <= 0 ? 0 : size - (column % size)
    column += width
    return ' '.repeat(width)
  }).join('')
}

const cased = /^\p{Cased}$/u

/**
 * Python's `title`: the first letter of each word becomes upper case, the others lower case. A word begins behind any
 * character without case.
 */
export function capitalizeWords(text: string): string {
  let isWithin = false
  return Array.from(text, char => {
    const result = isWithin ? char.toLowerCase() : capital(char)
    isWithin = cased.test(char)
    return result
  }).join('')
}

/** Python's `capitalize`. */
export function capitalizeText(text: string): string {
  const [first = '', ...rest] = Array.from(text)
  return capital(first) + rest.join('').toLowerCase()
}

/** Single characters that combine two letters. In title case, only the first letter is upper case. */
const digraphs: Readonly<Record<string, string>> = { Ǆ: 'ǅ', Ǉ: 'ǈ', Ǌ: 'ǋ', Ǳ: 'ǲ' }

function capital(char: string): string {
  const upper = char.toUpperCase()
  const [first = '', ...rest] = Array.from(upper)
  return digraphs[upper] ?? first + rest.join('').toLowerCase()
}

export const swapCase = (text: string): string =>
  Array.from(text, char =>
    /^\p{Lu}$/u.test(char) || char !== char.toLowerCase() ? char.toLowerCase() : char.toUpperCase(),
  ).join('')

export const isTitled = (text: string): boolean => {
  let isWithin = false
  let isAny = false
  for (const char of text) {
    const isUpper = /^[\p{Lu}\p{Lt}]$/u.test(char)
    const isCased = cased.test(char)
    if (isCased && isUpper === isWithin) return false
    isWithin = isCased
    isAny ||= isCased
  }
  return isAny
}

export const leadingSpace = new RegExp(`^[${space}]+`)
export const trailingSpace = new RegExp(`[${space}]+$`)
const someSpace = new RegExp(`[${space}]+`)
const onlySpace = new RegExp(`^[${space}]+$`)
