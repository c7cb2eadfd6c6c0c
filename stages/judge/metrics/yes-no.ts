/** Metrics of answers of yes or no with their aggregations, and how an answer is read as one of them. */
import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { bare, defineAggregation } from '../define/define-aggregation.js'
import { defineMetric, scored, unparsed, type MetricInput, type Verdict } from '../define/define-metric.js'
import {
  countYesNo,
  noYesNoCounts,
  yesNoRates,
  yesOrNo,
  type YesNoRates,
  type YesNoRule,
  type YesOrNo,
} from '../helpers/yes-no.js'

export const yesNoArgs = z.strictObject({
  /** `words`: yes or no as a word of its own. `exact`: nothing else. `prefix`: within the first four characters. */
  read: z.enum(['words', 'exact', 'prefix']).default('words'),
})

export function readYesNo(
  { text, references, parity }: Pick<MetricInput, 'text' | 'references' | 'parity'>,
  rule: YesNoRule,
): { readonly gold: YesOrNo; readonly answer: YesOrNo | undefined } {
  // There a word of its own is not looked for: an answer is yes or no and nothing else.
  return {
    gold: goldOf(references),
    answer: yesOrNo(text, parity === 'lmms-eval' && rule === 'words' ? 'exact' : rule),
  }
}

/** For the rates over all docs: gold and answer side by side. */
function judgeYesNoPair(input: MetricInput, { read }: z.output<typeof yesNoArgs>): Verdict {
  const { gold, answer } = readYesNo(input, read)
  return answer === undefined ? unparsed(neither, { gold, answer: null }) : scored({ gold, answer })
}

export const neither = 'the answer says neither yes nor no'

function goldOf([reference, ...more]: readonly string[]): YesOrNo {
  const gold = stripWhiteSpace(reference ?? '')
    .toLowerCase()
    .replaceAll('.', '')
  if (more.length > 0 || (gold !== 'yes' && gold !== 'no')) {
    throw new Error(`the target ${JSON.stringify(reference)} is neither yes nor no`)
  }
  return gold
}

/**
 * 1 where the answer says the yes or no that the target is, else 0. Higher is better. An answer that says neither is unparsed and counts 0.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355), accuracy; its published numbers ask for `read: exact`.
 */
export const yesNo = defineMetric({
  id: 'yes_no',
  args: yesNoArgs,
  higherIsBetter: true,
  range: [0, 1],
  judge(input, { read }) {
    const { gold, answer } = readYesNo(input, read)
    return answer === undefined ? unparsed(neither) : scored(answer === gold ? 1 : 0)
  },
})

/**
 * The share of right ones among the answers "yes": 0 to 1. Higher is better.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoPrecision = defineMetric({
  id: 'yes_no_precision',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_precision',
  judge: judgeYesNoPair,
})

/**
 * The share of docs with the target yes that are answered "yes": 0 to 1. Higher is better. An answer that says neither is a miss.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoRecall = defineMetric({
  id: 'yes_no_recall',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_recall',
  judge: judgeYesNoPair,
})

/**
 * The harmonic mean of precision and recall of "yes": 0 to 1. Higher is better.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoF1 = defineMetric({
  id: 'yes_no_f1',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_f1',
  judge: judgeYesNoPair,
})

/**
 * The share of "yes" among all answers: 0 to 1. It shows a leaning, and is best where it is that of the targets.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoRatio = defineMetric({
  id: 'yes_no_ratio',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_ratio',
  judge: judgeYesNoPair,
})

/** Rates of "yes" over docs whose values are `{gold, answer}`. For what they are see {@link yesNoRates}. */
const yesNoRate = (id: string, name: keyof YesNoRates) =>
  defineAggregation({
    id,
    of: 'folded',
    args: z.object({}),
    start(_args, parity) {
      let counts = noYesNoCounts
      return {
        add: (value: Json) => void (counts = countYesNo(counts, pair.parse(value))),
        finish: () => bare(yesNoRates(counts, parity)[name]),
      }
    },
  })

const word = z.enum(['yes', 'no'])
const pair = z.object({ gold: word, answer: word.nullable() })

/** The share of right ones among the answers "yes"; 0 where there is none. */
export const yesNoPrecisionAggregation = yesNoRate('yes_no_precision', 'precision')

/** The share of the docs with the target yes that are answered "yes"; 0 where there is none. */
export const yesNoRecallAggregation = yesNoRate('yes_no_recall', 'recall')

/** The harmonic mean of precision and recall of "yes"; 0 where both are. */
export const yesNoF1Aggregation = yesNoRate('yes_no_f1', 'f1')

/** The share of "yes" among all answers. */
export const yesNoRatioAggregation = yesNoRate('yes_no_ratio', 'yesRatio')
