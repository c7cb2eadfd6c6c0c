/** Metrics and aggregations of yes-or-no answers, and how an answer is read. */
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { z } from 'zod'
import { sumFold } from '../aggregations/sum-fold.js'
import { defineAggregation } from '../define/define-aggregation.js'
import { defineMetric, scored, unparsed, type MetricInput, type Verdict } from '../define/define-metric.js'
import {
  countYesNo,
  listYesNoCounts,
  noYesNoCounts,
  readYesNoCounts,
  yesNoRates,
  yesOrNo,
  type YesNoRates,
  type YesNoRule,
  type YesOrNo,
} from '../helpers/benchmarks/yes-no.js'
import { wholeYesNo } from '../helpers/benchmarks/yes-no-words.js'

export const yesNoArgs = z.strictObject({
  /** `words`: yes or no as a separate word. `exact`: the whole answer. `prefix`: in the first four characters. */
  read: z.enum(['words', 'exact', 'prefix']).default('words'),
})

export function readYesNo(
  { text, references, parity }: Pick<MetricInput, 'text' | 'references' | 'parity'>,
  rule: YesNoRule,
): { readonly gold: YesOrNo; readonly answer: YesOrNo | undefined } {
  // lmms-eval accepts only a whole answer of yes or no.
  return {
    gold: parseGold(references),
    answer: yesOrNo(text, parity === 'lmms-eval' && rule === 'words' ? 'exact' : rule),
  }
}

/** What the metrics of this file read of an answer. */
const readWord = (
  { text, parity }: Pick<MetricInput, 'text' | 'parity'>,
  { read: rule }: z.output<typeof yesNoArgs>,
): YesOrNo | undefined => yesOrNo(text, parity === 'lmms-eval' && rule === 'words' ? 'exact' : rule)

/** Returns gold label and answer, for the rates over all docs. */
function judgeYesNoPair(input: MetricInput, { read }: z.output<typeof yesNoArgs>): Verdict {
  const { gold, answer } = readYesNo(input, read)
  return answer === undefined ? unparsed(neither, { gold, answer: null }) : scored({ gold, answer })
}

export const neither = 'the answer says neither yes nor no'

/** A Boolean column prints as `True` and `False`. */
const booleans: ReadonlyMap<string, YesOrNo> = new Map([
  ['true', 'yes'],
  ['false', 'no'],
])

function parseGold([reference, ...more]: readonly string[]): YesOrNo {
  const text = reference ?? ''
  const gold = more.length > 0 ? undefined : (booleans.get(stripWhiteSpace(text).toLowerCase()) ?? wholeYesNo(text))
  if (gold === undefined) throw new Error(`the target ${JSON.stringify(reference)} is neither yes nor no`)
  return gold
}

/**
 * 1 if the answer is the target's yes or no, else 0. Higher is better. An answer that is neither is unparsed and
 * counts 0.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355), accuracy. Its published numbers need `read:
 * exact`.
 */
export const yesNo = defineMetric({
  id: 'yes_no',
  args: yesNoArgs,
  higherIsBetter: true,
  range: [0, 1],
  readAnswer: readWord,
  judge(input, { read }) {
    const { gold, answer } = readYesNo(input, read)
    return answer === undefined ? unparsed(neither) : scored(answer === gold ? 1 : 0)
  },
})

/**
 * The share of "yes" answers that are correct, 0 to 1. Higher is better.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoPrecision = defineMetric({
  id: 'yes_no_precision',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_precision',
  readAnswer: readWord,
  judge: judgeYesNoPair,
})

/**
 * The share of docs with the target yes that are answered "yes", 0 to 1. An answer that is neither yes nor no is a
 * miss. Higher is better.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoRecall = defineMetric({
  id: 'yes_no_recall',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_recall',
  readAnswer: readWord,
  judge: judgeYesNoPair,
})

/**
 * The harmonic mean of precision and recall of "yes", 0 to 1. Higher is better.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoF1 = defineMetric({
  id: 'yes_no_f1',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_f1',
  readAnswer: readWord,
  judge: judgeYesNoPair,
})

/**
 * The share of "yes" among all answers, 0 to 1. It shows a bias, and should equal the share among the targets.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoRatio = defineMetric({
  id: 'yes_no_ratio',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_ratio',
  readAnswer: readWord,
  judge: judgeYesNoPair,
})

/** Defines an aggregation of docs' values `{gold, answer}` to a rate of {@link yesNoRates}. */
const yesNoRate = (id: string, name: keyof YesNoRates) =>
  defineAggregation({
    id,
    of: 'folded',
    args: z.object({}),
    start: (_args, parity) =>
      sumFold({
        read: value => listYesNoCounts(countYesNo(noYesNoCounts, pair.parse(value))),
        combine: sums => yesNoRates(readYesNoCounts(sums), parity)[name],
      }),
  })

const word = z.enum(['yes', 'no'])
const pair = z.object({ gold: word, answer: word.nullable() })

/** The share of "yes" answers that are correct; 0 if there are none. */
export const yesNoPrecisionAggregation = yesNoRate('yes_no_precision', 'precision')

/** The share of docs with the target yes that are answered "yes"; 0 if there are none. */
export const yesNoRecallAggregation = yesNoRate('yes_no_recall', 'recall')

/** The harmonic mean of precision and recall of "yes"; 0 if both are 0. */
export const yesNoF1Aggregation = yesNoRate('yes_no_f1', 'f1')

/** The share of "yes" among all answers. */
export const yesNoRatioAggregation = yesNoRate('yes_no_ratio', 'yesRatio')
