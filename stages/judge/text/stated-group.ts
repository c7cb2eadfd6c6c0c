/** Finds the boxes or tags in which an answer states its result. */
import { joinSpaced, joinUnspaced } from './answer-words/answer-words.js'

const box = /\\f?boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}|<(?:final_)?answer>([^<]*)<\/(?:final_)?answer>/giu

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
