import { stripWhiteSpace } from '../../../../base/python/white-space.js'
import type { Parity } from '../../define/parity.js'
import { yesNoWord, type YesOrNo } from './yes-no-words.js'

export type { YesOrNo } from './yes-no-words.js'

/**
 * The rule for reading an answer. `exact`: the answer is only yes or no (POPE). `words`: yes or no as separate words
 * anywhere, in several languages. `prefix`: yes or no in the first four characters, even within another word (MME's own
 * script).
 */
export type YesNoRule = 'exact' | 'words' | 'prefix'

/** The yes or no in an answer; undefined if it has neither. Case is ignored. */
export function yesOrNo(text: string, rule: YesNoRule): YesOrNo | undefined {
  const answer = stripWhiteSpace(text.toLowerCase())
  switch (rule) {
    case 'exact':
      return answer === 'yes' || answer === 'no' ? answer : undefined
    case 'words':
      return yesNoWord(answer)
    case 'prefix':
      return yesNoPrefix(answer)
  }
}

/** Source: Fu et al. 2023, MME, `eval_tool/calculation.py`, parse_pred_ans. */
function yesNoPrefix(answer: string): YesOrNo | undefined {
  const plain = answer.replaceAll('.', '')
  if (plain === 'y') return 'yes'
  if (plain === 'n') return 'no'
  const start = Array.from(plain.slice(0, 8)).slice(0, 4).join('')
  if (start.includes('yes')) return 'yes'
  return start.includes('no') ? 'no' : undefined
}

/** The gold label and the answer of one question. The answer is null if it is neither yes nor no. */
interface YesNoPair {
  readonly gold: YesOrNo
  readonly answer: YesOrNo | null
}

/** Counts of the pairs of gold label and answer. */
interface YesNoCounts {
  readonly truePositives: number
  readonly falsePositives: number
  readonly golds: number
  /** Questions whose gold label is yes and whose answer is yes or no. */
  readonly answeredGolds: number
  readonly right: number
  readonly all: number
}

export const noYesNoCounts: YesNoCounts = {
  truePositives: 0,
  falsePositives: 0,
  golds: 0,
  answeredGolds: 0,
  right: 0,
  all: 0,
}

export function countYesNo(counts: YesNoCounts, { gold, answer }: YesNoPair): YesNoCounts {
  return {
    truePositives: counts.truePositives + (gold === 'yes' && answer === 'yes' ? 1 : 0),
    falsePositives: counts.falsePositives + (gold === 'no' && answer === 'yes' ? 1 : 0),
    golds: counts.golds + (gold === 'yes' ? 1 : 0),
    answeredGolds: counts.answeredGolds + (gold === 'yes' && answer !== null ? 1 : 0),
    right: counts.right + (gold === answer ? 1 : 0),
    all: counts.all + 1,
  }
}

/** Lists counts in the order in which {@link readYesNoCounts} reads them. */
export const listYesNoCounts = (counts: YesNoCounts): readonly number[] => [
  counts.truePositives,
  counts.falsePositives,
  counts.golds,
  counts.answeredGolds,
  counts.right,
  counts.all,
]

/** Reads counts from their list. */
export const readYesNoCounts = (list: ArrayLike<number>): YesNoCounts => ({
  truePositives: list[0] ?? 0,
  falsePositives: list[1] ?? 0,
  golds: list[2] ?? 0,
  answeredGolds: list[3] ?? 0,
  right: list[4] ?? 0,
  all: list[5] ?? 0,
})

export interface YesNoRates {
  readonly accuracy: number
  readonly precision: number
  readonly recall: number
  readonly f1: number
  /** The share of "yes" among the answers. */
  readonly yesRatio: number
}

/**
 * Rates with "yes" as the positive class. An answer that is neither counts as wrong, and stays in the denominators
 * of accuracy, recall and yes ratio. A rate with a denominator of 0 is 0.
 *
 * With parity, such answers are left out of the recall, and the yes ratio is that of the gold labels, as in
 * lmms-eval 0.7.2.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export function yesNoRates(counts: YesNoCounts, parity?: Parity): YesNoRates {
  const { truePositives, falsePositives, golds, answeredGolds, right, all } = counts
  const isTheirs = parity === 'lmms-eval'
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
  const precision = share(truePositives, truePositives + falsePositives)
  const recall = share(truePositives, isTheirs ? answeredGolds : golds)
  return {
    accuracy: share(right, all),
    precision,
    recall,
    f1: share(2 * precision * recall, precision + recall),
    yesRatio: share(isTheirs ? golds : truePositives + falsePositives, all),
  }
}
