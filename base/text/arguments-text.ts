/** Writes arguments as a flag such as `--model-args` reads them: `model=gpt,temperature=0`, or JSON if a value would be read as something else. */
export const formatArguments = (values: Readonly<Record<string, unknown>>): string =>
  formatPairs(values) ?? JSON.stringify(values)

/** Writes arguments as pairs. @returns undefined if a value would be read as something else */
export function formatPairs(values: Readonly<Record<string, unknown>>): string | undefined {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    const isPlain =
      typeof value === 'string' ? isPlainText(value) : typeof value === 'number' || typeof value === 'boolean'
    if (!isPlain || !/^[\w.*-]+$/.test(name)) return undefined
    pairs.push(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  }
  return pairs.join(',')
}

/** A text that is read as itself: no separator, quote or bracket, and not as a number or a truth value. */
const isPlainText = (text: string): boolean =>
  /^[\p{L}_/~$.][\p{L}\p{N}_/:.@+~$?&#%-]*$/u.test(text) && !/^(true|false)$/i.test(text) && !/^\.\d/.test(text)
