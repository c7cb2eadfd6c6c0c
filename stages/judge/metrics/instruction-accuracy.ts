import { defineMetric, scored } from '../define-metric.js'
import { instructionArgs } from '../instructions/instruction-args.js'
import { followedOf } from '../instructions/instructions-of.js'

/**
 * How many of all docs' instructions are followed, as a fraction: IFEval's accuracy of instructions. A doc's value is `{followed, given}`.
 * Higher is better.
 *
 * Source: Zhou et al., Instruction-Following Evaluation for Large Language Models (2023), and their `instructions.py`.
 */
export const instructionAccuracy = defineMetric({
  id: 'instruction_accuracy',
  args: instructionArgs,
  higherIsBetter: true,
  aggregation: 'instruction_accuracy',
  judge({ text, record }, args) {
    const followed = followedOf(text, record.doc, args)
    return scored({ followed: followed.filter(Boolean).length, given: followed.length })
  },
})
