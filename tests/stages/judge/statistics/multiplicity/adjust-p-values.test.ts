import fc from 'fast-check'
import { expect, test } from 'vitest'
import { adjustPValues, type Adjustment } from '../../../../../stages/judge/statistics/multiplicity/adjust-p-values.js'
import { listMisses, readVectors } from '../../../../support/golden-vectors.js'

const adjustments: Record<string, Adjustment> = {
  ...{ holm: 'holm', bh: 'bh', by: 'by', bonferroni: 'bonferroni', sidak: 'sidak' },
  ...{ holmSidak: 'holm-sidak', hochberg: 'hochberg' },
}

test('adjusted p values and findings equal the reference at every golden row', () => {
  const rows = readVectors('paired', ['multiple'])
  const wrong = rows.flatMap(row => {
    const { p } = row.input as { p: number[] }
    const { alpha } = row.params as { alpha: number }
    const adjusted = Object.entries(adjustments).map(([name, adjustment]) => {
      const values = adjustPValues(p, adjustment)
      return [name, { p: values, reject: values.map(one => one <= alpha) }]
    })
    return listMisses(row, Object.fromEntries(adjusted))
  })
  expect(wrong).toEqual([])
  expect(rows).not.toHaveLength(0)
})

const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 })

test('an adjusted p is never smaller and keeps the order, and Holm finds no more than Benjamini–Hochberg', () => {
  fc.assert(
    fc.property(pValues, fc.constantFrom(...Object.values(adjustments)), (p, adjustment) => {
      const adjusted = adjustPValues(p, adjustment)
      const order = p.map((_, at) => at).sort((left, right) => p[left]! - p[right]!)
      const [holm, bh] = [adjustPValues(p, 'holm'), adjustPValues(p, 'bh')]
      return (
        adjusted.every((one, at) => one >= p[at]! * (1 - 1e-12) && one <= 1) &&
        order.every((at, rank) => rank === 0 || adjusted[at]! >= adjusted[order[rank - 1]!]!) &&
        holm.every((one, at) => one >= bh[at]! * (1 - 1e-12))
      )
    }),
  )
})
