/** The white space of Python's `str.strip()` and `\s`. JavaScript's also includes U+FEFF, and excludes U+001C–1F and U+0085. */
export const whiteSpaceClass = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

const isSpace = (code: number): boolean =>
  code <= 0x20
    ? (code >= 0x09 && code <= 0x0d) || code >= 0x1c
    : code >= 0x85 &&
      (code === 0x85 ||
        code === 0xa0 ||
        code === 0x1680 ||
        (code >= 0x2000 && code <= 0x200a) ||
        code === 0x2028 ||
        code === 0x2029 ||
        code === 0x202f ||
        code === 0x205f ||
        code === 0x3000)

/** Removes white space at both ends, as Python's `str.strip()`. */
export function stripWhiteSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** Removes white space at the end, as Python's `str.rstrip()`. */
export function stripTrailingWhiteSpace(text: string): string {
  let end = text.length
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(0, end)
}

/** Splits at white space into non-empty words, as Python's `str.split()`. */
export function splitWhiteSpace(text: string): string[] {
  const words: string[] = []
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    if (i < text.length && !isSpace(text.charCodeAt(i))) continue
    if (i > start) words.push(text.slice(start, i))
    start = i + 1
  }
  return words
}

/** Returns whether white space (Python's `str.isspace()`) separates two texts that are joined. */
export const isParted = (before: string, after: string): boolean =>
  isSpace(before.charCodeAt(before.length - 1)) || isSpace(after.charCodeAt(0))
