/** Chooses the number that an answer gives among the numbers that it holds. */
import { withoutGlossBrackets, withoutNextQuestion, withoutSideLines } from '../text/answer-asides.js'
import { answerPositions } from '../text/answer-markers.js'
import { findStatedAnswers } from '../text/stated-answer.js'
import { findBound, findJoint, isListed } from '../text/value-claims/bounds.js'
import { isValueDenied } from '../text/value-claims/denials.js'
import { isValueSupposed } from '../text/value-claims/suppositions.js'
import { isEqual, divide, whole, type Rational } from './rational.js'
import { readNumberWords } from './number-words.js'
import { placeNumbers, plainNumbers, type NumberInText, type PlacedNumber } from './read-numbers.js'

/** The number that counts where the answer announces none. */
export type Pick = 'last' | 'first' | 'only'

/** The number that an answer gives, or the reason why there is none. A number without a value is part of something else. */
export type AnswerNumber =
  { readonly type: 'number'; readonly number: NumberInText } | { readonly type: 'none' } | { readonly type: 'several' }

/**
 * The number that an answer gives: what its last box, `<answer>` or JSON states; else, with `last`, what it announces
 * (`Answer: 42`, `#### 42`); else the first, the last or the only number. Numbers that the answer denies, supposes or
 * asks for never count. A bound, or a number of a range, an alternative, a pair or a quantity of several units has no
 * value.
 */
export function findAnswerNumber(answer: string, pick: Pick): AnswerNumber {
  if (pick !== 'last') return findNumber(answer, pick)
  const text = withoutNextQuestion(answer)
  const bare = withoutGlossBrackets(withoutSideLines(text))
  const found = findNumber(bare, pick)
  return found.type === 'none' && bare !== text ? findNumber(text, pick) : found
}

function findNumber(text: string, pick: Pick): AnswerNumber {
  for (const stated of findStatedAnswers(text)) {
    const inside = readPassage(plainNumbers(stated))
    if (inside.hasNumbers) return choose(inside, pick)
  }
  const passage = readPassage(plainNumbers(text))
  const announced = pick === 'last' ? findAnnounced(passage) : undefined
  if (announced !== undefined) return { type: 'number', number: announced }
  const chosen = choose(passage, pick)
  const inWords = passage.hasNumbers ? undefined : readNumberWords(text)
  return inWords === undefined ? chosen : { type: 'number', number: { written: text, value: inWords } }
}

/** A text that is searched for numbers. */
interface Passage {
  readonly text: string
  readonly hasNumbers: boolean
  readonly count: number
  /** The number at an index as the text means it; undefined if it is denied, supposed or only explains another. */
  at(index: number): PlacedNumber | undefined
  /** The indexes of the numbers from one position up to another. */
  between(start: number, end: number): readonly number[]
}

function readPassage(text: string): Passage {
  const numbers = placeNumbers(text)
  return {
    text,
    hasNumbers: numbers.length > 0,
    count: numbers.length,
    at(index) {
      const number = numbers[index]
      if (number === undefined) return undefined
      const bound = findBound(text, number)
      if (bound === 'explained' || isValueSupposed(text, number)) return undefined
      if (bound === 'none' && isValueDenied(text, number)) return undefined
      const isPart =
        bound === 'bound' ||
        isJoined(text, [numbers[index - 1], number]) ||
        isJoined(text, [number, numbers[index + 1]])
      if (isPart) return { ...number, value: undefined }
      const also =
        findOtherForm(text, [numbers[index - 1], number]) ?? findOtherForm(text, [number, numbers[index + 1]])
      return also === undefined
        ? number
        : { ...number, also: number.value && isEqual(also[0], number.value) ? also[1] : also[0] }
    },
    between(start, end) {
      const indexes: number[] = []
      for (let index = firstFrom(numbers, start); (numbers[index]?.start ?? end) < end; index += 1) indexes.push(index)
      return indexes
    },
  }
}

/** The index of the first number that starts at or behind a position. */
function firstFrom(numbers: readonly PlacedNumber[], position: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle]?.start ?? position) < position) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns whether two neighbouring numbers are no single value. "1/2 or 0.5" and "50% or 0.5" are one value. */
function isJoined(
  text: string,
  [first, second]: readonly [PlacedNumber | undefined, PlacedNumber | undefined],
): boolean {
  if (first === undefined || second === undefined) return false
  const joint = findJoint(text.slice(first.end, second.start), text.slice(second.end, second.end + 30))
  if (joint === undefined) return isListed(text, [first, second])
  return !(joint === 'alternative' || joint === 'pair') || !isSame(text, [first, second])
}

