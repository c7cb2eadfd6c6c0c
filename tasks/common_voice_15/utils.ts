import type { Doc } from '../../stages/input/tasks/doc.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { text } from '../_shared/options.js'
import { transcriptScore } from '../_shared/speech-recognition.js'

export { transcriptPrompt } from '../_shared/speech-recognition.js'

export const transcriptErrors = (
  doc: Doc,
  [answer = '']: readonly string[],
  context: ScoringContext,
): ReturnType<typeof transcriptScore> =>
  transcriptScore(
    { reference: text(doc['sentence'], 'sentence'), answer, language: text(doc['locale'], 'locale') },
    context,
  )
