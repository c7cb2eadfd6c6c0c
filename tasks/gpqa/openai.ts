import { addCount } from '../../base/collections/counts.js'
import type { JsonObject } from '../../cache/records.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { finalAnswer } from '../_shared/sampled-answers.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { text } from '../_shared/options.js'

/** The letter that an answer names, and whether it is the right one. */
interface Read {
  readonly letter: string | null
  readonly isRight: boolean
}

type Context = Pick<ScoringContext, 'parity'>
type Values = Readonly<Record<string, number | readonly (string | number | null)[] | Verdict>>

/** `exact_match` of the only answer. The letter that was read stands in `extracted_answers`. */
export function firstAnswer(doc: JsonObject, results: readonly string[], context: Context): Values {
  const reads = readAll(doc, results, context)
  return { exact_match: scoreMatch(reads[0]), extracted_answers: reads.map(({ letter }) => letter) }
}

/** Scores whether one of the filtered answers is right. lmms-eval looks at the first one only. */
export function anyAnswer(doc: JsonObject, results: readonly string[], context: Context): Values {
  const reads = readAll(doc, results, context)
  const best = context.parity === 'lmms-eval' ? undefined : reads.find(({ isRight }) => isRight)
  return { exact_match: scoreMatch(best ?? reads[0]) }
}

/** Scores the first n of 2, 4, 8 … answers: `cov@n` is 1 if one of them is right, `maj@n` if the letter that most of them name is right. */
export function answersOfSamples(doc: JsonObject, results: readonly string[], context: Context): Values {
  const reads = readAll(doc, results, context)
  const values: Record<string, Values[string]> = {
    exact_match: scoreMatch(reads[0]),
    extracted_answers: reads.map(({ letter }) => letter),
    exact_matches: reads.map(({ isRight }) => Number(isRight)),
  }
  for (let n = 2; n <= reads.length; n *= 2) {
    const first = reads.slice(0, n)
    values[`cov@${n}`] = Number(first.some(({ isRight }) => isRight))
    values[`maj@${n}`] = Number(mostNamed(first) === doc['answer'])
  }
  return values
}

const scoreMatch = (read: Read | undefined): number | Verdict =>
  read?.letter == null ? unparsed('the answer names no letter from A to D') : Number(read.isRight)

function readAll(doc: JsonObject, results: readonly string[], { parity }: Context): readonly Read[] {
  const right = text(doc['answer'], 'answer')
  // lmms-eval takes an answer without a letter for A.
  const otherwise = parity === 'lmms-eval' ? 'A' : null
  return results.map(result => {
    const letter = readLetter(result) ?? otherwise
    return { letter, isRight: letter === right }
  })
}

/** Finds the letter that most answers name. Among equals it is the first one. */
function mostNamed(reads: readonly Read[]): string | null {
  const counts = new Map<string, number>()
  for (const { letter } of reads) if (letter !== null) addCount(counts, letter)
  let most: string | null = null
  for (const [letter, count] of counts) if (count > (most === null ? 0 : (counts.get(most) ?? 0))) most = letter
  return most
}

/**
 * The letter in the last box, else all that stands behind `Answer:`, in the part of the answer that a chat template marks as such. `null`
 * where that is no letter from A to D.
 */
export function readLetter(answer: string): string | null {
  const said = finalAnswer(answer)
  const letter = /^[a-d]$/.test(said) ? said.toUpperCase() : said
  return /^[A-D]$/.test(letter) ? letter : null
}
