import { readFormula } from './formula.js'
import { isEqual } from '../numbers/rational.js'
import { decimalPoint, isSameExpression, latexNumber, latexValue, proportion } from './latex-value.js'
import { parseMatrix } from './math-relation.js'
import {
  assignedValue,
  isAssignment,
  isEquation,
  lastSide,
  parseRelation,
  reverseRelation,
  type Relation,
} from './math-relation.js'
import { isSameSet, numberSet, solutions, type NumberSet } from './math-set.js'
import { besideNumber, plainMath, splitBracket, splitOutside, withoutUnitSymbol } from './math-text.js'
import { pythonRound } from '../text/python-number.js'

/**
 * Returns whether two mathematical texts, LaTeX or plain, mean the same. They do if they are the same text, the same
 * number to six places, or expressions with equal values. Lists need equal parts, sets equal parts in any order, unions
 * of intervals the same ends, and matrices equal cells. An equation equals the value of its unknown, and equations and
 * inequalities with the same solutions are equal.
 *
 * Follows the verdicts of math-verify 0.8.0 (https://github.com/huggingface/Math-Verify), which uses SymPy for its
 * algebra.
 */
export function isMathEqual(target: string, answer: string): boolean {
  if (Math.max(target.length, answer.length) > longest) return isSameText(target, answer)
  const [plainTarget, plainAnswer] = [plainMath(besideNumber(target, answer)), plainMath(besideNumber(answer, target))]
  const [right, answerText] = [withoutUnitSymbol(plainTarget, plainAnswer), withoutUnitSymbol(plainAnswer, plainTarget)]
  if (right === '' || answerText === '') return false
  return isSameText(right, answerText) || isSameMeaning(right, answerText)
}

/**
 * The longest text that is parsed, in characters. No sensible answer is longer; the repetitions of a looping model
 * are compared as text.
 */
const longest = 4000

/** Returns whether a text is nothing but words, such as `\text{no solution}`. */
export const isWords = (text: string): boolean =>
  text.length <= longest && /^\p{L}[\p{L}\p{M}'’-]+(?:\s+[\p{L}\p{M}'’-]+)*$/u.test(plainMath(text))

/** Returns whether a text is mathematics of a supported kind, or a single word or a text in LaTeX. */
export function isReadable(text: string): boolean {
  if (text.length > longest) return false
  const plain = plainMath(text)
  if (isWords(text)) return plain !== text.trim() || !/\s/.test(plain)
  const parts = parseMatrix(plain)?.slice(2) ?? parseRelation(plain)?.sides ?? parseList(plain).parts
  return parts.length > 0 && parts.every(part => numberSet(part, true) !== undefined || readFormula(part) !== undefined)
}

/** Returns whether two texts are equal without white space; words are compared case-insensitively. */
function isSameText(right: string, answer: string): boolean {
  const [rightText, answerText] = [right.replace(/\s/g, ''), answer.replace(/\s/g, '')]
  return rightText === answerText || (/^\(?[a-zA-Z]+\)?$/.test(rightText) && word(rightText) === word(answerText))
}

const word = (text: string): string => text.replace(/^\((.*)\)$/, '$1').toLowerCase()

function isSameMeaning(right: string, answer: string): boolean {
  const [matrix, cells] = [parseMatrix(right), parseMatrix(answer)]
  if (matrix !== undefined || cells !== undefined)
    return matrix !== undefined && cells !== undefined && areEqualInOrder(matrix, cells)
  const [relation, said] = [parseRelation(right), parseRelation(answer)]
  if (relation !== undefined || said !== undefined) return isSameRelation([right, relation], [answer, said])
  if (numberSet(right) !== undefined || numberSet(answer) !== undefined) return isSameUnion(right, answer)
  const [list, other] = [parseList(right), parseList(answer)]
  const isSingle = list.parts.length === 1 && other.parts.length === 1
  if (isSingle && list.open === '' && other.open === '') return isSameValue(right, answer)
  if (isSingle) return isMathEqual(list.parts[0] ?? '', other.parts[0] ?? '')
  return isHalfOpen(list) || isHalfOpen(other) ? isSameInterval([right, list], [answer, other]) : areLists(list, other)
}

