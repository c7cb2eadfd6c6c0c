/** Finds the boxes or tags in which an answer states its result. */
import { joinSpaced, joinUnspaced } from './answer-words/answer-words.js'
import { isValueDenied } from './value-claims/denials.js'
import { isValueSupposed } from './value-claims/suppositions.js'

const box = /\\f?boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}|<(?:final_)?answer>([^<]*)<\/(?:final_)?answer>/giu

/** The number of the last boxes that are looked at for words that deny them. A looping model writes thousands. */
const mostBoxes = 20

/** The number of characters before a box that are searched for a supposition. */
const reach = 160
/** Ends a text before what would be the answer to another question: "If you meant the other one, it would be". */
const wouldBe =
  /(?<!\p{L})if (?:you|it|this|that|they|the \p{L}+)(?!\p{L})[^.!?\n]{0,100}, (?:it|that|this|the (?:correct )?(?:answer|option|result)) would (?:be|have been)[\s$*_]*$/iu

/** Writes boxes and tags that the text denies or supposes as their content: "\boxed{A} is wrong" is "A is wrong". */
export function unboxDenied(text: string): string {
  const boxes = [...text.matchAll(box)].slice(-mostBoxes)
  return boxes.reduceRight((rest, { 0: own, 1: inBraces, 2: inTag, index }) => {
    const place = { start: index, end: index + own.length }
    const ahead = text.slice(Math.max(0, index - reach), index)
    if (!isValueDenied(text, place) && !isValueSupposed(text, place) && !wouldBe.test(ahead)) return rest
    return `${rest.slice(0, place.start)}${inBraces ?? inTag ?? ''}${rest.slice(place.end)}`
  }, text)
}

/** The words and signs that may stand between boxes that name several answers: `\boxed{A} or \boxed{B}`. */
const between = new RegExp(
  `^[\\s,;/&|+$*_.\\\\()[\\]-]*(?:(?:${joinSpaced(({ joins }) => joins)}(?!\\p{L})|${joinUnspaced(({ joins }) => joins)})[\\s,$*_\\\\()[\\]]*)*$`,
  'iu',
)

/**
 * The contents of the last `\boxed{…}` or `<answer>…</answer>`. There are several if such boxes stand side by side, as in
 * `\boxed{A} or \boxed{B}`, which leaves the answer open.
 */
export function findStatedGroup(text: string): readonly string[] {
  const boxes = [...text.matchAll(box)]
  const group: string[] = []
  for (let i = boxes.length - 1; i >= 0; i--) {
    const own = boxes[i]
    const next = boxes[i + 1]
    if (own === undefined) break
    const gap = next === undefined ? '' : text.slice(own.index + own[0].length, next.index)
    if (gap.length > 60 || !between.test(gap)) break
    group.unshift(own[1] ?? own[2] ?? '')
  }
  return group
}
