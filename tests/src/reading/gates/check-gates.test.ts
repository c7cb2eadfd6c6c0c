import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Aggregate } from '../../../../cache/records.js'
import type { BaselineComparison } from '../../../../src/reading/comparing/baseline.js'
import { checkGates } from '../../../../src/reading/gates/check-gates.js'
import { parseGate } from '../../../../src/reading/gates/gate.js'
import { comparePaired } from '../../../../stages/judge/statistics/paired/compare-paired.js'

const aggregate = (higherIsBetter: boolean): Aggregate => ({
  ...{ task: 't', metric: 'acc', filter: 'none', higherIsBetter, value: 0.5, stderr: null, interval: null },
  ...{ intervalMethod: 'none', n: 10, total: 10, unparsed: 0, empty: 0 },
})

function check(gate: string, compared: ReturnType<typeof comparePaired>): boolean {
  const { a, difference, interval, p, verdict, higherIsBetter } = compared
  const row = { task: 't', metric: 'acc', baseline: a, difference, verdict, isPaired: true }
  const baseline: BaselineComparison = {
    label: 'one',
    notes: [],
    rows: [{ ...row, ...(interval && { interval }), ...(p !== undefined && { p }) }],
  }
  return checkGates([parseGate(`t.acc ${gate}`)], [aggregate(higherIsBetter)], baseline)[0]!.passed
}

/** Docs of which the second model gains and loses some. Sizes are 1 for scores of 0 and 1. */
const compare = (n: number, gained: number, lost: number, options: { size?: number; higherIsBetter?: boolean } = {}) =>
  comparePaired({
    pairs: Array.from({ length: n }, (_, i) => {
      const change = i < gained ? 1 : i < gained + lost ? -1 : 0
      const a = change > 0 ? 0 : 1
      return { id: String(i), a, b: a + change * (options.size ?? 1) }
    }),
    higherIsBetter: options.higherIsBetter ?? true,
  })

test.each([
  // docs, gained, lost, gate, passed
  [5, 0, 0, 'not worse by 0.01', false],
  [5, 0, 0, 'not worse by 0.5', true],
  [5, 0, 0, 'not worse', true],
  [5, 0, 0, 'better', false],
  [5, 0, 0, 'better by 0.01', false],
  [188, 0, 0, 'not worse by 0.02', false],
  [189, 0, 0, 'not worse by 0.02', true],
  [100, 0, 1, 'not worse by 0.03', false],
  [100, 1, 0, 'not worse by 0.03', true],
  [100, 0, 1, 'not worse', true],
  [100, 1, 0, 'better by 0.0001', false],
  [100, 10, 0, 'better', true],
  [100, 10, 0, 'better by 0.05', true],
  [100, 10, 0, 'better by 0.06', false],
  [100, 0, 10, 'not worse', false],
  // A loss that is there, and within the margin.
  [100, 0, 10, 'not worse by 0.2', true],
  [100, 3, 3, 'not worse by 0', false],
])('of %i docs with %i gained and %i lost, the gate %j passes: %s', (n, gained, lost, gate, passed) => {
  expect(check(gate, compare(n, gained, lost))).toBe(passed)
  // The same with errors, of which fewer are better.
  expect(check(gate, compare(n, lost, gained, { higherIsBetter: false }))).toBe(passed)
})

test('a gate with a margin passes if and only if the whole interval does', () => {
  const sizes = fc.record({ n: fc.integer({ min: 2, max: 300 }), gained: fc.nat(60), lost: fc.nat(60) })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 300 }), fc.boolean(), ({ n, gained, lost }, thousandths, isGraded) => {
      const compared = compare(n, gained, lost, { size: isGraded ? 0.5 : 1 })
      const margin = thousandths / 1000
      const isAbove = compared.interval !== undefined && compared.interval[0] >= -margin
      expect(check(`not worse by ${margin}`, compared)).toBe(isAbove)
      if (check(`better by ${margin}`, compared)) expect(check('better', compared)).toBe(true)
      if (check('better', compared)) expect(check('not worse', compared)).toBe(true)
      if (compared.interval !== undefined && check('better', compared))
        expect(check('not worse by 0', compared)).toBe(true)
    }),
  )
})
