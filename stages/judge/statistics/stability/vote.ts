/** Votes of several answers to one doc. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { chooseCount, divideCounts } from './binomials.js'

/** An answer that can be counted; null stands for an answer that could not be read. */
export type CountedAnswer = string | number | boolean | null

/** The result of a vote. */
export interface Vote {
  /** The most frequent answer. Of several, it is the one that came first. */
  readonly answer: CountedAnswer
  /** All answers that are as frequent, in the order of their first appearance. */
  readonly tied: readonly CountedAnswer[]
  /** The share of the answers that the winner has. */
  readonly share: number
  readonly isUnanimous: boolean
}

/**
 * Takes the majority vote of answers. Answers that could not be read vote together, as null.
 *
 * Source: lmms-eval 0.7.2, `MajorityVoteFilter`; Wang et al. 2022 (arXiv 2203.11171), self-consistency.
 *
 * @throws PipelineError without answers
 */
export function takeVote(answers: readonly CountedAnswer[]): Vote {
  const counts = countAnswers(answers)
  const most = Math.max(...counts.values())
  const tied = [...counts].flatMap(([answer, count]) => (count === most ? [answer] : []))
  return { answer: tied[0] ?? null, tied, share: most / answers.length, isUnanimous: counts.size === 1 }
}

/** A vote compared with the target. */
export interface JudgedVote extends Vote {
  readonly isRight: boolean
  /** The probability that the vote is right if ties are broken by chance. */
  readonly expectedRight: number
  /** Whether more than half of the answers are right, which lmms-eval's consensus accuracy counts. */
  readonly hasRightMajority: boolean
  /** Whether all answers are right or all are wrong, which lmms-eval's consistency rate counts. */
  readonly hasEqualScores: boolean
}

/** Takes the majority vote and compares it with the target. */
export function judgeVote(answers: readonly CountedAnswer[], target: CountedAnswer): JudgedVote {
  const vote = takeVote(answers)
  const right = answers.filter(answer => answer === target).length
  return {
    ...vote,
    isRight: vote.answer === target,
    expectedRight: vote.tied.includes(target) ? 1 / vote.tied.length : 0,
    hasRightMajority: right > answers.length / 2,
    hasEqualScores: right === 0 || right === answers.length,
  }
}

/**
 * Computes maj@k: the probability that the vote of k answers is right, if they are drawn from all answers without
 * replacement and ties are broken by chance. It is exact for every k.
 *
 * @throws PipelineError if there are fewer than k answers
 */
export function estimateMajorityAtK(answers: readonly CountedAnswer[], target: CountedAnswer, k: number): number {
  if (!(Number.isInteger(k) && k >= 1 && k <= answers.length))
    throw new PipelineError(
      'usage',
      `k is ${k}, and it must be a whole number from 1 to the ${answers.length} answers of the doc.`,
    )
  const counts = countAnswers(answers)
  const right = counts.get(target) ?? 0
  const rivalCounts = [...counts].flatMap(([answer, count]) => (answer === target ? [] : [count]))
  // Won subsets by the number of answers that tie with the target.
  const won = new Map<number, bigint>()
  for (let votes = 1; votes <= Math.min(k, right); votes++) {
    const ways = chooseCount(right, votes)
    countRivals(rivalCounts, { votes, rest: k - votes }).forEach((subsets, ties) => {
      won.set(ties, (won.get(ties) ?? 0n) + ways * subsets)
    })
  }
  let [numerator, denominator] = [0n, 1n]
  for (const [ties, subsets] of won) {
    const parts = BigInt(ties + 1)
    numerator = numerator * parts + subsets * denominator
    denominator *= parts
  }
  return divideCounts(numerator, denominator * chooseCount(answers.length, k))
}

/** Counts the ways to draw `rest` answers with no rival above `votes`, by the number of rivals that have exactly `votes`. */
function countRivals(
  counts: readonly number[],
  { votes, rest }: { readonly votes: number; readonly rest: number },
): readonly bigint[] {
  // ways[drawn][ties]
  const startRow = (first: bigint): bigint[] => [first, ...counts.map(() => 0n)]
  let ways = Array.from({ length: rest + 1 }, (_, drawn) => startRow(drawn === 0 ? 1n : 0n))
  for (const count of counts) {
    const next = ways.map(() => startRow(0n))
    for (let drawn = 0; drawn <= rest; drawn++)
      for (let own = 0; own <= Math.min(count, votes, drawn); own++) {
        const factor = chooseCount(count, own)
        ways[drawn - own]?.forEach((before, ties) => {
          if (before === 0n) return
          const row = next[drawn] ?? []
          const index = ties + (own === votes ? 1 : 0)
          row[index] = (row[index] ?? 0n) + before * factor
        })
      }
    ways = next
  }
  return ways[rest] ?? []
}

function countAnswers(answers: readonly CountedAnswer[]): ReadonlyMap<CountedAnswer, number> {
  if (answers.length === 0) throw new PipelineError('usage', 'There are no answers to vote with.')
  const counts = new Map<CountedAnswer, number>()
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return counts
}
