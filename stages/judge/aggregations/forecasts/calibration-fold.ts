/** What `ece` and `mce` have in common. */
import { z } from 'zod'
import type { Fold } from '../../define-aggregation.js'
import { calibrationCounts, type Calibration } from '../../metrics/probability/calibration.js'
import { finite } from '../classes/class-fold.js'

export const calibrationShape = { n_bins: z.int().min(1).default(15) }

const pair = z.tuple([z.number(), z.union([z.number(), z.boolean().transform(Number)])])

/** Counts `[confidence, whether it is right]`. */
export function calibrationFold(bins: number, value: (calibration: Calibration) => number): Fold {
  const counts = calibrationCounts(bins)
  return {
    add(given) {
      const parsed = pair.safeParse(given)
      if (!parsed.success) throw new Error(`it takes [confidence, 0 or 1], not ${JSON.stringify(given).slice(0, 200)}`)
      counts.add(...parsed.data)
    },
    finish: () => finite(value(counts.finish())),
  }
}
