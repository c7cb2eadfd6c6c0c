/** Reads the option that a free-text answer names. It never guesses. */
import { stripWhiteSpace } from '../../../../base/python/white-space.js'
import { escapePattern } from '../../../../base/text/escape-pattern.js'
import { latinLetter } from './foreign-letters.js'
import {
  choiceTexts,
  comparedForm,
  foldWidth,
  mentionedChoices,
  squeeze,
  unwrapLatex,
  wholeChoices,
  wrappedChoices,
  type ChoiceContext,
  type ChoiceText,
} from './option-text.js'
import { withoutStruckText } from '../../text/struck-text.js'
import { letterNumberedOptions } from './numbered-options.js'
import {
  deniedAfter,
  deniedBefore,
  harmless,
  isDenied,
  namedAfter,
  namedBefore,
  type Mention,
} from './option-denials.js'
import { rulesUpTo, type Rules } from './option-rules.js'
import { conclusion, correction, isRight, optionName } from './option-words.js'

/** The option that an answer names, or the reason why there is none. */
export type OptionFound =
  { readonly type: 'letter'; readonly letter: string } | { readonly type: 'none'; readonly reason: string }

interface Options {
  /** The number of options, which are lettered from A. */
  readonly count: number
  /** The options' texts, if they are known. */
  readonly choices: readonly ChoiceText[]
}

/**
 * The option, A to letter number `count`, that a free-text answer names.
 *
 * The signs are tried in this order: the text of a choice and nothing else, a box, only a letter, "the answer is B", a
 * line with only a letter, "C is correct", "option B", "B. blue", a separate capital letter, the text of one choice anywhere. Then
 * all are tried with letters in place of numbers ({@link letterNumberedOptions}). If several answers are
 * stated, the last one counts. If several letters are only mentioned, none counts. An option that is denied ("not B",
 * "B is wrong") or only supposed ("if B were right"), or part of a name ("Plan B"), never counts. An "A" before a lower-case word is an article.
 */
export function readOption(
  response: string,
  { count, choices: choiceList }: { readonly count: number; readonly choices: readonly string[] },
): OptionFound {
  const options = { count, choices: choiceTexts(choiceList) }
  const text = withoutStruckText(response)
  const answer = unwrapLatex(squeeze(foldWidth(text)))
  const directOption = readLetters(text, answer, options)
  if (directOption !== undefined) return directOption
  const lettered = letterNumberedOptions(answer, options)
  const numbered = lettered === undefined ? undefined : readLetters(lettered, lettered, options)
  if (numbered !== undefined) return numbered
  return { type: 'none', reason: stripWhiteSpace(text) === '' ? 'the answer is empty' : 'the answer names no option' }
}

/** Tries the signs of {@link readOption} in their order. */
function readLetters(text: string, answer: string, { count, choices }: Options): OptionFound | undefined {
  const rules = rulesUpTo(letterAt(count - 1))
  const reader = makeReader(withoutOtherLetters(answer, { count, choices }), { count, choices })
  const attempts = [
    () => decide(wholeChoices(text, choices).map(letterAt)),
    () => inBox(reader),
    () => decide(only(reader, rules.alone)),
    () => decide(wrappedChoices(text, choices).map(letterAt)),
    () => decide(removeDenied(listStatedOptions(reader), reader).map(readLetter).slice(-1)),
    () => onLine(reader),
    () => decide(removeDenied(right(reader), reader).map(readLetter)),
    () => decide(removeDenied(listNamedOptions(reader), reader).map(readLetter)),
    () => tickedLine(reader),
    () => openingLabel(reader),
    () => decide(removeNames(mentions(reader, reader.rules.labelled), reader).map(readLetter)),
    () => decide(only(reader, rules.small)),
    () => standingAlone(reader),
    () => textInside(text, reader),
  ]
  for (const attempt of attempts) {
    const option = attempt()
    if (option !== undefined) return option
  }
  return undefined
}

/**
 * Writes the letters within texts of choices small, so that "Vitamin C" as option A does not name option C.
 */
function withoutOtherLetters(answer: string, { count, choices }: Options): string {
  const { standing } = rulesUpTo(letterAt(count - 1))
  return choices.reduce((text, { text: choice }, index) => {
    const own = Array.from(choice.matchAll(standing), makeMention)
    if (choice.length < 2 || own.every(({ letter }) => letter === letterAt(index))) return text
    const choicePattern = new RegExp(
      `(?<![\\p{L}\\p{N}])${escapePattern(choice).replace(/\s+/g, '\\s+')}(?![\\p{L}\\p{N}])`,
      'giu',
    )
    return text.replace(choicePattern, phrase => phrase.toLowerCase())
  }, answer)
}

