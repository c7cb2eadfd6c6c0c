import { defineMetric, scored } from '../define-metric.js'
import { instructionArgs } from '../instructions/instruction-args.js'
import { followedOf } from '../instructions/instructions-of.js'

/**
 * 1 where the answer follows all of the doc's instructions, else 0: IFEval's accuracy of prompts. Higher is better.
 *
 * Source: Zhou et al., Instruction-Following Evaluation for Large Language Models (2023), and their `instructions.py`.
 */
export const instructionFollowing = defineMetric({
  id: 'instruction_following',
  args: instructionArgs,
  higherIsBetter: true,
  range: [0, 1],
  judge: ({ text, record }, args) => scored(followedOf(text, record.doc, args).includes(false) ? 0 : 1),
})
