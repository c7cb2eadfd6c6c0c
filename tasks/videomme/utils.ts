import type { Doc, DocList, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define-metric.js'
import { extractMcqAnswer } from '../../stages/judge/helpers/multiple-choice.js'
import { letterScore } from '../_shared/letter-score.js'
import { mediaPath } from '../_shared/media-path.js'
import { text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

export const video = (doc: Doc): readonly string[] => [`${mediaPath('videomme/data', doc['videoID'], 'videoID')}.mp4`]

export const nothing = (): readonly string[] => []

export const longVideos = (docs: DocList): DocList => docs.filter(doc => doc['duration'] === 'long')

const task =
  'Select the best answer to the following multiple-choice question based on the video and the subtitles. Respond with only the letter (A, B, C, or D) of the correct option.'

/** The question with its options, which have their letters. */
export function questionWithOptions(doc: Doc, kwargs: TaskKwargs): string {
  if (kwargs['format'] === 'qwen3_vl') return briefQuestion(doc, kwargs)
  return asked(doc, text(kwargs['post_prompt'] ?? 'The best answer is:', 'post_prompt'))
}

/** The same with the video's subtitles before it. */
export function questionWithSubtitles(doc: Doc, kwargs: TaskKwargs): string {
  const question = kwargs['format'] === 'qwen3_vl' ? briefQuestion(doc, kwargs) : asked(doc, 'The best answer is:')
  return `This video's subtitles are listed below: \n${subtitlesOf(doc)}\n${question}`
}

const asked = (doc: Doc, ending: string): string => [task, questionOf(doc), ...optionsOf(doc), ending].join('\n')

const briefQuestion = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed(`${[questionOf(doc), 'Options:', ...optionsOf(doc)].join('\n')}\n`, kwargs)

const questionOf = (doc: Doc): string => text(doc['question'], 'question')
const optionsOf = (doc: Doc): readonly string[] => texts(doc['options'], 'options')

/** What is said in the lines of an .srt file, where the doc has one. */
function subtitlesOf({ subtitles }: Doc): string {
  if (subtitles === undefined || subtitles === null) return 'No subtitles available'
  const lines = text(subtitles, 'subtitles').matchAll(/<font color="white" size=".72c">([^\n]*?)<\/font>/g)
  return Array.from(lines, ([, said = '']) => said).join('\n')
}

/**
 * Whether the answer names the right option. Of several letters with an equal sign the first holds, as in the benchmark's own script,
 * which takes the first letter of all behind "the answer is" and the like.
 */
export function namesRightLetter(doc: Doc, [answer = '']: readonly string[]): Record<string, number | Verdict> {
  const named = extractMcqAnswer(answer, ['A', 'B', 'C', 'D'], { take: 'first' })
  return { videomme_perception_score: letterScore(named, text(doc['answer'], 'answer')) }
}