/** An answer that is being read. */
interface Reader extends Options {
  readonly answer: string
  readonly rules: Rules
  /** Letters that stand alone, denied or not. */
  readonly standing: readonly Mention[]
  /** The position where each letter is denied for the last time. */
  readonly denials: ReadonlyMap<string | undefined, number>
}

function makeReader(answer: string, { count, choices }: Options): Reader {
  const rules = rulesUpTo(letterAt(count - 1))
  const standing = Array.from(answer.matchAll(rules.standing), makeMention)
  const denials = new Map(
    standing.filter(mention => isDenied(answer, mention, choices)).map(({ letter, start }) => [letter, start]),
  )
  return { answer, choices, count, rules, standing, denials }
}

function makeMention({ indices, 1: letter = '' }: RegExpExecArray): Mention {
  const [start, end] = indices?.[1] ?? [0, 0]
  return { letter: latinLetter(letter), start, end }
}

const letterAt = (index: number): string => String.fromCharCode(65 + index)
const readLetter = ({ letter }: Mention): string | undefined => letter

/** The letter if there is only one; none if there are several, or if one has two meanings. */
function decide(letters: readonly (string | undefined)[]): OptionFound | undefined {
  const distinct = [...new Set(letters)]
  const [letter] = distinct
  if (distinct.length === 0) return undefined
  if (letter !== undefined && distinct.length === 1) return { type: 'letter', letter }
  if (distinct.includes(undefined))
    return {
      type: 'none',
      reason: 'the answer names its option by a Cyrillic letter that looks like another Latin one',
    }
  return { type: 'none', reason: `the answer names several options: ${distinct.sort().join(', ')}` }
}

function only({ answer }: Pick<Reader, 'answer'>, rule: RegExp): readonly (string | undefined)[] {
  const match = rule.exec(answer)
  return match === null ? [] : [makeMention(match).letter]
}

/** The content of the last `\\boxed{…}`, or `<answer>…</answer>`. */
const box = /\\f?boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}|<answer>([^<]*)<\/answer>/giu

function inBox({ answer, choices, count, rules }: Reader): OptionFound | undefined {
  const last = [...answer.matchAll(box)].at(-1)
  const content = last?.[1] ?? last?.[2] ?? ''
  if (content === '') return undefined
  const inner = makeReader(content, { count, choices })
  return (
    decide(wholeChoices(content, choices).map(letterAt)) ??
    decide(only(inner, rules.alone)) ??
    decide(removeDenied(mentions(inner, rules.labelled), inner).map(readLetter)) ??
    decide(wrappedChoices(content, choices).map(letterAt))
  )
}

/** The only option that is a line of its own, as a letter or as a letter with its text: "B", "**(B) blue**". */
function onLine({ answer, choices, rules }: Reader): OptionFound | undefined {
  const lines = answer.split('\n')
  if (lines.length < 2) return undefined
  const letters = lines.flatMap(line => {
    const [, own] = rules.alone.exec(line) ?? []
    if (own !== undefined) return [latinLetter(own)]
    const [, letter = '', rest = ''] = rules.line.exec(line) ?? []
    const index = letter === '' ? -1 : letter.charCodeAt(0) - 65
    return index >= 0 && choices[index] !== undefined && comparedForm(rest) === choices[index].form ? [letter] : []
  })
  return new Set(letters).size === 1 ? decide(letters) : undefined
}

/** The only line with a tick, such as "B. blue ✓" or a row of a table. */
const tickedLine = (reader: Reader): OptionFound | undefined =>
  /[✅✓✔☑]/u.test(reader.answer) ? decide(mentions(reader, reader.rules.ticked).map(readLetter)) : undefined

/** The letter of "B. The car is green, not red (A).", if the other labels stand in brackets. */
function openingLabel(reader: Reader): OptionFound | undefined {
  const [first, ...otherMentions] = mentions(reader, reader.rules.labelled)
  if (first === undefined || otherMentions.length === 0) return undefined
  const isOpening = /^[\s*_#>]*$/.test(reader.answer.slice(0, first.start))
  const areInBrackets = otherMentions.every(
    ({ start, end }) =>
      reader.answer.charAt(start - 1) === '(' &&
      /^\)\s*(?:$|[.,;:\n]|(?:or|and|nor|is|are)\s)/.test(reader.answer.slice(end, end + 8)),
  )
  return isOpening && areInBrackets ? decide(removeNames([first], reader).map(readLetter)) : undefined
}

