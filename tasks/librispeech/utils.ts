import type { Doc } from '../../stages/input/tasks/doc.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { text } from '../_shared/options.js'
import { transcriptScore } from '../_shared/speech-recognition.js'

export { transcriptPrompt } from '../_shared/speech-recognition.js'

/** The language is said by the field `task`: `asr_en`. */
export const transcriptErrors = (
  doc: Doc,
  [answer = '']: readonly string[],
  context: ScoringContext,
): ReturnType<typeof transcriptScore> =>
  transcriptScore(
    { reference: text(doc['gt'], 'gt'), answer, language: text(doc['task'], 'task').slice('asr_'.length) },
    context,
  )

export const longTranscriptErrors = (
  doc: Doc,
  [answer = '']: readonly string[],
  context: ScoringContext,
): ReturnType<typeof transcriptScore> =>
  transcriptScore({ reference: text(doc['transcript'], 'transcript'), answer, language: 'en' }, context)
