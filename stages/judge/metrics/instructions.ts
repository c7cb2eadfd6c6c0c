import { z } from 'zod'
import { sumFold } from '../aggregations/sum-fold.js'
import { defineAggregation } from '../define/define-aggregation.js'
import { defineMetric, scored } from '../define/define-metric.js'
import { checkInstructions } from '../instructions/instructions.js'

/** The arguments of both instruction metrics. */
const instructionArgs = z.strictObject({
  /**
   * True if an answer also counts if it follows after the first line, the last line, both, or Markdown's `*` are
   * removed.
   */
  loose: z.boolean().default(false),
  /** The doc field with the instructions' ids. */
  instructions: z.string().default('instruction_id_list'),
  /** The doc field with the instructions' arguments. Arguments that are null are left out. */
  arguments: z.string().default('kwargs'),
})

/**
 * IFEval's prompt-level accuracy: 1 if the answer follows all of the doc's instructions, else 0. Higher is better.
 *
 * Source: Zhou et al., Instruction-Following Evaluation for Large Language Models (2023), and their
 * `instructions.py`.
 */
export const instructionFollowing = defineMetric({
  id: 'instruction_following',
  args: instructionArgs,
  higherIsBetter: true,
  range: [0, 1],
  judge: ({ text, record }, args) => scored(checkInstructions(text, record.doc, args).includes(false) ? 0 : 1),
})

/**
 * IFEval's instruction-level accuracy: the share of followed instructions over all docs, in [0, 1]. A doc's value
 * is `{followed, given}`. Higher is better.
 *
 * Source: Zhou et al., Instruction-Following Evaluation for Large Language Models (2023), and their
 * `instructions.py`.
 */
export const instructionAccuracy = defineMetric({
  id: 'instruction_accuracy',
  args: instructionArgs,
  higherIsBetter: true,
  aggregation: 'instruction_accuracy',
  judge({ text, record }, args) {
    const followed = checkInstructions(text, record.doc, args)
    return scored({ followed: followed.filter(Boolean).length, given: followed.length })
  },
})

const counts = z.object({ followed: z.int().min(0), given: z.int().min(0) })

/**
 * The number of followed instructions divided by that of all instructions, from `{followed, given}` of each doc.
 *
 * Source: Zhou et al., Instruction-Following Evaluation for Large Language Models (2023).
 */
export const instructionAccuracyAggregation = defineAggregation({
  id: 'instruction_accuracy',
  of: 'folded',
  args: z.object({}),
  start: () =>
    sumFold({
      read(value) {
        const read = counts.safeParse(value)
        if (!read.success) throw new Error(`it takes {followed, given}, not ${JSON.stringify(value).slice(0, 200)}`)
        return [read.data.followed, read.data.given]
      },
      combine: ({ 0: followed = 0, 1: given = 0 }) => followed / given,
    }),
})
