import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import { mediaPath } from '../_shared/values.js'
import { text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'
import { matchesCaption } from './caption-matching.js'
import { captionTells } from './captioning.js'
import { judgedRight, type Prediction } from './judge.js'

export const video = (doc: Doc): readonly string[] => [`${mediaPath('videos', doc['video_id'], 'video_id')}.mp4`]

export const multipleChoice = (doc: Doc, kwargs: TaskKwargs): string => renderQuestion(doc, kwargs, 'multi-choice')
export const yesOrNo = (doc: Doc, kwargs: TaskKwargs): string => renderQuestion(doc, kwargs, 'yes_no')
export const captionMatching = (doc: Doc, kwargs: TaskKwargs): string => renderQuestion(doc, kwargs, 'caption_matching')
export const captioning = (doc: Doc, kwargs: TaskKwargs): string => renderQuestion(doc, kwargs, 'captioning')

/** The question, with the `post_prompt` for questions of its kind. */
function renderQuestion(doc: Doc, kwargs: TaskKwargs, kind: string): string {
  const endings = (kwargs['post_prompt'] ?? {}) as Readonly<Record<string, unknown>>
  return affixed(readField(doc, 'question'), { ...kwargs, post_prompt: endings[kind] })
}

const readField = (doc: Doc, field: string): string => text(doc[field], field)

interface Judge {
  readonly ask: AskJudge
}

type Scores = Promise<Record<string, number | Verdict>>

/** Scores by rule if the answer is a letter or begins with one, else by the judge. */
export async function multipleChoiceScores(doc: Doc, [answer = '']: readonly string[], { ask }: Judge): Scores {
  const right = readField(doc, 'answer')
  if (answer === right) return scores(doc, 1)
  const [, letter] = /^([A-D])(?:$|[.)])/.exec(answer) ?? []
  const byRule = letter === undefined ? undefined : Number(right.startsWith(letter))
  return scores(doc, byRule ?? (await judgedRight(makePrediction(doc, 'multi-choice', answer), ask)))
}

/** Scores by rule if the answer begins with yes or no, else by the judge. */
export async function yesOrNoScores(doc: Doc, [answer = '']: readonly string[], { ask }: Judge): Scores {
  const said = ['yes', 'no'].find(word => answer.toLowerCase().startsWith(word))
  const byRule = said === undefined ? undefined : Number(said === readField(doc, 'answer'))
  return scores(doc, byRule ?? (await judgedRight(makePrediction(doc, 'Yes/No', answer), ask)))
}

/** Scores by rule if the answer is one of the captions or the label of one, else by the judge. */
export async function captionMatchingScores(doc: Doc, [answer = '']: readonly string[], { ask }: Judge): Scores {
  const byRule = matchesCaption(answer, readField(doc, 'question'), readField(doc, 'answer'))
  return scores(doc, byRule ?? (await judgedRight(makePrediction(doc, 'caption matching', answer), ask)))
}

/** Returns the target of a caption task: the doc's own answer if it has one, else the answer to the judge's question. */
export const captionTarget = (doc: Doc): string =>
  typeof doc['answer'] === 'string' ? doc['answer'] : readField(doc, 'mc_answer')

/** Scores a caption by a judge that answers a question from it. */
export async function captioningScores(doc: Doc, [caption = '']: readonly string[], { ask }: Judge): Scores {
  const [question, right] = [readField(doc, 'mc_question'), readField(doc, 'mc_answer')]
  return scores(doc, await captionTells({ caption, question, right }, ask))
}

const makePrediction = (doc: Doc, kind: Prediction['kind'], answer: string): Prediction => ({
  kind,
  question: readField(doc, 'question'),
  right: readField(doc, 'answer'),
  answer,
})

const aspects = ['speed', 'direction', 'action', 'order', 'attribute_change']

/** The score of the whole, and of the aspect that the question is about. */
function scores(doc: Doc, score: number | Verdict): Record<string, number | Verdict> {
  const aspect = readField(doc, 'dim')
  if (!aspects.includes(aspect)) throw new Error(`the field "dim" must be one of ${aspects.join(', ')}, not ${aspect}`)
  return { avg_accuracy: score, [`${aspect}_accuracy`]: score }
}
