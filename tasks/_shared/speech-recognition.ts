import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { parseNormalizers, transcriptErrors, transcriptLanguage } from '../../stages/judge/helpers/transcripts.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { affixed } from './question.js'

/** The transcription prompt of Qwen2-Audio's evaluation. */
export const transcriptPrompt = (_doc: Doc, kwargs: TaskKwargs): string =>
  affixed('Please recognize the speech and only output the recognized content:', kwargs)

/** Counts the errors of a transcript, for the aggregation `wer`. The language is its code or its name in FLEURS. */
export function transcriptScore(
  { reference, answer, language }: { readonly reference: string; readonly answer: string; readonly language: string },
  { normalizers }: Pick<ScoringContext, 'normalizers'>,
): Record<string, Record<string, number>> {
  const known = transcriptLanguage(language)
  return { wer: { ...transcriptErrors({ reference, answer }, known, parseNormalizers(normalizers, known)) } }
}
