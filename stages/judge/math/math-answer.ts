import { currency } from '../numbers/currency.js'
import { withPlainDigits } from '../numbers/plain-digits.js'
import { numbersIn } from '../numbers/read-numbers.js'
import { withoutNextQuestion, withoutSideLines } from '../text/answer-asides.js'
import { answerPositions, resultLine } from '../text/answer-markers.js'
import { withoutStruckText } from '../text/struck-text.js'
import { isProse, plainMath } from './math-text.js'
import { mathSpans, type Span } from './prose-spans.js'
import { boxedAnswer, withoutUnsaidBoxes } from './answer-boxes.js'
import { isFragment, readAnnouncedFormula, withoutGlosses } from './announced-formula.js'
import { isUnsaid } from './unsaid-values.js'

/**
 * Matches formulas in dollar signs or LaTeX brackets. A dollar sign before a space or a digit is an amount of money,
 * unless both signs have spaces inside.
 */
const formula =
  /(?<!\\)\$\$([\s\S]+?)\$\$|(?<!\\)\$(?!\s)((?:\\[^\n]|[^$\n\\])+?)(?<!\s)\$(?!\d)|(?<!\\)\$\s((?:\\[^\n]|[^$\n\\])+?)\s\$(?!\d)|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]/g

/** The result of reading an answer: texts that are different readings of it. */
export interface FoundAnswer {
  readonly texts: readonly string[]
  /** Set if it is no formula or box, but a part of a sentence. */
  readonly isPlain: boolean
}

/**
 * The final answer of a text, as mathematical text: the content of the last box, else the expression that words such
 * as `the answer is` announce, else the last formula, else the whole text if it has no words, else the last
 * expression in it. Several texts are different readings. Empty if nothing is found.
 */
export function mathAnswers(whole: string): FoundAnswer {
  const text = withoutNextQuestion(whole)
  const bare = withoutSideLines(text)
  const found = findMathAnswers(bare)
  if (found.texts.length === 0 && bare !== text) return findMathAnswers(text)
  const unlabelled = bare.replace(optionLabel, '$<lead>')
  return unlabelled === bare
    ? found
    : { ...found, texts: [...new Set([...found.texts, ...findMathAnswers(unlabelled).texts])] }
}

