import type { Doc } from '../../stages/input/tasks/doc.js'
import { text } from '../_shared/options.js'
import { transcriptScore } from '../_shared/speech-recognition.js'

export { transcriptPrompt } from '../_shared/speech-recognition.js'

/** The language is said by the field `task`: `asr_en`. */
export const transcriptErrors = (doc: Doc, [answer = '']: readonly string[]): ReturnType<typeof transcriptScore> =>
  transcriptScore(text(doc['gt'], 'gt'), answer, text(doc['task'], 'task').slice('asr_'.length))

export const longTranscriptErrors = (doc: Doc, [answer = '']: readonly string[]): ReturnType<typeof transcriptScore> =>
  transcriptScore(text(doc['transcript'], 'transcript'), answer, 'en')
