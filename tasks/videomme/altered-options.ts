import type { Doc, DocList, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { pythonRegex } from '../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import { identifier } from '../_shared/values.js'
import { optionsByChance } from '../_shared/options-by-chance.js'
import { letter, lettered, text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

/** The docs with "None" in place of the right option. */
export const withoutRightOption = (docs: DocList): DocList =>
  docs.map(doc => ({
    ...doc,
    options: lettered(readContents(doc).map((option, i) => (i === rightIndex(doc) ? 'None' : option))),
  }))

/** The docs with numbers in place of letters. */
export const withNumbers = (docs: DocList): DocList =>
  docs.map(doc => ({
    ...doc,
    options: readContents(doc).map((option, i) => `${i + 1}. ${option}`),
    answer: String(rightIndex(doc) + 1),
  }))

/** The docs with their options in another order. lmms-eval draws it by a number that is another in each process. */
export const withShuffledOptions = (docs: DocList): DocList =>
  docs.map(doc => {
    const { options, right } = optionsByChance(
      identifier(doc['question_id'], 'question_id'),
      readContents(doc),
      rightIndex(doc),
    )
    return { ...doc, options: lettered(options), answer: letter(right) }
  })

/** The text of the right option. */
export const rightContent = (doc: Doc): string => stripWhiteSpace(readContents(doc)[rightIndex(doc)] ?? '')

/** The options without their letters. */
const readContents = (doc: Doc): readonly string[] =>
  texts(doc['options'], 'options').map(option => {
    const at = option.indexOf('. ')
    return at < 0 ? option : option.slice(at + 2)
  })

function rightIndex(doc: Doc): number {
  const answer = text(doc['answer'], 'answer')
  const index = ['A', 'B', 'C', 'D'].indexOf(answer.toUpperCase())
  if (index < 0) throw new Error(`the field "answer" must be a letter from A to D, not ${answer}`)
  return index
}

/** The question with its options and nothing before them. */
export const plainQuestion = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed([text(doc['question'], 'question'), ...texts(doc['options'], 'options')].join('\n'), kwargs)

const atStart = pythonRegex(String.raw`^([1-4])[\.\)\s]`)
const alone = pythonRegex(String.raw`\b([1-4])\b`)

/** Scores whether the answer names the number of the right option: the one at its start, or else the first one that stands alone. */
export function namesRightNumber(doc: Doc, [answer = '']: readonly string[]): Record<string, number | Verdict> {
  const named = atStart.exec(answer)?.[1] ?? alone.exec(answer)?.[1] ?? /^[1-4]/.exec(answer)?.[0]
  const score = named === undefined ? unparsed('the answer names no option') : Number(named === doc['answer'])
  return { videomme_perception_score: score }
}
