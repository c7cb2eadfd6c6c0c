/**
 * Changes a text of JSON outside of its strings. A regular expression that passes over strings fails at those of some megabytes,
 * such as a picture in base64.
 */
export function changeOutsideStrings(
  text: string,
  change: (between: string) => string,
  changeString: (string: string) => string = string => string,
): string {
  const parts: string[] = []
  for (let at = 0; ;) {
    const open = text.indexOf('"', at)
    if (open < 0) {
      parts.push(change(text.slice(at)))
      return parts.join('')
    }
    const end = endOfString(text, open)
    parts.push(change(text.slice(at, open)), changeString(text.slice(open, end)))
    at = end
  }
}

/** Behind the closing quote; the end of the text where there is none. */
function endOfString(text: string, open: number): number {
  for (let from = open + 1; ;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return text.length
    let before = quote - 1
    while (text[before] === '\\') before--
    if ((quote - 1 - before) % 2 === 0) return quote + 1
    from = quote + 1
  }
}
