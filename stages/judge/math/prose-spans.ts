/** Finds the mathematical parts of a sentence, such as `x = 2\sqrt{3}` in `So x = 2\sqrt{3} is largest`. */

/** A part of a text. */
export interface Span {
  readonly text: string
  readonly start: number
  readonly end: number
}

const spaced = String.raw`[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)(?:[.,]\d+)?`
const kinds = {
  space: String.raw`(?:[ \t\u00a0]|\\[,;:! ]|\\\$|\p{Sc})+`,
  text: String.raw`(?<=:\d\d\s?)[AaPp]\.?[Mm]\.?(?![\p{L}])|\\(?:text|mbox|mathrm|textrm|textbf)\s*\{[^{}]*\}(?:\^\{?\d\}?)?`,
  relation: String.raw`[=<>≤≥≠≈∈]|\\(?:leq?|geq?|neq?|approx|in|lt|gt)(?![a-zA-Z])`,
  operator: String.raw`(?<=\d):(?=\d)|[-+*/^_−×·÷±∪∩]|\\(?:cdot|times|div|pm|mp|cup|cap|setminus)(?![a-zA-Z])`,
  environment: String.raw`\\begin\{\w+\*?\}[\s\S]*?\\end\{\w+\*?\}`,
  command: String.raw`\\[a-zA-Z]+|[√∛∜π∞∅°]|(?<![\p{L}])(?:sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|pi|inf|infinity)(?![\p{L}])`,
  open: String.raw`\\\{|[([{]`,
  close: String.raw`\\\}|[)\]}]`,
  // Names such as H2O and units with a power such as cm^2 are words.
  word: String.raw`[a-zA-Z](?=\d)\w*|(?:\p{Script=Latin}\p{M}*){2,}(?:\d+|(?:\/[a-zA-Z]+)?\s?\^\s?\{?-?\d+\}?)?|(?:\p{Script=Greek}\p{M}*){2,}|(?:(?!\p{Script=Latin}|\p{Script=Greek})[\p{L}\p{M}])+`,
  number: String.raw`(?:${spaced}|\d+(?:[.,'’]\d+)*|\.\d+)(?:[eE][-+]?\d+(?![\p{L}\p{N}]))?`,
  letter: String.raw`[a-zA-Zα-ωΑ-Ω]`,
  postfix: String.raw`\\?%|'+|!(?=\s*[-=+*/^])`,
  comma: String.raw`[,;]`,
} as const

type Kind = keyof typeof kinds | 'other'

const names = Object.keys(kinds) as (keyof typeof kinds)[]
const token = new RegExp(`${names.map(name => `(?<${name}>${kinds[name]})`).join('|')}|(?<other>[\\s\\S])`, 'gu')

const chooseKind = (match: RegExpExecArray): Kind => names.find(kind => match.groups?.[kind] !== undefined) ?? 'other'

interface Growing {
  readonly start: number
  readonly end: number
  readonly last: Kind
  readonly depth: number
}

/** The mathematical parts of a text, in order. */
export function mathSpans(text: string): readonly Span[] {
  const spans: Span[] = []
  let open: Growing | undefined
  for (const match of text.matchAll(token)) {
    const kind = chooseKind(match)
    const end = match.index + match[0].length
    if (kind === 'space') continue
    const isNext = open !== undefined && continues(open, kind, { text, start: match.index })
    if (!isNext && open !== undefined) {
      spans.push(...trimSpan(text, open))
      open = undefined
    }
    if (!isNext && !canStart.has(kind)) continue
    const depth = (open?.depth ?? 0) + (kind === 'open' ? 1 : kind === 'close' ? -1 : 0)
    open = { start: open?.start ?? match.index, end, last: kind, depth }
  }
  return open === undefined ? spans : [...spans, ...trimSpan(text, open)]
}

const canStart = new Set<Kind>(['relation', 'operator', 'environment', 'command', 'open', 'number', 'letter'])