function isSameUnion(right: string, answer: string): boolean {
  const [set, other] = [numberSet(right, true), numberSet(answer, true)]
  return set !== undefined && other !== undefined && isSameSet(set, other)
}

/** Matches a number with a decimal point. */
const decimal = /^[-+−]?\s*\d*\.\d*(?:\\%)?$/

function isSameValue(right: string, answer: string): boolean {
  const [wholeRight, wholeAnswer] = [wholeNumber(right), wholeNumber(answer)]
  if (wholeRight !== undefined && wholeAnswer !== undefined) return wholeRight === wholeAnswer
  const [a, b] = [latexNumber(right), latexNumber(answer)]
  if (a === undefined || b === undefined) return isSameExpression(right, answer)
  const [x, y] = [a.re, b.re]
  if (a.exact !== undefined && b.exact !== undefined) {
    const isRoundable = decimalPoint.test(right + ' ' + answer) && Math.abs(x) < 2 ** 52
    if (isEqual(a.exact, b.exact) || !isRoundable) return isEqual(a.exact, b.exact)
  }
  const isRounded = [right, answer].some(text => decimal.test(text)) && !isWhole(right, x) && !isWhole(answer, y)
  if (isRounded) return pythonRound(x, 6) === pythonRound(y, 6)
  const precision = calculated.test(right) || calculated.test(answer) ? 1e-9 : 1e-12
  return Math.abs(x - y) <= precision * Math.max(Math.abs(x), Math.abs(y), x === 0 || y === 0 ? 1 : 0)
}

/** Matches formulas that are computed numerically, with fewer exact places. */
const calculated = /\\(?:int|lim)(?![a-zA-Z])/

/** `3` equals only itself. `3.0` equals every number that rounds to it at six places. */
const isWhole = (text: string, value: number): boolean => Number.isInteger(value) && !text.includes('.')

/** The value of a whole number of any length. */
const wholeNumber = (text: string): bigint | undefined =>
  /^[-+]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined

interface List {
  readonly open: string
  readonly close: string
  readonly parts: readonly string[]
}

/** Splits a text into its list of parts; `a ± b` is a list of two. */
function parseList(text: string): List {
  const { open, inner, close } = splitBracket(text) ?? { open: '', inner: text, close: '' }
  const parts = splitOutside(inner, /[,;]/).flatMap(part => bothSigns(part))
  return parts.length > 1 || open === '\\{' ? { open, close, parts } : { open: '', close: '', parts: [text] }
}

