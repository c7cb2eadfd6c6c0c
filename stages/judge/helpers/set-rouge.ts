import { splitWhiteSpace } from '../../../base/python/white-space.js'
import { findSubsequence } from '../text/common-subsequence.js'
import { distinctLines, linesInCommon } from '../text/common-subsequence.js'

/** Precision, recall and F-measure, in [0, 1]. */
interface SetRougeScore {
  readonly p: number
  readonly r: number
  readonly f: number
}

interface SetRouge {
  readonly 'rouge-1': SetRougeScore
  readonly 'rouge-2': SetRougeScore
  readonly 'rouge-l': SetRougeScore
}

/**
 * ROUGE over sets: each n-gram, and each word of a common subsequence, counts once even if it is repeated. Texts
 * are split into sentences at periods and into words at white space. Case and punctuation count.
 * No shipped task uses it yet; see `docs/decisions/helpers-before-tasks.md`.
 *
 * Source: the Python package rouge 1.0.1, `Rouge().get_scores` (not rouge-score), which some tasks of lmms-eval
 * use.
 *
 * @throws Error if answer or reference contains only periods.
 */
export function setRouge(answer: string, reference: string): SetRouge {
  const [answerLines, referenceLines] = [splitSentences(answer), splitSentences(reference)]
  if (answerLines.length === 0) throw new Error('the answer holds no sentence')
  if (referenceLines.length === 0) throw new Error('the reference holds no sentence')
  const [ownWords, otherWords] = [answerLines.flat(), referenceLines.flat()]
  const ofRuns = (n: number): SetRougeScore => {
    const [a, b] = [collectNgrams(ownWords, n), collectNgrams(otherWords, n)]
    return setScore([...a].filter(run => b.has(run)).length, a.size, b.size)
  }
  const ownInCommon = linesInCommon(answerLines)
  const union = new Set(
    distinctLines(referenceLines).flatMap(other =>
      ownInCommon(other).flatMap(line => findSubsequence(other, line, 'b').map(at => other[at] ?? '')),
    ),
  )
  return {
    'rouge-1': ofRuns(1),
    'rouge-2': ofRuns(2),
    'rouge-l': setScore(union.size, new Set(ownWords).size, new Set(otherWords).size),
  }
}

/** The mean of each number over pairs of answer and reference. @throws Error if there is no pair. */
export function meanSetRouge(pairs: readonly (readonly [answer: string, reference: string])[]): SetRouge {
  if (pairs.length === 0) throw new Error('there is no answer to take a mean of')
  const scores = pairs.map(([answer, reference]) => setRouge(answer, reference))
  const mean = (kind: keyof SetRouge, field: keyof SetRougeScore): number =>
    scores.reduce((sum, score) => sum + score[kind][field], 0) / scores.length
  const of = (kind: keyof SetRouge): SetRougeScore => ({ p: mean(kind, 'p'), r: mean(kind, 'r'), f: mean(kind, 'f') })
  return { 'rouge-1': of('rouge-1'), 'rouge-2': of('rouge-2'), 'rouge-l': of('rouge-l') }
}

/** Splits a text into sentences of words. A blank sentence is one empty word. */
const splitSentences = (text: string): readonly (readonly string[])[] =>
  text
    .split('.')
    .filter(sentence => sentence !== '')
    .map(sentence => splitWhiteSpace(sentence))
    .map(words => (words.length === 0 ? [''] : words))

function collectNgrams(words: readonly string[], n: number): ReadonlySet<string> {
  return new Set(words.slice(n - 1).map((_, i) => words.slice(i, i + n).join(' ')))
}

function setScore(common: number, own: number, other: number): SetRougeScore {
  const p = own === 0 ? 0 : common / own
  const r = other === 0 ? 0 : common / other
  return { p, r, f: 2 * ((p * r) / (p + r + 1e-8)) }
}
