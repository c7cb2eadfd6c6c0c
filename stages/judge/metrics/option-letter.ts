import { z } from 'zod'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { defineMetric, scored, unparsed } from '../define/define-metric.js'
import { targetIndexes } from '../define/target.js'

/**
 * 1 if the option that the answer names is the target, else 0. Higher is better. An answer that names no option, or
 * several without a preference, is unparsed and counts 0.
 *
 * `options` is the number of options if the doc has no choices. The target is a letter, an index from 0, or a
 * choice's text. {@link optionLetterOf} describes how the letter is found.
 */
export const optionLetter = defineMetric({
  id: 'option_letter',
  args: z.strictObject({ options: z.int().min(2).max(26).optional() }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, record }, { options }) {
    const count = record.choices?.length ?? options ?? 26
    const found = optionLetterOf(text, { count, choices: record.choices ?? [] })
    if (found.type === 'none') return unparsed(found.reason)
    const letters = Array.from({ length: count }, (_, i) => String.fromCharCode(65 + i))
    const targets = targetIndexes(record.target, [letters, record.choices ?? []], count)
    if (targets.length === 0) throw new Error(`the target ${JSON.stringify(record.target)} is none of the options`)
    return scored(targets.includes(letters.indexOf(found.letter)) ? 1 : 0)
  },
})

/** The option that a free-text answer names, or the reason why there is none. */
type OptionFound =
  { readonly type: 'letter'; readonly letter: string } | { readonly type: 'none'; readonly reason: string }

interface Rule {
  /** The pattern's first group is the letter. */
  readonly pattern: RegExp
  /**
   * What several matches mean. `last`: a later statement corrects an earlier one. `ambiguous`: mentions decide
   * nothing.
   */
  readonly several: 'last' | 'ambiguous'
}

const after = "(?![\\p{L}\\p{N}'’])"
const before = '(?<![\\p{L}\\p{N}])'
const opening = '[\\s(\\[{*_"\'“`$#]*'

/** The rules from the clearest sign to the weakest. The first rule that matches decides. */
function rulesFor(last: string): readonly Rule[] {
  const upper = `[A-${last}]`
  const either = `([A-${last}a-${last.toLowerCase()}])`
  const noList = `(?!\\s*(?:,|/|&|or\\b|and\\b)\\s*\\(?${upper}${after})`
  const rule = (pattern: string, several: Rule['several']): Rule => ({ pattern: new RegExp(pattern, 'gu'), several })
  return [
    // \boxed{B}, \boxed{\text{(B)}}
    rule(`\\\\boxed\\{\\s*(?:\\\\text\\{)?\\(?${either}\\)?\\}?\\s*\\}`, 'last'),
    // Only a letter: B, (b), **B**.
    rule(`^[\\p{P}\\p{S}\\s]*${either}[\\p{P}\\p{S}\\s]*$`, 'ambiguous'),
    // The answer is B; Answer: (B); the correct option is: B
    rule(
      `${before}(?:[Aa]nswer|ANSWER|[Oo]ption|OPTION|[Cc]hoice|CHOICE)` +
        `(?:\\s+(?:[Ii]s|IS|(?:would|should|must)\\s+be)\\s*:?|\\s*[:=])${opening}(?:[Oo]ption\\s+)?${opening}(${upper})${after}${noList}`,
      'last',
    ),
    rule(`(?:答案|答え|答|정답|답)\\s*(?:是|为|は)?\\s*[:：]?${opening}(${upper})(?![A-Za-z0-9])`, 'last'),
    // C is correct
    rule(`${before}(${upper})[)\\]*_"”.:]*\\s+is\\s+(?:the\\s+)?(?:correct|right|best|answer)${after}`, 'ambiguous'),
    // Option B; answer B
    rule(`${before}(?:[Aa]nswer|[Oo]ption|[Cc]hoice)${opening}(${upper})${after}${noList}`, 'ambiguous'),
    // B. blue; (B); B: blue
    rule(`${before}(?<!\\.)(${upper})["”*_]*[.:)\\]]+["”*_]*(?=[\\s([]|$)`, 'ambiguous'),
  ]
}

