import type { Json } from '../../base/values/canonical-json.js'
import { pythonRegex } from '../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, DocList, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { letterScore, namedLetter } from '../_shared/letters.js'
import { lettered, text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

/** `(A) red (B) teal`; an option holds no brackets. */
const options = pythonRegex(String.raw`\([A-D]\)\s*([^()]+?)(?=\s*\([A-D]\)|$)`, 'g')

/** The doc's text with its options a line each. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const given = text(doc['text'], 'text')
  const found = Array.from(given.matchAll(options), ([, option = '']) => stripWhiteSpace(option))
  if (found.length === 0) return affixed(given, kwargs)
  const [asked = ''] = given.split('(A)')
  return affixed([stripWhiteSpace(asked), ...lettered(found.slice(0, 4))].join('\n'), kwargs)
}

export const directAttributes = (docs: DocList): DocList => docs.filter(doc => doc['category'] === 'direct_attributes')
export const relativePosition = (docs: DocList): DocList => docs.filter(doc => doc['category'] === 'relative_position')

const scoreAs =
  (metric: string) =>
  (
    doc: JsonObject,
    [answer]: readonly Json[],
    { parity }: Pick<ScoringContext, 'parity'> = {},
  ): Record<string, number | Verdict> => ({
    [metric]: letterScore(
      namedLetter(text(answer, 'answer'), 4, { parity, byScript: signedLetter }),
      stripWhiteSpace(text(doc['label'], 'label')).toUpperCase(),
    ),
  })

/** 1 where the answer names the right option. */
export const score = scoreAs('vstar_overall_acc')
export const directAttributesScore = scoreAs('vstar_direct_attributes_acc')
export const relativePositionScore = scoreAs('vstar_relative_position_acc')

/** The patterns of an answer, from the clearest sign to the weakest. */
const signs = [
  String.raw`^([A-D])\s*[.)\]]*`,
  String.raw`(?:THE\s+)?(?:ANSWER|CHOICE|OPTION)(?:\s+IS)?[\s:]+([A-D])`,
  String.raw`\(([A-D])\)`,
  String.raw`([A-D])\s*(?:\.|\)|\])`,
  String.raw`(?:^|\s)([A-D])(?:\s|$)`,
].map(sign => pythonRegex(sign))

/**
 * The option's letter that an answer names, in any case. A word that begins with one of the letters counts at the start of the answer
 * and behind "answer".
 *
 * Source: lmms-eval 0.7.2, `tasks/vstar_bench/utils.py`, extract_answer_letter.
 */
function signedLetter(answer: string): string | undefined {
  const said = stripWhiteSpace(answer).toUpperCase()
  for (const sign of signs) {
    const letter = sign.exec(said)?.[1]
    if (letter !== undefined) return letter
  }
  const [only, ...more] = said.match(/[A-D]/g) ?? []
  return more.length === 0 ? only : undefined
}
