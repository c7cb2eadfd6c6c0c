import { z } from 'zod'
import { bare, defineAggregation } from '../define/define-aggregation.js'
import { defineMetric, scored } from '../define/define-metric.js'
import { followedOf } from '../instructions/instructions.js'

/** What the metrics of instructions read of a metric's entry. */
const instructionArgs = z.strictObject({
  /** Whether an answer also counts that follows without its first line, its last one, both, or the `*` of Markdown. */
  loose: z.boolean().default(false),
  /** The doc's field with the instructions' ids. */
  instructions: z.string().default('instruction_id_list'),
  /** The doc's field with what each of them is given, null where it is nothing. */
  arguments: z.string().default('kwargs'),
})

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

const counts = z.object({ followed: z.int().min(0), given: z.int().min(0) })

/**
 * The instructions that were followed over all that were given, from `{followed, given}` of each doc.
 *
 * Source: Zhou et al., Instruction-Following Evaluation for Large Language Models (2023).
 */
export const instructionAccuracyAggregation = defineAggregation({
  id: 'instruction_accuracy',
  of: 'folded',
  args: z.object({}),
  start() {
    const total = { followed: 0, given: 0 }
    return {
      add(value) {
        const read = counts.safeParse(value)
        if (!read.success) throw new Error(`it takes {followed, given}, not ${JSON.stringify(value).slice(0, 200)}`)
        total.followed += read.data.followed
        total.given += read.data.given
      },
      finish: () => bare(total.given === 0 ? null : total.followed / total.given),
    }
  },
})
