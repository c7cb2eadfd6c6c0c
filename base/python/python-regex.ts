/**
 * Translates Python regular expressions, which task files use, to JavaScript.
 *
 * It rewrites syntax that both languages have with different meanings: `\w`, `\d`, `\s`, `\b` cover all of Unicode, `.` excludes only the line
 * feed, and `$` also matches before a final line feed. It also translates `\A`, `\Z`, `(?P<name>…)`, `{,n}`, flags at the start and of groups
 * (`(?ix)`, `(?i:…)`), comments, possessive quantifiers, atomic groups, and escapes and braces that Unicode mode would reject.
 */
import { foldedClass } from './case-classes.js'
import { atomAt, classAt, type Mode } from './regex-atoms.js'
import { HidingRegExp } from './hiding-regexp.js'

const flagNames = { a: 'ascii', i: 'folded', m: 'multiline', s: 'dotAll', x: 'verbose' } as const

/** A part of the translation. Numbers of groups are known only when all groups are. */
type Piece = string | { readonly opens: 'group' | 'atom' } | { readonly refersTo: number | Piece }

interface OpenGroup {
  /** The position of its first piece. */
  readonly start: number
  /** The mode around it. */
  readonly mode: Mode
  /** The pieces that end the repetition. */
  readonly end: readonly Piece[]
  readonly isLookbehind: boolean
}

interface Translation {
  readonly pieces: Piece[]
  /** The groups that are open, the innermost last. */
  readonly open: OpenGroup[]
  mode: Mode
  /** The position where the last element begins, to which a quantifier would belong. */
  last: number
}

/**
 * Returns a JavaScript expression that matches what the Python `pattern` matches. `flags` may add `g`.
 *
 * @throws SyntaxError if the pattern is invalid, or needs a feature that JavaScript lacks, such as conditionals.
 */
