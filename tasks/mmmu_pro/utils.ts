import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { parseMmmuChoice } from '../../stages/judge/helpers/benchmarks/mmmu.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { letterScore } from '../_shared/letters.js'
import { namedPictures, pictureIn } from '../_shared/mmmu.js'
import { letter, lettered, text } from '../_shared/options.js'
import { writtenOptions } from '../_shared/options.js'

/** The question and its ten options; where these stand in the picture, the request alone. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const request = text(kwargs['post_prompt'], 'post_prompt')
  const isPictured = doc['question'] === undefined
  if (kwargs['format'] === 'qwen3_vl') {
    const asked = isPictured ? 'vision_prompt' : 'pre_prompt'
    return `${text(kwargs[asked] ?? '', asked)}${isPictured ? '' : readQuestion(doc)}\nOptions:\n${renderOptions(doc)}\n${request}`
  }
  return isPictured ? request : `${readQuestion(doc)}\n${renderOptions(doc)}\n\n${request}`
}

const readQuestion = (doc: Doc): string => text(doc['question'], 'question')
const renderOptions = (doc: Doc): string => lettered(writtenOptions(doc['options'], 'options')).join('\n')

/** The pictures that the question and its options name; where these stand in a picture, that one. */
export const pictures = (doc: Doc): readonly unknown[] =>
  doc['question'] === undefined
    ? [pictureIn(doc, 'image')]
    : namedPictures(`${readQuestion(doc)}\n${renderOptions(doc)}`, doc)

/** 1 where the answer names the right option. */
export function score(
  doc: JsonObject,
  [answer]: readonly Json[],
  { parity }: Pick<ScoringContext, 'parity'>,
): Record<string, number | Verdict> {
  const [said, right] = [text(answer, 'answer'), text(doc['answer'], 'answer')]
  const options = writtenOptions(doc['options'], 'options')
  if (parity === undefined) return { mmmu_acc: letterScore(namedLetter(said, options), right) }
  if (doc['question'] === undefined) return { mmmu_acc: Number(said === right) }
  return { mmmu_acc: letterScore(parseMmmuChoice(said, options, { bounded: false }), right) }
}

/**
 * The only option's letter behind the last "Answer:", or else what MMMU's rules read.
 *
 * Source: Yue et al. 2024 (https://arxiv.org/abs/2409.02813), `mmmu-pro/evaluate.py`, parse_multi_choice_response. lmms-eval 0.7.2 leaves
 * the first rule out, and compares the whole answer with the letter where the question stands in the picture.
 */
function namedLetter(answer: string, options: readonly string[]): string | undefined {
  const at = answer.lastIndexOf('Answer:')
  const final = at < 0 ? '' : answer.slice(at + 'Answer:'.length)
  const [only, ...more] = options.map((_, index) => letter(index)).filter(one => final.includes(one))
  return only !== undefined && more.length === 0 ? only : parseMmmuChoice(answer, options)
}

/** The share of a picture's questions that are right: their letters stand in the answer one after another. */
export function compositeScore(doc: JsonObject, [answer]: readonly Json[]): Record<string, number | Verdict> {
  const right = writtenOptions(doc['answer'], 'answer')
  const named = text(answer, 'answer').match(/(?<![\p{L}\p{N}_])[A-Z](?![\p{L}\p{N}_])/gu) ?? []
  if (named.length === 0) return { mmmu_acc: unparsed('the answer names no option') }
  return { mmmu_acc: right.filter((one, at) => named[at] === one).length / right.length }
}
