import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { firstLetter, letterScore, namedLetter } from './letters.js'
import { text, texts } from './options.js'

/** Scores 1 if the answer names the letter in the doc's `answer`, such as `(B)`, among its `choices`. */
export function scoreLetteredChoice(
  doc: JsonObject,
  answer: Json | undefined,
  { parity }: Pick<ScoringContext, 'parity'>,
): number | Verdict {
  const count = texts(doc['choices'], 'choices').length
  const byScript = (said: string): string | undefined => firstLetter(said, count)
  const right = text(doc['answer'], 'answer').replace(/^[()]+|[()]+$/g, '')
  return letterScore(namedLetter(text(answer, 'answer'), count, { parity, byScript }), right)
}
