import type { Json } from '../../base/values/canonical-json.js'
import { pythonRegex } from '../../base/python/python-regex.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { likeliest } from '../_shared/options.js'
import { mediaPath } from '../_shared/values.js'
import { lettered, text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

const noOption = 'no letter from A to D stands alone in the answer'

export const video = (doc: Doc): readonly string[] => [`${mediaPath('videos', doc['video_name'], 'video_name')}.mp4`]

export const questionWithOptions = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed([text(doc['question'], 'question'), ...lettered(texts(doc['options'], 'options'))].join('\n'), kwargs)

/** The index of the right option. */
export function rightIndex(doc: Doc): number {
  const index = Number(doc['answer_id'] ?? NaN)
  if (Number.isInteger(index)) return index
  throw new Error(`the field "answer_id" must be the index of an option, not ${JSON.stringify(doc['answer_id'])}`)
}

const alone = pythonRegex(String.raw`\b([A-D])\b`)

/** The index of the first letter from A to D that stands alone. */
function namedOption(answer: string): number | undefined {
  const named = alone.exec(answer)?.[1]
  return named === undefined ? undefined : 'ABCD'.indexOf(named)
}

/** Scores whether the answer names the right option. */
export function generatedScore(doc: Doc, [answer = '']: readonly string[]): Record<string, number | Verdict> {
  const named = namedOption(answer)
  return { accuracy: named === undefined ? unparsed(noOption) : Number(named === rightIndex(doc)) }
}

/** Scores whether the likeliest option is the right one. */
export const chosenScore = (
  doc: Doc,
  results: readonly Json[],
  context?: Pick<ScoringContext, 'parity'>,
): Record<string, number> => ({
  accuracy: Number(likeliest(results, context) === rightIndex(doc)),
})

/** Makes the row that the benchmark's server takes, with -1 where the answer names no option. */
export function generatedSubmission(doc: Doc, [answer = '']: readonly string[]): Record<string, Json | Verdict> {
  const named = namedOption(answer)
  return { submission: named === undefined ? unparsed(noOption, row(doc, -1)) : row(doc, named) }
}

/** Makes the row that the benchmark's server takes, with the likeliest option. */
export const chosenSubmission = (
  doc: Doc,
  results: readonly Json[],
  context?: Pick<ScoringContext, 'parity'>,
): Record<string, Json> => ({
  submission: row(doc, likeliest(results, context)),
})

const row = (doc: Doc, option: number): Json => ({
  video_name: text(doc['video_name'], 'video_name'),
  question: text(doc['question'], 'question'),
  question_id: typeof doc['question_id'] === 'number' ? doc['question_id'] : text(doc['question_id'], 'question_id'),
  pred_id: option,
})
