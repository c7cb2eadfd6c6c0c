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
