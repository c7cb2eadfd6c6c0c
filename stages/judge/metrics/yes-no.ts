import { defineMetric, scored, unparsed } from '../define-metric.js'
import { neither, readYesNo, yesNoArgs } from './reading/yes-no.js'

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
