/** Reads the option that a free-text answer names. It never guesses. */
import { stripWhiteSpace } from '../../../../base/python/white-space.js'
import { isNegated, splitClauses } from '../../text/answer-words/negated-clause.js'
import { findStatedGroup, unboxDenied } from '../../text/stated-group.js'
import { withoutStruckText } from '../../text/struck-text.js'
import { onlyRightOne, withoutList } from './listed-options.js'
import { letterNumberedOptions } from './numbered-options.js'
import { deniedAfter, deniedBefore, harmless, type Mention } from './option-denials.js'
import { onLine, openingLabel, tickedLine } from './option-lines.js'
import {
  decide,
  letterAt,
  makeReader,
  mentions,
  only,
  readLetter,
  removeDenied,
  removeNames,
  withoutOtherLetters,
  type OptionFound,
  type Options,
  type Reader,
} from './option-reader.js'
import { rulesUpTo } from './option-rules.js'
import {
  choiceTexts,
  foldWidth,
  mentionedChoices,
  squeeze,
  unwrapLatex,
  wholeChoices,
  wrappedChoices,
  type ChoiceContext,
} from './option-text.js'
import { listNamedOptions, listStatedOptions, right } from './stated-options.js'

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
  const answer = unboxDenied(unwrapLatex(squeeze(foldWidth(text))))
  const directOption = readLetters(text, answer, options)
  if (directOption?.type === 'letter') return directOption
  const rest = withoutList(makeReader(answer, options))
  const unlisted = rest === undefined ? undefined : readLetters(rest, rest, options)
  if (unlisted?.type === 'letter') return unlisted
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
    () => onlyRightOne(reader),
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

/** Reads the last box or tag. Boxes side by side that name different options leave the answer open. */
function inBox({ answer, choices, count, rules }: Reader): OptionFound | undefined {
  const found = findStatedGroup(answer).map(content => {
    if (content === '') return undefined
    const inner = makeReader(content, { count, choices })
    return (
      decide(wholeChoices(content, choices).map(letterAt)) ??
      decide(only(inner, rules.alone)) ??
      decide(removeDenied(mentions(inner, rules.labelled), inner).map(readLetter)) ??
      decide(wrappedChoices(content, choices).map(letterAt)) ??
      decide(removeDenied(listStatedOptions(inner), inner).map(readLetter).slice(-1)) ??
      decide(removeDenied(listNamedOptions(inner), inner).map(readLetter))
    )
  })
  if (found.length < 2) return found[0]
  return (
    found.find(option => option?.type === 'none') ??
    decide(found.flatMap(option => (option?.type === 'letter' ? [option.letter] : [])))
  )
}

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
  const negated = listNegatedChoices(text, choices)
  // In "B is wrong: 12 is too small" the text of B does not choose B.
  const mentioned = mentionedChoices(text, choices, isDeniedThere)
    .filter(index => !denials.has(letterAt(index)))
    .filter(index => !negated.has(index))
  const readForm = (index: number): string => choices[index]?.form ?? ''
  const longest = mentioned.filter(index =>
    mentioned.every(other => readForm(other) === readForm(index) || !readForm(other).includes(readForm(index))),
  )
  return decide(longest.map(letterAt))
}

/** The indexes of the choices that are mentioned in clauses which negate them, and in no other: "Nothing is red here." */
function listNegatedChoices(text: string, choices: Options['choices']): ReadonlySet<number> {
  const mentioned = new Set<number>()
  const affirmed = new Set<number>()
  for (const clause of splitClauses(text.slice(-longest))) {
    for (const index of mentionedChoices(clause, choices, () => false)) mentioned.add(index)
    const isNegatedThere = ({ before, after }: ChoiceContext): boolean =>
      isNegated({ before: before.replace(harmless, ' '), after })
    for (const index of mentionedChoices(clause, choices, isNegatedThere)) affirmed.add(index)
  }
  return new Set([...mentioned].filter(index => !affirmed.has(index)))
}

/** The number of characters at the end of an answer that are searched for negations. */
const longest = 20_000