export function pythonRegex(pattern: string, flags = ''): RegExp {
  const [leading = '', names = ''] = /^\(\?([aimsux]+)\)/.exec(pattern) ?? []
  const ignoresCase = names.includes('i')
  // The flag of the whole expression is quicker, but holds everywhere, and for letters of all scripts.
  const changesCase = names.includes('a') || /\(\?[amsux]*i[aimsux]*[-:]|\(\?[aimsux]*-[msx]*i[imsx]*:/.test(pattern)
  const mode = withFlags(plainMode, changesCase ? names : names.replaceAll('i', ''))
  const translation: Translation = { pieces: [], open: [], mode, last: -1 }
  for (let rest = pattern.slice(leading.length); rest !== '';) rest = rest.slice(step(rest, translation))
  if (translation.open.length > 0) throw new SyntaxError('a group is not closed')
  const { source, hidden } = joinPieces(translation.pieces)
  const allFlags = `u${ignoresCase && !changesCase ? 'i' : ''}${flags}`
  return hidden.length === 0 ? new RegExp(source, allFlags) : new HidingRegExp(source, allFlags, hidden)
}

const plainMode: Mode = { ascii: false, dotAll: false, folded: false, multiline: false, verbose: false }

function withFlags(mode: Mode, on: string, off = ''): Mode {
  const changed: Record<string, boolean> = {}
  for (const [letter, name] of Object.entries(flagNames)) {
    if (on.includes(letter)) changed[name] = true
    if (off.includes(letter)) changed[name] = false
  }
  // (?u:…) takes back (?a).
  return { ...mode, ...(on.includes('u') && { ascii: false }), ...changed }
}

/** Numbers the groups, and lists those that only the translation needs. */
function joinPieces(pieces: readonly Piece[]): { readonly source: string; readonly hidden: readonly number[] } {
  const openings = pieces.filter(piece => typeof piece === 'object' && 'opens' in piece)
  const groups = openings.filter(({ opens }) => opens === 'group')
  const findGroupNumber = (target: number | Piece): number =>
    openings.indexOf((typeof target === 'number' ? groups[target - 1] : target) as (typeof openings)[number]) + 1
  const sources = pieces.map(piece => {
    if (typeof piece === 'string') return piece
    if ('opens' in piece) return '('
    const number = findGroupNumber(piece.refersTo)
    if (number === 0) throw new SyntaxError(`there is no group ${Number(piece.refersTo)}`)
    return `(?:\\${number})`
  })
  return {
    source: sources.join(''),
    hidden: openings.flatMap(({ opens }, index) => (opens === 'atom' ? [index + 1] : [])),
  }
}

/** Translates the next element, and returns its length. */
function step(rest: string, to: Translation): number {
  const { mode } = to
  const skipped = mode.verbose ? /^(?:[ \t\n\r\f\v]+|#[^\n]*)/.exec(rest)?.[0].length : undefined
  if (skipped !== undefined) return skipped
  const quantifier = /^(?:[*+?]|\{(?=\d|,\d)\d*(?:,\d*)?\})/.exec(rest)?.[0]
  if (quantifier !== undefined) return quantify(rest, quantifier, to)
  if (rest.startsWith('(')) return openGroup(rest, to)
  if (rest.startsWith(')')) return closeGroup(to)
  to.last = to.pieces.length
  if (rest.startsWith('[')) {
    const [read, source] = classAt(rest, mode)
    to.pieces.push(mode.folded ? foldedClass(source, mode) : source)
    return read
  }
  const group = /^\\([1-9]\d?)(?!\d)/.exec(rest)
  if (group !== null) {
    refuseFolded(mode)
    to.pieces.push({ refersTo: Number(group[1]) })
    return group[0].length
  }
  const [read, source, isLiteral = false] = atomAt(rest, mode)
  to.pieces.push(mode.folded && isLiteral ? foldedClass(`[${source}]`, mode) : source)
  return read
}

function quantify(rest: string, quantifier: string, to: Translation): number {
  const plain = quantifier.replace('{,', '{0,')
  const suffix = rest.charAt(quantifier.length)
  if (suffix !== '+') {
    to.pieces.push(plain, suffix === '?' ? '?' : '')
    return quantifier.length + (suffix === '?' ? 1 : 0)
  }
  if (to.last < 0) throw new SyntaxError('a quantifier has nothing to repeat')
  const atom = to.pieces.splice(to.last)
  to.pieces.push(...atomic([...atom, plain], to))
  return quantifier.length + 1
}

/** A lookahead matches once and is not tried again. Its text is then matched by a reference to it. */
function atomic(inner: readonly Piece[], to: Translation): readonly Piece[] {
  refuseBehind(to)
  const opening = { opens: 'atom' } as const
  return ['(?:(?=', opening, ...inner, '))', { refersTo: opening }, ')']
}

function openGroup(rest: string, to: Translation): number {
  const backreference = /^\(\?P=(\w+)\)/.exec(rest)
  if (backreference !== null) {
    refuseFolded(to.mode)
    to.last = to.pieces.length
    to.pieces.push(`(?:\\k<${backreference[1] ?? ''}>)`)
    return backreference[0].length
  }
  const comment = /^\(\?#[^)]*\)/.exec(rest)
  if (comment !== null) return comment[0].length
  const start = to.pieces.length
  const enter = (mode: Mode, end: readonly Piece[], ...opening: readonly Piece[]): void => {
    to.open.push({ start, mode: to.mode, end, isLookbehind: opening[0] === '(?<=' || opening[0] === '(?<!' })
    to.pieces.push(...opening)
    to.mode = mode
    to.last = -1
  }
  if (rest.startsWith('(?>')) {
    refuseBehind(to)
    const opening = { opens: 'atom' } as const
    enter(to.mode, ['))', { refersTo: opening }, ')'], '(?:(?=', opening)
    return 3
  }
  const scoped = /^\(\?([aimsux]*)(?:-([imsx]+))?:/.exec(rest)
  if (scoped !== null) {
    enter(withFlags(to.mode, scoped[1] ?? '', scoped[2]), [')'], '(?:')
    return scoped[0].length
  }
  const [opening = ''] = /^\((?:\?(?:P<\w+>|<[=!]|[=!]))?/.exec(rest) ?? []
  if (opening === '(' && rest.startsWith('(?')) throw new SyntaxError(unknownGroup(rest))
  if (opening === '(') enter(to.mode, [')'], { opens: 'group' })
  // A named group is a group with a number, too.
  else if (opening.startsWith('(?P')) enter(to.mode, [')'], { opens: 'group' }, opening.slice(1).replace('?P', '?'))
  else enter(to.mode, [')'], opening)
  return opening.length
}

function unknownGroup(rest: string): string {
  if (rest.startsWith('(?('))
    return 'conditional groups, (?(1)…|…), are not supported; write both cases with |, as in (?:\\(a\\)|a) for (\\()?a(?(1)\\))'
  if (/^\(\?[aimsux]+\)/.test(rest))
    return 'flags for the whole pattern must stand at its start; write (?i:…) for a part'
  return `an unknown group, ${rest.slice(0, 6)}…`
}

function closeGroup(to: Translation): number {
  const group = to.open.pop()
  if (group === undefined) throw new SyntaxError('a closing bracket has no opening one')
  to.pieces.push(...group.end)
  to.mode = group.mode
  to.last = group.start
  return 1
}

function refuseFolded({ folded }: Mode): void {
  if (folded)
    throw new SyntaxError('a reference to a group in (?i:…) is not supported; write (?i) at the start of the pattern')
}

/** A lookbehind is matched from its end, so that the reference would be read before the group. */
function refuseBehind({ open }: Translation): void {
  if (open.some(({ isLookbehind }) => isLookbehind))
    throw new SyntaxError(
      'atomic groups and possessive quantifiers in a lookbehind are not supported; leave out (?>…) or the +',
    )
}
