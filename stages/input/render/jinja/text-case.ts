const cased = /^\p{Cased}$/u

/** What Python calls title case: each first letter of a word capital, the others small. A word begins behind anything without case. */
export function titled(text: string): string {
  let isWithin = false
  return Array.from(text, char => {
    const result = isWithin ? char.toLowerCase() : capital(char)
    isWithin = cased.test(char)
    return result
  }).join('')
}

/** The first letter capital, the others small. */
export function capitalized(text: string): string {
  const [first = '', ...rest] = Array.from(text)
  return capital(first) + rest.join('').toLowerCase()
}

/** Letters that are two in one, of which only the first becomes capital. */
const digraphs: Readonly<Record<string, string>> = { Ǆ: 'ǅ', Ǉ: 'ǈ', Ǌ: 'ǋ', Ǳ: 'ǲ' }

function capital(char: string): string {
  const upper = char.toUpperCase()
  const [first = '', ...rest] = Array.from(upper)
  return digraphs[upper] ?? first + rest.join('').toLowerCase()
}

export const swapped = (text: string): string =>
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

export const isUpper = (text: string): boolean => /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)
export const isLower = (text: string): boolean => /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)
