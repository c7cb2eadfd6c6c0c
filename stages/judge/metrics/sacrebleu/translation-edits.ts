import { beamEditDistance, type Alignment, type BeamEditDistance } from './beam-edit-distance.js'

const longestShift = 10
const farthestShift = 50
const mostCandidates = 1000

/**
 * The number of edits from an answer to a reference. Phrases are shifted as long as a shift reduces the edit
 * distance, then words are inserted, deleted and substituted. The search is greedy and stops after 1,000
 * candidates.
 *
 * Source: Snover et al. (2006), as in sacrebleu 2.6.0, `metrics/lib_ter.py`, after Tercom. Shifts are ranked by the
 * edits that they save, then by length, by position in the answer, and by target.
 */
export function translationEdits(answer: readonly string[], reference: readonly string[]): number {
  if (reference.length === 0) return answer.length
  const codes = new Map<string, number>()
  const encodeWord = (word: string): number => {
    const code = codes.get(word) ?? codes.size
    codes.set(word, code)
    return code
  }
  const wanted = reference.map(encodeWord)
  let words: readonly number[] = answer.map(encodeWord)
  const distances = beamEditDistance(wanted, words.length)
  for (let shifts = 0, checked = 0; ; shifts++) {
    const alignment = distances.align(words)
    const shift = bestShift({ words, wanted, alignment, distances, checked })
    checked = shift.checked
    if (checked >= mostCandidates || shift.best === undefined || shift.best.saved <= 0) {
      return shifts + alignment.distance
    }
    words = shiftPhrase(words, shift.best)
  }
}

interface Search {
  readonly words: readonly number[]
  readonly wanted: readonly number[]
  readonly alignment: Alignment
  readonly distances: BeamEditDistance
  /** The number of candidates measured so far. */
  readonly checked: number
}

/** Moves `length` words from `start` before the word that was at `target`. */
interface Shift {
  readonly start: number
  readonly length: number
  readonly target: number
}

interface MeasuredShift extends Shift {
  readonly saved: number
}

function bestShift(search: Search): { readonly best: MeasuredShift | undefined; readonly checked: number } {
  const { words, alignment, distances } = search
  let { checked } = search
  let best: MeasuredShift | undefined
  for (const phrase of commonPhrases(search)) {
    for (const target of targets(phrase, alignment)) {
      const shift = { start: phrase.start, length: phrase.length, target }
      const saved = alignment.distance - distances.distance(...changedBy(shift, words))
      checked++
      if (best === undefined || isBetter({ ...shift, saved }, best)) best = { ...shift, saved }
    }
    if (checked >= mostCandidates) break
  }
  return { best, checked }
}

function isBetter(a: MeasuredShift, b: MeasuredShift): boolean {
  return (a.saved - b.saved || a.length - b.length || b.start - a.start || b.target - a.target) > 0
}

/** Words of the answer that also occur in the reference, at `to`. */
interface Phrase {
  readonly start: number
  readonly to: number
  readonly length: number
}

/** Phrases worth shifting: misplaced on both sides, and not aligned with themselves. */
function* commonPhrases({ words, wanted, alignment }: Search): Generator<Phrase> {
  const { answerAt, answerErrs, referenceErrs } = alignment
  const [near, nearThere] = [nearErrors(answerErrs), nearErrors(referenceErrs)]
  for (let start = 0; start < words.length; start++) {
    if (near[start] === 0) continue
    const last = Math.min(wanted.length - 1, start + farthestShift)
    for (let to = Math.max(0, start - farthestShift); to <= last; to++) {
      if (words[start] !== wanted[to] || nearThere[to] === 0) continue
      const at = answerAt[to] ?? -1
      let [errsHere, errsThere] = [false, false]
      for (let length = 1; length <= longestShift; length++) {
        const [here, there] = [start + length - 1, to + length - 1]
        if (here >= words.length || there >= wanted.length || words[here] !== wanted[there]) break
        errsHere ||= answerErrs[here] === true
        errsThere ||= referenceErrs[there] === true
        const isInside = start <= at && at < start + length
        if (errsHere && errsThere && !isInside) yield { start, to, length }
      }
    }
  }
}

/** 1 for each position at which a phrase that contains an error can start. */
function nearErrors(errs: readonly boolean[]): Uint8Array {
  const near = new Uint8Array(errs.length)
  let next = Infinity
  for (let at = errs.length - 1; at >= 0; at--) {
    if (errs[at] === true) next = at
    if (next - at < longestShift) near[at] = 1
  }
  return near
}

/**
 * Positions after the answer word that is aligned with the reference word before the phrase, and after those
 * aligned with the phrase.
 */
function* targets({ to, length }: Phrase, { answerAt }: Alignment): Generator<number> {
  let before = -1
  for (let at = to - 1; at < to + length; at++) {
    const target = at === -1 ? 0 : (answerAt[at] ?? -1) + 1
    if (target !== before) yield target
    before = target
  }
}

/** The words whose positions change, in their new order, and their start. */
function changedBy({ start, length, target }: Shift, words: readonly number[]): readonly [number[], from: number] {
  const from = Math.min(start, target)
  const to = target > start + length ? target : Math.max(start, target) + length
  return [shiftPhrase(words.slice(from, to), { start: start - from, length, target: target - from }), from]
}

function shiftPhrase(words: readonly number[], { start, length, target }: Shift): number[] {
  // A target after the phrase moves left by the phrase's length. A target within it counts from its start.
  const at = target > start + length ? target - length : target
  return words.toSpliced(start, length).toSpliced(at, 0, ...words.slice(start, start + length))
}
