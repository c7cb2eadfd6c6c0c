import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'

const counts = z.object({ followed: z.int().min(0), given: z.int().min(0) })

/**
 * The instructions that were followed over all that were given, from `{followed, given}` of each doc.
 *
 * Source: Zhou et al., Instruction-Following Evaluation for Large Language Models (2023).
 */
export const instructionAccuracy = defineAggregation({
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
