import type { Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { pythonRound } from '../../stages/judge/text/python-number.js'
import { letter, lettered, text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'
import { spacedLetter } from '../_shared/letters.js'
import { number } from '../_shared/values.js'

const noOption = 'the answer names no option'

/** The options, which the dataset has as JSON in a text. */
export function optionsOf(doc: Doc): readonly string[] {
  const written = text(doc['choices'], 'choices')
  try {
    return texts(JSON.parse(written), 'choices')
  } catch (error) {
    throw new Error(`the field "choices" must be a list of texts in JSON, not ${written.slice(0, 200)}`, {
      cause: error,
    })
  }
}

export const questionWithOptions = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed([text(doc['question'], 'question'), ...lettered(optionsOf(doc))].join('\n'), kwargs)

/** The text of the option that the answer names. */
function namedOption(doc: Doc, answer: string): string | undefined {
  const options = optionsOf(doc)
  const letters = options.map((_, i) => letter(i))
  const named = spacedLetter(answer, letters)
  return named === undefined ? undefined : options[letters.indexOf(named)]
}

/** Scores whether the answer names the right option, without regard to letter case. */
export function namesRightOption(doc: Doc, [answer = '']: readonly string[]): Record<string, number | Verdict> {
  const named = namedOption(doc, answer)
  const right = text(doc['answer'], 'answer')
  return { accuracy: named === undefined ? unparsed(noOption) : Number(plain(named) === plain(right)) }
}

const plain = (option: string): string => stripWhiteSpace(option).toLowerCase()

/** The mean in per cent, to five places. */
export const roundedPercent = (scores: readonly Json[]): number =>
  pythonRound((scores.reduce<number>((sum, score) => sum + number(score, 'score'), 0) * 100) / scores.length, 5)

const kept = [
  ...['id', 'audio_id', 'question', 'choices', 'dataset', 'task', 'split', 'category', 'sub-category'],
  'difficulty',
]

/** Makes the row that the benchmark's server takes: fields of the doc, and the text of the option. */
export function submission(doc: Doc, [answer = '']: readonly string[]): Record<string, Json | Verdict> {
  const fields = Object.fromEntries(
    kept.flatMap(field => (doc[field] === undefined ? [] : [[field, checkField(doc[field], field)]])),
  )
  const named = namedOption(doc, answer)
  if (named !== undefined) return { submission: { ...fields, model_prediction: named } }
  return { submission: unparsed(noOption, { ...fields, model_prediction: '' }) }
}

function checkField(value: unknown, field: string): string | number | null {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value
  throw new Error(`the field "${field}" must be a text or a number, not ${JSON.stringify(value)}`)
}