/** The letter of an option before its value: `(B) 12`, `\boxed{\textbf{(B)}\ 12}`. The letter may be the target, too. */
const optionLabel =
  /(?<lead>(?:[:：]|(?<!\p{L})(?:is|ist|est|es|è)|\\boxed\s?\{)[\s*_$]{0,5})(?:\\(?:textbf|text|mathbf|mathrm)\s?\{\s?\(?[A-H][).]\s?\}|\([A-H]\)|[A-H]\))(?:\\[ ,;:!]|~|\\q?quad|\s|[*_]){0,5}(?=[-\d$\\√(])/gu

function findMathAnswers(answer: string): FoundAnswer {
  const withBoxes = withoutGlosses(normaliseNumbers(withoutMarkdown(answer)))
  const normalised = withoutUnsaidBoxes(withBoxes)
  const boxed = boxedAnswer(normalised)
  if (boxed !== undefined) return { texts: [boxed, ...countedInText(boxed)], isPlain: false }
  const text = normalised.slice(-longest)
  for (const at of answerPositions(text).slice(0, mostAnnouncements)) {
    const announced = announcedAnswer(text, at)
    if (announced.texts.length > 0) return announced
  }
  const bold = findBoldLine(answer)
  if (bold !== undefined) return { texts: withOtherReadings(bold), isPlain: !bold.includes('\\') }
  const formulas = formulasIn(text).filter(span => !isUnsaid(text, span))
  if (formulas.length > 0) return { texts: [joinExpressions(text, formulas, formulas.length - 1)], isPlain: false }
  const plain = withoutCurrency(text)
  const texts = isProse(plain)
    ? listLastReadings(
        plain,
        mathSpans(plain).filter(span => !isUnsaid(plain, span)),
      )
    : nonEmpty(normalised === withBoxes ? plain : '').flatMap(withOtherReadings)
  return { texts: texts.length > 0 ? texts : announcedLetter(text), isPlain: !text.includes('\\') }
}

/** The mathematics of the only bold line, which an explanation may follow; undefined if there are several or it has words. */
function findBoldLine(answer: string): string | undefined {
  if (!answer.includes('**')) return undefined
  const lines = answer.slice(-longest).matchAll(/^[^\S\n]*\*\*(?:\$([^*$\n]{1,200})\$|([^*$\n]{1,200}))\*\*[^\S\n]*$/gm)
  const [line, ...more] = new Set(Array.from(lines, ([, formula, plain]) => formula ?? plain ?? ''))
  if (line === undefined || more.length > 0) return undefined
  const text = normaliseNumbers(line.trim())
  return /\p{L}{2}/u.test(text.replace(/\\[a-zA-Z]+/g, ' ')) || !/\d/.test(text) ? undefined : text
}

/**
 * The target as mathematical text. A target without dollar signs is a formula. Only if it has words beside its
 * mathematics can it be read like an answer, too.
 */
export function mathTargets(target: string): readonly string[] {
  const result = /####\s*([^\n]+)$/.exec(target.trim())?.[1]
  if (result !== undefined) return mathTargets(result)
  const text = normaliseNumbers(target.trim())
  const whole = /^(?:\$\$([^$]+)\$\$|\$([^$]+)\$|\\\(((?:(?!\\\)).)+)\\\)|\\\[((?:(?!\\\]).)+)\\\])$/s.exec(text)
  const inner = whole?.slice(1).find(Boolean)
  if (inner !== undefined) return [boxedAnswer(inner) ?? inner]
  const isPlain = !text.includes('$') && !/\\[([]|\\(?:boxed|fbox)/.test(text) && !isProse(plainMath(text))
  // A unit such as km/h after LaTeX is a part of the formula.
  const isUnit = text.includes('\\') && (text.replace(/\\[a-zA-Z]+/g, ' ').match(/\p{L}{2,}/gu) ?? []).length < 2
  return isPlain || isUnit ? [text] : [text, ...mathAnswers(target).texts.slice(0, 1)]
}

/** The number in a box such as `\text{5 apples}`. */
const countedInText = (boxed: string): readonly string[] =>
  /^\s*\\(?:text|mbox|textbf|mathrm)\s*\{\s*([-+]?[\d.,]*\d)\s+(?!(?:to|or|and|plus|minus|times)(?!\p{L}))[\p{L}\s]+\}\s*$/u
    .exec(boxed)
    ?.slice(1) ?? []

/** The number of characters at the end of an answer that are searched, except for boxes. A looping model can write millions. */
const longest = 20_000

/** The number of the last announcements of an answer that are searched. */
const mostAnnouncements = 5

/** The text without white space, quotes and a question mark at its ends. */
function nonEmpty(text: string): readonly string[] {
  const bare = text.replace(/^[\s"“”`]+|[\s"“”`?。]+$/g, '')
  return bare === '' ? [] : [bare]
}

/** Writes numbers, per cent and powers of units (`cm$^2$`) in the signs of ASCII and LaTeX. */
const normaliseNumbers = (text: string): string =>
  withPlainDigits(text)
    .replace(/(?<=[a-zA-Z])\$(\^\{?-?\d\}?)\$/g, '$1')
    .replaceAll('，', ',')
    .replace(/(?<![a-zA-Z}]\\?)\{[^{}\n]{1,100}\}/g, set => set.replace(/(?<!\\);/g, ','))
    .replace(/(?<![\p{L}'])([a-zA-Z])['′’]{1,3}(?=\([a-z]\)\s?=)/gu, '$1')
    .replace(/^(\D*)(\d[\d.,]*\s(?:thousand|million|billion|trillion))(?!\p{L})(?=\D*$)/u, writeMultiple)
    .replace(
      /(?<=\d\s?)(?:percent|per cent|pct|Prozent|процент(?:а|ов)?|por ciento|por cento|pour cent|パーセント|퍼센트)(?![a-z])/g,
      '\\%',
    )

/** Writes the only number of a text in digits: `1.2 million`. */
function writeMultiple(whole: string, lead: string, numberText: string): string {
  const value = numbersIn(numberText)[0]?.value
  return value?.bottom === 1n ? lead + String(value.top) : whole
}

const touching = new RegExp(`(?:${currency}\\s?)+(?=[-+]?[\\d.])|(?<=\\d\\s?)(?!\\$)\\p{Sc}`, 'gu')

/** Replaces signs and codes of currencies by blanks, and the letter in `3 x 10^5` by a sign. The length stays. */
const withoutCurrency = (text: string): string =>
  text.replace(touching, sign => ' '.repeat(sign.length)).replace(/(?<=\d\s?)[xX](?=\s?10\s?(?:\^|\*\*))/g, '×')

/** A single letter that the text announces and ends with, such as the option in `The answer is (B).`. */
function announcedLetter(text: string): readonly string[] {
  const [at = text.length] = answerPositions(text)
  return /(?<![a-zA-Z])[a-zA-Z](?=[^\p{L}]*$)/u.exec(text.slice(at, at + 20)) ?? []
}

const words = '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty)'

/** Matches a number in digits and as a word: `10 (ten)`, `ten (10)`. */
const besideDigits = new RegExp(`(?<=\\d\\s?)\\(${words}\\)|(?<![\\p{L}-])${words}\\s?\\((\\d+)\\)`, 'giu')

/** Hashes of a heading; four before a number alone announce a result. */
const headingHashes = new RegExp(`^(?!#{4}(?!#)${resultLine})#+(?=\\s)`, 'gmu')

/** Removes Markdown's signs for bold text, headings, ticks and what is crossed out. */
const withoutMarkdown = (text: string): string =>
  withoutStruckText(text)
    .replace(/[✓✔☑∎■\p{Emoji_Presentation}]\ufe0f?/gu, ' ')
    .replace(besideDigits, '$1')
    .replace(/(?<![\w)}])\*\*|\*\*(?![\w({\\])/g, '')
    .replace(headingHashes, '')

/** Words and signs that join the parts of an answer. */
const joint =
  /^\s*(?:[,;、]\s*)?(?:and|or|и|или|y|o|e|ou|et|und|oder|和|或|と|または|그리고|또는|و|أو|और|या|và|hoặc|และ|หรือ)?\s*$/u

/** Returns whether a word joins two values. In "5, since 2 + 3 = 5" one of them may be the answer, in "5 and 6" neither is. */
const isWordJoint = (text: string): boolean => joint.test(text) && /\p{L}/u.test(text)

/** Matches what a value is found under: in `since $x > 0$, $x = 5$` only 5 is the answer. */
const condition = /[<>≠≤≥]|\\(?:[gl]eq?|neq?|[gl]t)(?![a-zA-Z])/

/** The formulas or expressions up to number `last` that stand side by side, as one list. */
function joinExpressions(text: string, spans: readonly Span[], last: number): string {
  let first = last
  const isValue = !condition.test(spans[last]?.text ?? '')
  while (
    first > 0 &&
    joint.test(between(text, spans, first)) &&
    !(isValue && condition.test(spans[first - 1]?.text ?? ''))
  )
    first -= 1
  return spans
    .slice(first, last + 1)
    .map(span => span.text)
    .join(', ')
}

const between = (text: string, spans: readonly Span[], index: number): string =>
  text.slice(spans[index - 1]?.end, spans[index]?.start)

/** Words between the ends of a range. */
const rangeWord = /^\s*(?:to|until|through|–|bis|à)\s*$/

const rangeStart = /(?<!\p{L})(?:between|zwischen|entre|tra|fra|между|tussen|między|mellan|antara|giữa|بين)\s*$/iu

/** The last expressions side by side as a list, and the last one of them alone. */
function listLastReadings(text: string, spans: readonly Span[]): readonly string[] {
  const last = spans.at(-1)
  if (last === undefined) return []
  const previous = spans.at(-2)
  if (previous !== undefined) {
    const between = text.slice(previous.end, last.start)
    const isBetween =
      isWordJoint(between) && rangeStart.test(text.slice(Math.max(0, previous.start - 20), previous.start))
    if (isBetween || rangeWord.test(between)) return [`${previous.text} to ${last.text}`]
  }
  // "The solutions are 5 and 6" is not 6, but "I think it is 5 or 6" is read as 6 in math-verify.
  const isList = /(?<!\p{L})(?:are|sind|sont|son|sono|são)\s*:?\s*$/u.test(beforeList(text, spans))
  const readings = [joinExpressions(text, spans, spans.length - 1), ...(isList ? [] : [last.text])]
  return [...new Set(readings.flatMap(withOtherReadings))]
}

/** The text before the last expressions that stand side by side, if words join the last two. */
function beforeList(text: string, spans: readonly Span[]): string {
  let first = spans.length - 1
  if (first < 1 || !isWordJoint(between(text, spans, first))) return ''
  while (first > 0 && joint.test(between(text, spans, first))) first -= 1
  return text.slice(0, spans[first]?.start)
}

const simple = /^[-+]?\d*\.?\d+$/
const separated = /^[-+]?\d[\d.,'’\s]*$|^\([1-9]\d{0,2}(?:,\d{3})+\)$/
const numberWithUnit = /^(-?[\d.,]+)\s?(?:[mgsLhtVWNKJΩ]|°\s?[CF])(?:\^\{?\d\}?)?(?:\/[a-zA-Z]+)?(?:\^\{?\d\}?)?$/

/** Other readings: `5m` is a product or a length, and `3,14` a pair or a number. */
const withOtherReadings = (text: string): readonly string[] => {
  const [value, ...more] = separated.test(text) && !simple.test(text) ? numbersIn(text).map(entry => entry.value) : []
  if (value !== undefined && more.length === 0) return [text, `${String(value.top)}/${String(value.bottom)}`]
  const number = numberWithUnit.exec(text)?.[1]
  return number === undefined ? [text] : [text, number]
}

/**
 * The answer that words before `at` announce: the first expression if it follows at once, else the last one in the
 * line.
 */
function announcedAnswer(text: string, at: number): FoundAnswer {
  const whole = readAnnouncedFormula(text, at)
  if (whole !== undefined) return { texts: whole.flatMap(withOtherReadings), isPlain: !text.includes('\\') }
  const rest = text.slice(at)
  const line = /^\s*[^\n]*(?:\n|$)/.exec(rest)?.[0] ?? ''
  const formulas = formulasIn(rest).filter(({ start }) => start <= line.length)
  const spans = mathSpans(withoutCurrency(withBlanks(line, formulas)))
  const isMeant = ({ start, end }: Span): boolean => !isUnsaid(text, { start: at + start, end: at + end })
  const allSpans = [...formulas, ...spans].filter(isMeant).sort((a, b) => a.start - b.start)
  const [first] = allSpans
  const isPlain = first !== undefined && spans.includes(first)
  if (first === undefined) return { texts: [], isPlain }
  const lead = rest.slice(0, first.start)
  const isAtOnce = (lead.match(/[\p{L}\p{M}]+/gu) ?? []).length <= 2 && !/\bnot\b/.test(lead)
  const said = formulas.filter(span => allSpans.includes(span))
  if (!isAtOnce && said.length > 0) return { texts: [joinExpressions(rest, said, said.length - 1)], isPlain: false }
  if (!isAtOnce) return { texts: listLastReadings(rest, allSpans), isPlain }
  if (isPlain && isFragment(rest, first)) return { texts: [line.trim()], isPlain }
  let last = 0
  while (last + 1 < allSpans.length && joint.test(between(rest, allSpans, last + 1))) last += 1
  const second = allSpans[1]
  if (second !== undefined && rangeWord.test(between(rest, allSpans, 1)))
    return { texts: [rest.slice(first.start, second.end)], isPlain }
  const isList = last > 0 && isWordJoint(between(rest, allSpans, 1))
  const texts = [joinExpressions(rest, allSpans, last), ...(isList ? [] : [first.text])]
  return { texts: [...new Set(isPlain ? texts.flatMap(withOtherReadings) : texts)], isPlain }
}

/** Replaces formulas by blanks, so that their parts are not read again. */
function withBlanks(text: string, spans: readonly Span[]): string {
  let result = text
  for (const { start, end } of spans)
    result = result.slice(0, start) + '\n'.repeat(Math.max(0, Math.min(end, text.length) - start)) + result.slice(end)
  return result
}

/** The last row of a derivation in several rows, such as `&= 5` of an `aligned`. */
function lastRow(formula: string): string {
  const rows = /^\s*\\begin\{(?:aligned|align\*?|gathered|split)\}([\s\S]*)\\end\{\w+\*?\}\s*$/.exec(formula)?.[1]
  const last = rows?.split('\\\\').findLast(row => row.trim() !== '')
  return last === undefined ? formula : last.replaceAll('&', '').trim()
}

/** The formulas in dollar signs or LaTeX brackets, with a per cent sign behind them. */
const formulasIn = (text: string): readonly Span[] =>
  Array.from(text.matchAll(formula), match => {
    const end = match.index + match[0].length
    const percent = /^\s?\\?%/.exec(text.slice(end, end + 3))?.[0] ?? ''
    const inner = lastRow(match.slice(1).find(Boolean) ?? '')
    return { text: percent === '' ? inner : `${inner}\\%`, start: match.index, end: end + percent.length }
  })
