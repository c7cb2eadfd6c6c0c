import type { Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { likeliest } from '../_shared/options.js'
import { mediaPath } from '../_shared/values.js'
import { text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'
import { namedOption } from './letters.js'

const noOption = 'the answer names no option'

export const video = (doc: Doc): readonly string[] => [`${mediaPath('videos', doc['video_idx'], 'video_idx')}.mp4`]

/** The question with its options, which have their letters (`A. red`). */
export const questionWithOptions = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed([text(doc['question'], 'question'), ...readOptions(doc)].join('\n'), kwargs)

const readOptions = (doc: Doc): readonly string[] => texts(doc['option'], 'option')

/** The options without their letters; dots within them stay. */
export const optionTexts = (doc: Doc): readonly string[] =>
  readOptions(doc).map(option => stripWhiteSpace(option.slice(option.indexOf('.') + 1)))

/** The index of the right option, or null where the benchmark keeps it. */
export function rightIndex(doc: Doc): number | null {
  const { answer } = doc
  if (answer === null || answer === undefined) return null
  const index = Number(answer)
  if (Number.isInteger(index)) return index
  throw new Error(`the field "answer" must be the index of an option, not ${JSON.stringify(answer)}`)
}

/** Scores whether the answer names the right option. */
export function generatedScore(doc: Doc, [answer = '']: readonly string[]): Record<string, number | Verdict> {
  const named = namedOption(answer, readOptions(doc))
  return { score: named === undefined ? unparsed(noOption) : Number(named === rightIndex(doc)) }
}

/** Makes the row that the benchmark's server takes: the option's index by video, and -1 where the answer names none. */
export function generatedSubmission(doc: Doc, [answer = '']: readonly string[]): Record<string, Json | Verdict> {
  const named = namedOption(answer, readOptions(doc))
  return { submission: named === undefined ? unparsed(noOption, row(doc, -1)) : row(doc, named) }
}

/** Scores whether the likeliest option is the right one. */
export const chosenScore = (
  doc: Doc,
  results: readonly Json[],
  context?: Pick<ScoringContext, 'parity'>,
): Record<string, number> => ({
  score: Number(likeliest(results, context) === rightIndex(doc)),
})

/** Makes the row that the benchmark's server takes, with the likeliest option. */
export const chosenSubmission = (
  doc: Doc,
  results: readonly Json[],
  context?: Pick<ScoringContext, 'parity'>,
): Record<string, Json> => ({
  submission: row(doc, likeliest(results, context)),
})

const row = (doc: Doc, option: number): Json => ({ [text(doc['video_idx'], 'video_idx')]: option })
