import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { transcriptErrors, transcriptLanguage } from '../../stages/judge/helpers/transcripts.js'
import { affixed } from './question.js'

/** Asks for a transcript, in the words of Qwen2-Audio's evaluation. */
export const transcriptPrompt = (_doc: Doc, kwargs: TaskKwargs): string =>
  affixed('Please recognize the speech and only output the recognized content:', kwargs)

/** The errors of a transcript, for the aggregation `wer`; the language by its code or its name in FLEURS. */
export const transcriptScore = (
  reference: string,
  answer: string,
  language: string,
): Record<string, Record<string, number>> => ({
  wer: { ...transcriptErrors({ reference, answer }, transcriptLanguage(language)) },
})
