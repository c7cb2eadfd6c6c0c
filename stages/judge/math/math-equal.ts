import { latexValue, isSameExpression } from './latex-value.js'
import { plainMath, splitAtCommas } from './math-text.js'

/**
 * Whether two mathematical texts (LaTeX or plain) mean the same: the same text, the same number to six places, expressions with equal values,
 * lists of equal parts, sets of equal parts in any order, intervals with the same ends, an equation and what its unknown comes to.
 *
 * Follows the verdicts of math-verify 0.8.0 (https://github.com/huggingface/Math-Verify), which has SymPy for its algebra.
 */
export function isMathEqual(target: string, answer: string): boolean {
  const [right, given] = [plainMath(target), plainMath(answer)]
  if (right === '' || given === '') return false
  if (isSameText(right, given)) return true
  const [one, other] = [listOf(right), listOf(given)]
  if (one !== undefined || other !== undefined) return one !== undefined && other !== undefined && areLists(one, other)
  return isSameValue(right, given)
}

/** But for white space; of a word also but for letter case. */
function isSameText(right: string, given: string): boolean {
  const [one, other] = [right.replace(/\s/g, ''), given.replace(/\s/g, '')]
  return one === other || (/^\(?[a-zA-Z]+\)?$/.test(one) && word(one) === word(other))
}

const word = (text: string): string => text.replace(/^\((.*)\)$/, '$1').toLowerCase()

function isSameValue(right: string, given: string): boolean {
  const [relation, other] = [relationOf(right), relationOf(given)]
  if (relation !== undefined && other !== undefined) return isSameRelation(relation, other)
  if (relation !== undefined || other !== undefined) {
    const [one, another] = [
      relation === undefined ? right : solution(relation),
      other === undefined ? given : solution(other),
    ]
    return one !== undefined && another !== undefined && isSameValue(one, another)
  }
  const [x, y] = [latexValue(right), latexValue(given)]
  if (x !== undefined && y !== undefined) return isNear(x, y, isWhole(right, x) || isWhole(given, y) ? 1e-12 : 5e-7)
  return x === undefined && y === undefined && isSameExpression(right, given)
}

/** `3` is near to itself alone; `3.0` to what rounds to it at six places. */
const isWhole = (text: string, value: number): boolean => Number.isInteger(value) && !text.includes('.')

const isNear = (x: number, y: number, tolerance: number): boolean =>
  Math.abs(x - y) <= tolerance * Math.max(1, Math.abs(x), Math.abs(y))

interface List {
  readonly open: string
  readonly close: string
  readonly parts: readonly string[]
}

function listOf(text: string): List | undefined {
  const [, open = '', inner, close = ''] = /^(\\\{|[([])([\s\S]*)(\\\}|[)\]])$/.exec(text) ?? []
  const parts = splitAtCommas(inner ?? text)
  if (inner === undefined) return parts.length > 1 ? { open: '', close: '', parts } : undefined
  return parts.length > 1 || open === '\\{' ? { open, close, parts } : undefined
}

/** The parts of a tuple are in order, those of a set or of an enumeration are not. It is the target that says which it is. */
function areLists(one: List, other: List): boolean {
  if (one.parts.length !== other.parts.length) return false
  const isSquare = ({ open, close }: List): boolean => open === '[' || close === ']'
  if ((isSquare(one) || isSquare(other)) && (one.open !== other.open || one.close !== other.close)) return false
  if (one.open === '(' || one.open === '[')
    return one.parts.every((part, index) => isMathEqual(part, other.parts[index] ?? ''))
  const left = [...other.parts]
  return one.parts.every(part => {
    const found = left.findIndex(candidate => isMathEqual(part, candidate))
    if (found >= 0) left.splice(found, 1)
    return found >= 0
  })
}

interface Relation {
  readonly sign: string
  readonly left: string
  readonly right: string
}

const mirrored: Readonly<Record<string, string>> = { '<': '>', '\\leq': '\\geq', '\\lt': '\\gt' }

function relationOf(text: string): Relation | undefined {
  const [, left, sign, right] = /^([^<>=\\]+|.*?[^\\])(=|<|>|\\(?:leq|geq|lt|gt)(?![a-zA-Z]))(.*)$/.exec(text) ?? []
  if (left === undefined || sign === undefined || right === undefined) return undefined
  const plain = sign.replace('\\lt', '<').replace('\\gt', '>')
  const turned = mirrored[plain]
  return turned === undefined ? { sign: plain, left, right } : { sign: turned, left: right, right: left }
}

const isSameRelation = (one: Relation, other: Relation): boolean =>
  one.sign === other.sign &&
  ((isMathEqual(one.left, other.left) && isMathEqual(one.right, other.right)) ||
    (one.sign === '=' && isMathEqual(one.left, other.right) && isMathEqual(one.right, other.left)))

/** What a single unknown is said to be. */
const solution = ({ sign, left, right }: Relation): string | undefined =>
  sign === '=' && /^\s*[a-zA-Z]\s*$/.test(left) ? right.trim() : undefined
