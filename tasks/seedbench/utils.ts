import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { firstOfFour, letterScore, namedLetter } from '../_shared/letters.js'
import { lettered, text } from '../_shared/options.js'

/** The texts of the four options. */
export const choices = (doc: Doc): readonly string[] =>
  ['choice_a', 'choice_b', 'choice_c', 'choice_d'].map(name => text(doc[name], name))

/** The question, its options, and the request for a letter. */
export const question = (doc: Doc): string =>
  [
    readQuestion(doc),
    ...lettered(choices(doc)),
    "Answer with the option's letter from the given choices directly.",
  ].join('\n')

/** Makes the same question, with the request in Korean. */
export const koreanQuestion = (doc: Doc): string =>
  [readQuestion(doc), ...lettered(choices(doc)), '주어진 선택지 중 해당 옵션의 문자로 바로 답하세요.'].join('\n')

/** The question alone, for the likelihoods of its options. */
export const bareQuestion = (doc: Doc): string => `${readQuestion(doc)} Answer :`

/** The right option's text. */
export function rightChoice(doc: Doc): string {
  const letter = text(doc['answer'], 'answer')
  return text(choices(doc)['ABCD'.indexOf(letter)], `choice_${letter.toLowerCase()}`)
}

/** 1 where the answer names the right option: among all questions, and among those on pictures or on videos. */
export function score(
  doc: JsonObject,
  [answer]: readonly Json[],
  context: Pick<ScoringContext, 'parity'> = {},
): Record<string, number | Verdict> {
  const value = scoreAnswer(doc, answer, context)
  return { [`seed_${text(doc['data_type'], 'data_type')}`]: value, seed_all: value }
}

/** Scores an answer of a benchmark of pictures only. */
export const pictureScore = (
  doc: JsonObject,
  [answer]: readonly Json[],
  context: Pick<ScoringContext, 'parity'> = {},
): Record<string, number | Verdict> => ({ seed_image: scoreAnswer(doc, answer, context) })

const readQuestion = (doc: Doc): string => text(doc['question'], 'question')

function scoreAnswer(
  doc: JsonObject,
  answer: Json | undefined,
  { parity }: Pick<ScoringContext, 'parity'>,
): number | Verdict {
  const named = namedLetter(text(answer, 'answer'), 4, { parity, byScript: firstOfFour })
  return letterScore(named, text(doc['answer'], 'answer').toUpperCase())
}
