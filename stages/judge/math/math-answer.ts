/** Matches formulas in dollar signs or LaTeX brackets. */
const formula = /\$\$([\s\S]+?)\$\$|\$([^$\n]+?)\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]/g

const number = /(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?:\s?\/\s?\d+(?:\.\d+)?)?(?!\w)(?:\s?\\?%)?/g

/**
 * The final answer of a text, as mathematical text: the content of the last box, else the last formula, else the
 * last number. A single line without words is used whole. A percentage in a sentence has two readings, since `77%`
 * can mean 77 or 0.77. Empty if nothing is found.
 */
export function mathAnswers(answer: string): readonly string[] {
  const text = withoutMarkdown(answer)
  const boxed = lastBoxed(text)
  if (boxed !== undefined) return [boxed]
  const formulas = Array.from(text.matchAll(formula), found => found.slice(1).find(Boolean))
  const last = formulas.at(-1)
  if (last !== undefined) return [last]
  if (!/[a-zA-Z]{2}|\n/.test(text.replace(/\\[a-zA-Z]+/g, '').trim())) return text.trim() === '' ? [] : [text.trim()]
  const found = text
    .match(number)
    ?.filter(one => one !== '')
    .at(-1)
  if (found === undefined) return []
  return found.endsWith('%') ? [found, found.replace(/\s?\\?%$/, '')] : [found]
}

/** Removes Markdown's signs for bold text and headings. */
const withoutMarkdown = (text: string): string => text.replaceAll('**', '').replace(/^#+(?=\s)/gm, '')

/**
 * The content of the last `\boxed{…}` or `\fbox{…}` with balanced braces. For `\boxed x$` it is the text before the
 * dollar sign.
 */
export function lastBoxed(text: string): string | undefined {
  const bare = text.lastIndexOf('\\boxed ')
  if (bare >= 0) return text.slice(bare + '\\boxed '.length).split('$')[0]
  const [box] = ['\\boxed', '\\fbox'].filter(name => text.includes(name))
  if (box === undefined) return undefined
  const open = text.lastIndexOf(box) + box.length
  return text.charAt(open) === '{' ? insideBraces(text, open) : undefined
}

/** The text between the brace at `open` and the one that closes it. */
function insideBraces(text: string, open: number): string | undefined {
  let depth = 0
  for (let i = open; i < text.length; i++) {
    const character = text.charAt(i)
    if (character === '{') depth++
    if (character === '}' && --depth === 0) return text.slice(open + 1, i)
  }
  return undefined
}