/** The options that are stated by words such as "the answer is", in their order, by letter or by text. */
function listStatedOptions(reader: Reader): readonly Mention[] {
  const { answer, choices, rules } = reader
  const positions = Array.from(answer.matchAll(conclusion), ({ 0: phrase, index }) => index + phrase.length)
  const stated = positions.flatMap((at): readonly Mention[] => {
    const [line = ''] = answer.slice(at, at + 400).split('\n', 1)
    const sentence = /^.*?(?=[.!?。！？;；](?:\s|$)|$)/u.exec(line)?.[0] ?? ''
    const match = matchAt(rules.next, answer, at)
    const texts = [line, sentence].map(passage => [
      ...wholeChoices(passage, choices),
      ...wrappedChoices(passage, choices),
    ])
    const chosen = texts.find(indexes => new Set(indexes).size === 1)?.[0]
    if (chosen !== undefined && !isLabel(match, sentence))
      return [{ letter: letterAt(chosen), start: at, end: at + sentence.length }]
    return match === null ? [] : [makeMention(match)]
  })
  return [...stated, ...listCorrections(reader)].toSorted((a, b) => a.start - b.start)
}

/** The end of a clause behind a letter. */
const clauseEnd = /^[)\]*_"'”’`}$]*\s*(?:$|[\n.,;:!(…—–。，；！]|です|だ|입니다|이에요|예요)/u

/** The options that take another one back, as clauses of their own: "A. Actually no, C." */
function listCorrections({ answer, rules }: Reader): readonly Mention[] {
  const ends = Array.from(answer.matchAll(correction), ({ 0: phrase, index }) => index + phrase.length)
  return ends
    .map(end => matchAt(rules.next, answer, end))
    .filter(match => match !== null)
    .map(makeMention)
    .filter(({ end }) => clauseEnd.test(answer.slice(end, end + 20)))
}

/** Returns whether a stated letter is marked as a label, such as `(B)`, so that the text of a choice "B" is not meant. */
const isLabel = (match: RegExpExecArray | null, sentence: string): boolean =>
  match !== null && /^[\s*_"'`$:]*[([][^()[\]]{1,2}[)\]]/u.test(sentence)

/** C is correct */
const right = ({ answer, standing }: Reader): readonly Mention[] =>
  standing.filter(({ end }) => matchAt(isRight, answer, end) !== null)

/** Option B; answer B */
function listNamedOptions({ answer, rules }: Reader): readonly Mention[] {
  const ends = Array.from(answer.matchAll(optionName), ({ 0: name, index }) => index + name.length)
  return ends
    .map(end => matchAt(rules.capital, answer, end))
    .filter(match => match !== null)
    .map(makeMention)
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}

const mentions = ({ answer }: Reader, pattern: RegExp): readonly Mention[] =>
  Array.from(answer.matchAll(pattern), makeMention)

/** Leaves out mentions that are denied, there or further on: "The answer is B. No, it cannot be B." */
const removeDenied = (optionMentions: readonly Mention[], { answer, choices, denials }: Reader): readonly Mention[] =>
  optionMentions.filter(
    mention => !isDenied(answer, mention, choices) && (denials.get(mention.letter) ?? 0) <= mention.end,
  )

/** Leaves out letters of names such as "Plan B", and denied ones. */
const removeNames = (optionMentions: readonly Mention[], reader: Reader): readonly Mention[] =>
  removeDenied(optionMentions, reader).filter(
    ({ start, end }) =>
      !namedBefore.test(reader.answer.slice(Math.max(0, start - 40), start)) &&
      !namedAfter.test(reader.answer.slice(end, end + 40)),
  )

/** Letters that stand alone anywhere; undefined if there is none, or each is the article "A" or the pronoun "I". */
function standingAlone(reader: Reader): OptionFound | undefined {
  const isBeforeWord = ({ end }: Mention): boolean => /^\s+\p{Ll}/u.test(reader.answer.slice(end, end + 8))
  const loneMentions = removeNames(reader.standing, reader).filter(
    mention => mention.letter !== 'I' || !isBeforeWord(mention),
  )
  return loneMentions.every(mention => mention.letter === 'A' && isBeforeWord(mention))
    ? undefined
    : decide(loneMentions.map(readLetter))
}

/** The only choice whose text is in the answer and not denied. Of "dark red" and "red", the longer one is meant. */
function textInside(text: string, { choices, denials }: Reader): OptionFound | undefined {
  const isDeniedThere = ({ before, after }: ChoiceContext): boolean =>
    deniedBefore.test(before.replace(harmless, ' ')) || deniedAfter.test(after)
  // In "B is wrong: 12 is too small" the text of B does not choose B.
  const mentioned = mentionedChoices(text, choices, isDeniedThere).filter(index => !denials.has(letterAt(index)))
  const readForm = (index: number): string => choices[index]?.form ?? ''
  const longest = mentioned.filter(index =>
    mentioned.every(other => readForm(other) === readForm(index) || !readForm(other).includes(readForm(index))),
  )
  return decide(longest.map(letterAt))
}