/** The two values of a share and the same number beside it, in brackets or behind a word: "1/8 (12.5%)", "1/8, or 12.5%". */
function findOtherForm(
  text: string,
  [first, second]: readonly [PlacedNumber | undefined, PlacedNumber | undefined],
): readonly [Rational, Rational] | undefined {
  if (first?.value === undefined || second?.value === undefined || isEqual(first.value, second.value)) return undefined
  const isBeside =
    /^[\s\\%$*]*(?:[,(（=≈]|or|oder|ou|o|或|i\.e\.|that is)[\s,(≈=$*]*(?:or|i\.e\.|that is)?[\s,$*]*$/iu.test(
      text.slice(first.end, second.start).slice(0, 20),
    )
  return isBeside && isSame(text, [first, second]) ? [first.value, second.value] : undefined
}

function isSame(text: string, [first, second]: readonly [PlacedNumber, PlacedNumber]): boolean {
  const [a, b] = [first, second].map(({ value, end }) => ({
    value,
    isShare: /^\s?\\?%/.test(text.slice(end, end + 3)),
  }))
  if (a?.value === undefined || b?.value === undefined) return false
  if (isEqual(a.value, b.value)) return true
  const [share, other] = a.isShare ? [a.value, b.value] : [b.value, a.value]
  const fraction = a.isShare === b.isShare ? undefined : divide(share, whole(100))
  return fraction !== undefined && isEqual(fraction, other)
}

function choose(passage: Passage, pick: Pick): AnswerNumber {
  if (pick === 'only') return chooseOnly(passage)
  for (let step = 0; step < passage.count; step += 1) {
    const index = pick === 'first' ? step : passage.count - 1 - step
    const number = passage.at(index)
    if (number === undefined) continue
    const result = pick === 'last' && number.value === undefined ? passage.at(index - 1) : undefined
    // "64 = 8 × 8" has its result before the calculation.
    const isResult =
      result?.value !== undefined && /^[\s*$]*=\s*$/.test(passage.text.slice(result.end, number.start).slice(0, 10))
    return { type: 'number', number: isResult ? result : number }
  }
  return { type: 'none' }
}

function chooseOnly(passage: Passage): AnswerNumber {
  let only: PlacedNumber | undefined
  for (let index = 0; index < passage.count; index += 1) {
    const number = passage.at(index)
    if (number === undefined) continue
    if (only === undefined) only = number
    else if (only.value === undefined || number.value === undefined || !isEqual(only.value, number.value))
      return { type: 'several' }
  }
  return only === undefined ? { type: 'none' } : { type: 'number', number: only }
}

/** The number of the last announcements that are searched, and of the characters in which they are. */
const mostAnnouncements = 5
const longest = 20_000

/** The number that the last announcement with a number gives. */
function findAnnounced(passage: Passage): NumberInText | undefined {
  const offset = Math.max(0, passage.text.length - longest)
  for (const at of answerPositions(passage.text.slice(offset)).slice(0, mostAnnouncements)) {
    const number = readAnnounced(passage, offset + at)
    if (number !== undefined) return number
  }
  return undefined
}

/** Ends a sentence. A point between digits is no end. */
const endOfSentence = /[.!?](?=\s|["'”)*]|$)|[。！？；;]|\n/g

/** The number in the first line behind an announcement: the first one if it follows at once, else the last one of the first sentence with one. */
function readAnnounced(passage: Passage, at: number): NumberInText | undefined {
  const { text } = passage
  const line = /^[\s*_#:>"“-]*[^\n]{0,500}/.exec(text.slice(at, at + 600))?.[0] ?? ''
  const meant = passage.between(at, at + line.length).flatMap(index => passage.at(index) ?? [])
  const [first] = meant
  if (first === undefined) return undefined
  endOfSentence.lastIndex = first.end
  const end = Math.min(at + line.length, endOfSentence.exec(text)?.index ?? text.length)
  const inSentence = meant.filter(({ start }) => start < end)
  const lead = text.slice(at, first.start)
  const isAtOnce = (lead.match(/[\p{L}\p{M}]+/gu) ?? []).length <= 2
  const result = findResult(text, { first, numbers: inSentence })
  return result ?? (isAtOnce ? first : inSentence.at(-1))
}

/** The number behind the last equals sign of a calculation: `6 × 7 = 42`, `40 + 2 = 42 apples`. */
function findResult(
  text: string,
  { first, numbers }: { readonly first: PlacedNumber; readonly numbers: readonly PlacedNumber[] },
): NumberInText | undefined {
  const results = numbers.filter(({ start }) =>
    /[=＝≈]\s*(?:\p{Sc}\s?)?[-*$]*\s*$/u.test(text.slice(Math.max(first.end, start - 10), start)),
  )
  const last = results.findLast(({ value }) => value !== undefined)
  if (last === undefined) return undefined
  const calculation = text.slice(first.end, last.start)
  return first.value === undefined || /[+×·÷*/]|\s[-–−x]\s/.test(calculation.slice(0, calculation.indexOf('=')))
    ? last
    : undefined
}
