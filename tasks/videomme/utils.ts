import type { DatasetAccess, Doc, DocList, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { extractMcqAnswer } from '../../stages/judge/helpers/multiple-choice.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { letterScore } from '../_shared/letters.js'
import { mediaPath } from '../_shared/values.js'
import { text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

export const video = (doc: Doc): readonly string[] => [`${mediaPath('data', doc['videoID'], 'videoID')}.mp4`]

export const nothing = (): readonly string[] => []

/** The docs with what is said in their videos, where there is a file of subtitles: the whole of it, whatever frames a model looks at. */
export async function* withSubtitles(docs: DocList, { read }: DatasetAccess): AsyncGenerator<Doc> {
  for await (const doc of docs) {
    const path = `${mediaPath('subtitle', doc['videoID'], 'videoID')}.srt`
    const file = await read(path).catch((error: unknown) => {
      if (error instanceof Error && error.message === `no file ${path}`) return undefined
      throw error
    })
    yield { ...doc, subtitles: file === undefined ? null : spoken(new TextDecoder().decode(file)) }
  }
}

/** Keeps the videos of half an hour and more, with their subtitles. */
export const longWithSubtitles = (docs: DocList, access: DatasetAccess): AsyncGenerator<Doc> =>
  withSubtitles(
    docs.filter(doc => doc['duration'] === 'long'),
    access,
  )

/** The lines of an .srt file, without times. */
const spoken = (file: string): string =>
  Array.from(file.matchAll(/<font color="white" size=".72c">([^\n]*?)<\/font>/g), ([, said = '']) => said).join('\n')

const task =
  'Select the best answer to the following multiple-choice question based on the video and the subtitles. Respond with only the letter (A, B, C, or D) of the correct option.'

/** The question with its options, which have their letters. */
export function questionWithOptions(doc: Doc, kwargs: TaskKwargs): string {
  if (kwargs['format'] === 'qwen3_vl') return briefQuestion(doc, kwargs)
  return renderQuestion(doc, text(kwargs['post_prompt'] ?? 'The best answer is:', 'post_prompt'))
}

/** Makes the same question, with the video's subtitles before it. */
export function questionWithSubtitles(doc: Doc, kwargs: TaskKwargs): string {
  const question =
    kwargs['format'] === 'qwen3_vl' ? briefQuestion(doc, kwargs) : renderQuestion(doc, 'The best answer is:')
  const subtitles = text(doc['subtitles'] ?? 'No subtitles available', 'subtitles')
  return `This video's subtitles are listed below: \n${subtitles}\n${question}`
}

const renderQuestion = (doc: Doc, ending: string): string =>
  [task, readQuestion(doc), ...readOptions(doc), ending].join('\n')

const briefQuestion = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed(`${[readQuestion(doc), 'Options:', ...readOptions(doc)].join('\n')}\n`, kwargs)

const readQuestion = (doc: Doc): string => text(doc['question'], 'question')
const readOptions = (doc: Doc): readonly string[] => texts(doc['options'], 'options')

/**
 * Scores whether the answer names the right option. Among letters with an equal sign the first one counts, as in the benchmark's own
 * script, which takes the first letter behind "the answer is" and the like.
 */
export function namesRightLetter(
  doc: Doc,
  [answer = '']: readonly string[],
  { parity }: Pick<ScoringContext, 'parity'>,
): Record<string, number | Verdict> {
  // In lmms-eval the last one holds.
  const named = extractMcqAnswer(answer, ['A', 'B', 'C', 'D'], { take: parity === undefined ? 'first' : 'last' })
  return { videomme_perception_score: letterScore(named, text(doc['answer'], 'answer')) }
}
