/** Reads the boxes of an answer: `\\boxed{…}` and `\\fbox{…}`. */
import { readBraces } from '../text/stated-answer.js'
import { isUnsaid } from './unsaid-values.js'

/** The number of the last boxes that are looked at where the answer denies them. */
const mostBoxes = 20

/** Blanks the last boxes that the text denies, supposes or asks for: `\\boxed{4} is not correct`. */
export function withoutUnsaidBoxes(text: string): string {
  let rest = text
  for (let tries = 0; tries < mostBoxes; tries += 1) {
    const start = Math.max(rest.lastIndexOf('\\boxed{'), rest.lastIndexOf('\\fbox{'))
    const open = rest.indexOf('{', start)
    const content = start < 0 ? undefined : readBraces(rest, open)
    if (content === undefined) return rest
    const end = open + content.length + 2
    if (!isUnsaid(rest, { start, end })) return rest
    rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end)
  }
  return rest
}

/** The content of the last box, or of the last boxes side by side, with a per cent sign behind it. */
export function boxedAnswer(text: string): string | undefined {
  const last = lastBoxed(text)
  if (last === undefined) return undefined
  const start = Math.max(text.lastIndexOf(`\\boxed{${last}}`), text.lastIndexOf(`\\fbox{${last}}`))
  if (start < 0) return last
  const end = text.indexOf('{', start) + last.length + 2
  const percent = /^\s?\$?\s?\\?%/.test(text.slice(end, end + 5)) ? '\\%' : ''
  const before = /^([\s\S]*\})[\s$]*(?:,|,?\s*(?:and|or))[\s$]*$/.exec(
    text.slice(Math.max(0, start - 2000), start),
  )?.[1]
  const earlier = before === undefined ? undefined : boxAtEnd(before)
  return `${earlier === undefined ? '' : `${earlier}, `}${last}${percent}`
}

/** The content of boxes side by side that end a text. */
function boxAtEnd(text: string): string | undefined {
  const last = lastBoxed(text)
  return last !== undefined && text.endsWith(`boxed{${last}}`) ? boxedAnswer(text) : undefined
}

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
  return text.charAt(open) === '{' ? readBraces(text, open) : undefined
}