/** Returns whether a token belongs to the expression before it. Only within brackets do commas, and operands without a sign between. */
function continues(
  open: Growing,
  kind: Kind,
  { text, start }: { readonly text: string; readonly start: number },
): boolean {
  if (kind === 'word' || kind === 'other') return false
  if (kind === 'close' || kind === 'comma') return open.depth > 0
  const isApart = /\s/.test(text.slice(open.end, start))
  if (!isApart || open.depth > 0 || ['operator', 'relation', 'open'].includes(open.last)) return true
  // `5 -3` are two numbers, `5 - 3` and `5-3` are a difference.
  if (kind === 'operator') return !/^[-+*_^]\S/.test(text.slice(start, start + 2))
  if (kind === 'relation' || kind === 'text' || kind === 'postfix') return true
  const isFraction = open.last === 'number' && kind === 'number' && /^\d+\s?\/\s?\d/.test(text.slice(start, start + 20))
  return isFraction || open.last === 'command' || kind === 'command'
}

/** Matches what stands before an expression and is not part of it: relation signs, dashes and operators. */
const leading =
  /^(?:[=<>≤≥≈*/^_·:,;\s]|[-−+](?=\s)|\\(?:approx|leq?|geq?|cdot|times|quad|qquad|Rightarrow|implies|to|rightarrow)(?![a-zA-Z])|\\[,;:! ])+/
const trailing =
  /(?:[-+*/^_−×·=<>:,;\s]|\\(?:cdot|times|quad|qquad|Rightarrow|implies|to|rightarrow|dots|ldots)|\\[,;:! ])+$/

/** The expression without signs that have no operand, and without brackets that have no partner. Empty if nothing is left. */
function trimSpan(text: string, { start, end }: Growing): readonly Span[] {
  let [from, to] = [start, end]
  for (;;) {
    const inner = text.slice(from, to)
    const [head, tail] = [leading.exec(inner)?.[0].length ?? 0, trailing.exec(inner)?.[0].length ?? 0]
    const lone = head === 0 && tail === 0 ? loneBrackets(inner) : []
    if (head + tail >= inner.length) return []
    const [first] = lone
    // What stands behind a bracket that is never closed is an expression, too.
    if (first === 0) from += endOfLeading(inner, lone)
    else if (first !== undefined) to = from + first
    else if (head === 0 && tail === 0) break
    from += head
    to -= tail
  }
  const inner = text.slice(from, to)
  return hasSubstance.test(inner) ? [{ text: inner, start: from, end: to }] : []
}

/** The positions of the brackets that are never closed. */
function loneBrackets(text: string): readonly number[] {
  const open: number[] = []
  for (const { 0: bracket, index } of text.matchAll(/\\[{}]|[()[\]{}]/g))
    if (/[([{]$/.test(bracket)) open.push(index)
    else open.pop()
  return open
}

/**
 * The end of the lone brackets at the start of a text, which only leading signs may separate. All are skipped at once: a
 * pass for each of thousands would read the rest of the text thousands of times.
 */
function endOfLeading(text: string, lone: readonly number[]): number {
  let end = 0
  for (const at of lone) {
    const gap = text.slice(end, at)
    if (gap !== '' && leading.exec(gap)?.[0].length !== gap.length) break
    end = at + (text.startsWith('\\', at) ? 2 : 1)
  }
  return end
}

/** Matches what makes a text mathematical: a digit, a constant or function, or letters with a sign between. */
const hasSubstance =
  /\d|[√∛∜π∞∅]|\\(?!(?:text|mbox|mathrm|textrm|textbf|left|right|quad|qquad|boxed)(?![a-zA-Z]))[a-zA-Z]+|\b(?:pi|inf|infinity)\b|[a-zA-Zα-ω)]\s*[+*=<>^≤≥]\s*[a-zA-Zα-ω(]/
