/** An answer that is searched for options, and the options that are found in it. */
import { escapePattern } from '../../../../base/text/escape-pattern.js'
import { latinLetter } from './foreign-letters.js'
import { isDenied, namedAfter, namedBefore, type Mention } from './option-denials.js'
import { rulesUpTo, type Rules } from './option-rules.js'
import type { ChoiceText } from './option-text.js'

/** The option that an answer names, or the reason why there is none. */
export type OptionFound =
  { readonly type: 'letter'; readonly letter: string } | { readonly type: 'none'; readonly reason: string }

export interface Options {
  /** The number of options, which are lettered from A. */
  readonly count: number
  /** The options' texts, if they are known. */
  readonly choices: readonly ChoiceText[]
}

/**
 * Writes the letters within texts of choices small, so that "Vitamin C" as option A does not name option C.
 */
export function withoutOtherLetters(answer: string, { count, choices }: Options): string {
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
export interface Reader extends Options {
  readonly answer: string
  readonly rules: Rules
  /** Letters that stand alone, denied or not. */
  readonly standing: readonly Mention[]
  /** The position where each letter is denied for the last time. */
  readonly denials: ReadonlyMap<string | undefined, number>
}

export function makeReader(answer: string, { count, choices }: Options): Reader {
  const rules = rulesUpTo(letterAt(count - 1))
  const standing = Array.from(answer.matchAll(rules.standing), makeMention)
  const denials = new Map(
    standing.filter(mention => isDenied(answer, mention, choices)).map(({ letter, start }) => [letter, start]),
  )
  return { answer, choices, count, rules, standing, denials }
}

export function makeMention({ indices, 1: letter = '' }: RegExpExecArray): Mention {
  const [start, end] = indices?.[1] ?? [0, 0]
  return { letter: latinLetter(letter), start, end }
}

export const letterAt = (index: number): string => String.fromCharCode(65 + index)
export const readLetter = ({ letter }: Mention): string | undefined => letter

/** The letter if there is only one; none if there are several, or if one has two meanings. */
export function decide(letters: readonly (string | undefined)[]): OptionFound | undefined {
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

export function only({ answer }: Pick<Reader, 'answer'>, rule: RegExp): readonly (string | undefined)[] {
  const match = rule.exec(answer)
  return match === null ? [] : [makeMention(match).letter]
}

export function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}

export const mentions = ({ answer }: Reader, pattern: RegExp): readonly Mention[] =>
  Array.from(answer.matchAll(pattern), makeMention)

/** Leaves out mentions that are denied, there or further on: "The answer is B. No, it cannot be B." */
export const removeDenied = (
  optionMentions: readonly Mention[],
  { answer, choices, denials }: Reader,
): readonly Mention[] =>
  optionMentions.filter(
    mention => !isDenied(answer, mention, choices) && (denials.get(mention.letter) ?? 0) <= mention.end,
  )

/** Leaves out letters of names such as "Plan B", and denied ones. */
export const removeNames = (optionMentions: readonly Mention[], reader: Reader): readonly Mention[] =>
  removeDenied(optionMentions, reader).filter(
    ({ start, end }) =>
      !namedBefore.test(reader.answer.slice(Math.max(0, start - 40), start)) &&
      !namedAfter.test(reader.answer.slice(end, end + 40)),
  )