const bothSigns = (text: string): readonly string[] =>
  /^[^(=]*(?:\\pm(?![a-zA-Z])|±)/.test(text)
    ? ['+', '-'].map(sign => text.replace(/\\pm(?![a-zA-Z])|±/, sign).replace(/^\+/, ''))
    : [text]

/** `[1, 2]` is an interval, and `(1, 2)` may also be a pair. `[2, 1]` is a pair. */
function isHalfOpen({ open, close, parts }: List): boolean {
  const [from = '', to = ''] = parts
  if (parts.length !== 2 || (open !== '[' && close !== ']') || from === to) return false
  const [x, y] = [latexValue(from), latexValue(to)]
  return x === undefined || y === undefined || x < y
}

const isSameInterval = ([right, list]: readonly [string, List], [answer, other]: readonly [string, List]): boolean =>
  isSameUnion(right, answer) ||
  (list.open === other.open && list.close === other.close && areEqualInOrder(list.parts, other.parts))

/** Parts of a tuple are ordered; those of a set or an enumeration are not. The target decides which it is. */
const areLists = (list: List, other: List): boolean =>
  isOrdered(list)
    ? areEqualInOrder(list.parts, other.parts)
    : areEqualInAnyOrder(withoutRepeats(list.parts), isOrdered(other) ? other.parts : withoutRepeats(other.parts))

const isOrdered = ({ open }: List): boolean => open === '(' || open === '[' || open === '\\langle'

const withoutRepeats = (parts: readonly string[]): readonly string[] =>
  parts.filter((part, index) => !parts.slice(0, index).some(earlier => isMathEqual(earlier, part)))

const areEqualInOrder = (parts: readonly string[], other: readonly string[]): boolean =>
  parts.length === other.length && parts.every((part, index) => isMathEqual(part, other[index] ?? ''))

function areEqualInAnyOrder(parts: readonly string[], other: readonly string[]): boolean {
  const remainingParts = [...other]
  return (
    parts.length === other.length &&
    parts.every(part => {
      const index = remainingParts.findIndex(candidate => isMathEqual(part, candidate))
      if (index >= 0) remainingParts.splice(index, 1)
      return index >= 0
    })
  )
}

/**
 * If only the answer is an equation, its last side is compared. If only the target is one, its last side is
 * compared when it assigns a value to a name.
 */
function isSameRelation(
  [right, relation]: readonly [string, Relation | undefined],
  [answer, said]: readonly [string, Relation | undefined],
): boolean {
  if (relation !== undefined && said !== undefined) {
    const [own, set] = [parseMembership(relation), parseMembership(said)]
    if (set !== undefined && !isEquation(relation)) return isSolvedBy(relation, set)
    if (own !== undefined && !isEquation(said)) return isSolvedBy(said, own)
  }
  if (said === undefined) {
    const set = numberSet(answer, true)
    if (relation !== undefined && !isEquation(relation)) return set !== undefined && isSolvedBy(relation, set)
    const value = relation && assignedValue(relation)
    return value !== undefined && isMathEqual(value, answer)
  }
  if (relation === undefined) return isEquation(said) && isMathEqual(right, assignedValue(said) ?? lastSide(said))
  if (isAssignment(relation) && isAssignment(said))
    return isMathEqual(relation.sides[0] ?? '', said.sides[0] ?? '') && isMathEqual(lastSide(relation), lastSide(said))
  return isSameChain(relation, said) || isSameChain(relation, reverseRelation(said)) || isProportionalTo(relation, said)
}

/** The set in a relation such as `x \in (1, 2)`. */
const parseMembership = (relation: Relation): NumberSet | undefined =>
  isEquation(relation) ? numberSet(lastSide(relation), true) : undefined

const isSolvedBy = (relation: Relation, set: NumberSet | undefined): boolean => {
  const own = solutions(relation)
  return own !== undefined && set !== undefined && isSameSet(own, set)
}

const isSameChain = (relation: Relation, other: Relation): boolean =>
  relation.signs.join(' ') === other.signs.join(' ') && areEqualInOrder(relation.sides, other.sides)

/**
 * Returns whether equations are multiples of each other, such as `x + 2y = 6` and `3 - y = x/2`. An equation of one
 * variable must be solved: `3x = 6` does not equal `x = 2`.
 */
function isProportionalTo(relation: Relation, other: Relation): boolean {
  const [a = '', b = '', ...more] = relation.sides
  const [c = '', d = '', ...others] = other.sides
  const [sign = '', otherSign = ''] = [relation.signs[0], other.signs[0]]
  if (more.length > 0 || others.length > 0) return false
  const scaling = proportion(`${a}-(${b})`, `${c}-(${d})`)
  if (scaling === undefined) return false
  const { ratio, names } = scaling
  if (sign === '=' && Math.abs(Math.abs(ratio) - 1) > 1e-9 && names < 2) return false
  return sign === '=' || sign === '\\neq' || ratio > 0
    ? sign === otherSign
    : reverseRelation(relation).signs[0] === otherSign
}
