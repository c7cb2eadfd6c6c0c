import { z } from 'zod'
import { defineMetric, scored } from '../../define/define-metric.js'
import { parsePythonFloat } from '../../text/python-number.js'

interface Deviation {
  readonly id: string
  readonly of: (difference: number) => number
}

const deviation = ({ id, of }: Deviation) =>
  defineMetric({
    id,
    args: z.strictObject({}),
    higherIsBetter: false,
    judge({ text, references: [reference = ''] }) {
      const target = parsePythonFloat(reference)
      if (target === undefined) throw new Error(`the target ${JSON.stringify(reference)} is no number`)
      const answer = parsePythonFloat(text)
      // An error has no worst value that could be counted instead.
      if (answer === undefined || !Number.isFinite(answer))
        throw new Error(`the answer ${JSON.stringify(text.slice(0, 80))} is no number`)
      return scored(of(answer - target))
    },
  })

/** |answer − target|. Lower is better. Source: evaluate 0.4.6, `mae`; scikit-learn's `mean_absolute_error`. */
export const meanAbsoluteError = deviation({ id: 'mae', of: Math.abs })

/** (answer − target)². Lower is better. Source: evaluate 0.4.6, `mse`; scikit-learn's `mean_squared_error`. */
export const meanSquaredError = deviation({ id: 'mse', of: difference => difference ** 2 })