const cache = new Map<string, readonly Rule[]>()
function rulesUpTo(last: string): readonly Rule[] {
  const known = cache.get(last) ?? rulesFor(last)
  cache.set(last, known)
  return known
}

/**
 * The option, A to letter number `count`, that a free-text answer names.
 *
 * The signs are tried in this order: a box, only a letter, only the text of a choice, "the answer is B", "C is
 * correct", "option B", "B. blue", a separate capital letter, the text of one choice anywhere. If several answers
 * are stated, the last one counts. If several letters are only mentioned, none counts. An "A" before a lower-case
 * word is an article. It never guesses: without a sign, or with two equal ones, there is no letter.
 */
export function optionLetterOf(
  text: string,
  { count, choices }: { readonly count: number; readonly choices: readonly string[] },
): OptionFound {
  const last = String.fromCharCode(64 + count)
  const [boxed, alone, ...stated] = rulesUpTo(last)
  const attempts = [
    () => byRule(text, boxed),
    () => byRule(text, alone),
    () => wholeChoice(text, choices),
    ...stated.map(rule => () => byRule(text, rule)),
    () => standingAlone(text, last),
    () => choiceInside(text, choices),
  ]
  for (const attempt of attempts) {
    const found = attempt()
    if (found !== undefined) return found
  }
  return { type: 'none', reason: stripWhiteSpace(text) === '' ? 'the answer is empty' : 'the answer names no option' }
}

function byRule(text: string, rule: Rule | undefined): OptionFound | undefined {
  const letters =
    rule === undefined ? [] : Array.from(text.matchAll(rule.pattern), match => (match[1] ?? '').toUpperCase())
  return rule?.several === 'last' ? decide(letters.slice(-1)) : decide(letters)
}

function decide(letters: readonly string[]): OptionFound | undefined {
  const distinct = [...new Set(letters)]
  const [letter] = distinct
  if (letter === undefined) return undefined
  if (distinct.length === 1) return { type: 'letter', letter }
  return { type: 'none', reason: `the answer names several options: ${distinct.sort().join(', ')}` }
}

function standingAlone(text: string, last: string): OptionFound | undefined {
  const denied = `(?!\\s+(?:is|are)\\s+(?:not|wrong|incorrect|false)${after})`
  const pattern = new RegExp(`${before}(?<![Nn]ot\\s)([A-${last}])${after}${denied}`, 'gu')
  const matches = [...text.matchAll(pattern)]
  const isArticle = ({ index, 1: letter }: RegExpMatchArray): boolean =>
    (letter === 'A' || letter === 'I') && /^\s+\p{Ll}/u.test(text.slice((index ?? 0) + 1))
  if (matches.every(isArticle)) return undefined
  return decide(matches.map(match => match[1] ?? ''))
}

const words = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

function wholeChoice(text: string, choices: readonly string[]): OptionFound | undefined {
  const answer = words(text)
  if (answer === '') return undefined
  return decide(choices.flatMap((choice, i) => (words(choice) === answer ? [letterAt(i)] : [])))
}

function choiceInside(text: string, choices: readonly string[]): OptionFound | undefined {
  const answer = ` ${words(text)} `
  const inside = choices
    .map((choice, i) => ({ phrase: ` ${words(choice)} `, letter: letterAt(i) }))
    .filter(({ phrase }) => phrase.trim() !== '' && answer.includes(phrase))
  // "dark red" contains "red" too, but only the longest text is meant.
  const longest = inside.filter(({ phrase }) =>
    inside.every(other => other.phrase === phrase || !other.phrase.includes(phrase)),
  )
  return decide(longest.map(({ letter }) => letter))
}

const letterAt = (index: number): string => String.fromCharCode(65 + index)
