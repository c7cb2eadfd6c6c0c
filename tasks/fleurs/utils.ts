import type { Doc } from '../../stages/input/tasks/doc.js'
import { text } from '../_shared/options.js'
import { transcriptScore } from '../_shared/speech-recognition.js'

export { transcriptPrompt } from '../_shared/speech-recognition.js'

export const transcriptErrors = (doc: Doc, [answer = '']: readonly string[]): ReturnType<typeof transcriptScore> =>
  transcriptScore(text(doc['transcription'], 'transcription'), answer, text(doc['language'], 'language'))
