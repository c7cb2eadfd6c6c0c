/** Formulas between dollar signs, or the brackets of LaTeX. */
const formula = /\$\$([\s\S]+?)\$\$|\$([^$\n]+?)\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]/g

const number = /(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?:\s?\/\s?\d+(?:\.\d+)?)?(?!\w)(?:\s?\\?%)?/g

/**
 * What an answer comes to, as mathematical text: what stands in the last box, else the last formula, else the last number; the whole where it is
 * one line without words. A number of per cent amid words has two readings, as `77%` answers both 77 and 0.77. Empty where there is none of these.
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

/** Without the signs of Markdown for bold text and headings. */
const withoutMarkdown = (text: string): string => text.replaceAll('**', '').replace(/^#+(?=\s)/gm, '')

/**
 * What stands in the last `\boxed{…}` (or `\fbox{…}`) of a text, with braces in it that close; of `\boxed x$` what stands before the dollar.
 */
export function lastBoxed(text: string): string | undefined {
  const bare = text.lastIndexOf('\\boxed ')
  if (bare >= 0) return text.slice(bare + '\\boxed '.length).split('$')[0]
  const [box] = ['\\boxed', '\\fbox'].filter(name => text.includes(name))
  if (box === undefined) return undefined
  const open = text.lastIndexOf(box) + box.length
  return text.charAt(open) === '{' ? insideBraces(text, open) : undefined
}

/** What stands between the brace at `open` and the one that closes it. */
function insideBraces(text: string, open: number): string | undefined {
  let depth = 0
  for (let i = open; i < text.length; i++) {
    const character = text.charAt(i)
    if (character === '{') depth++
    if (character === '}' && --depth === 0) return text.slice(open + 1, i)
  }
  return undefined
}
