/** Plans of paired 0/1 scores reach their power with the test that a comparison makes. All tables are enumerated. */
import { expect, test } from 'vitest'
import { planPower } from '../../../../src/reading/planning/plan-power.js'
import {
  computeSharesPower,
  findDetectableShare,
  planSharesSize,
} from '../../../../stages/judge/statistics/power/paired-shares-power.js'

/** P(the score test rejects) over all tables of b and c, by the trinomial distribution. */
function enumeratePower(n: number, [onlyB, onlyA]: readonly [number, number]): number {
  const logFactorial = [0]
  for (let i = 1; i <= n; i++) logFactorial.push((logFactorial[i - 1] ?? 0) + Math.log(i))
  const log = (i: number): number => logFactorial[i] ?? 0
  let power = 0
  for (let b = 0; b <= n; b++)
    for (let c = 0; b + c <= n; c++) {
      if ((b - c) ** 2 <= 3.841458820694124 * (b + c)) continue
      const weight = (count: number, share: number): number => (count === 0 ? 0 : count * Math.log(share))
      const rest = n - b - c
      const logWeight = weight(b, onlyB) + weight(c, onlyA) + weight(rest, 1 - onlyB - onlyA)
      power += Math.exp(log(n) - log(b) - log(c) - log(rest) + logWeight)
    }
  return power
}

const shares = (effect: number, deviation: number): readonly [number, number] => {
  const differing = deviation ** 2 + effect ** 2
  return [(differing + effect) / 2, (differing - effect) / 2]
}

const cells = [
  ...[0.05, 0.1, 0.2, 0.3, 0.4].map(effect => ({ effect, deviation: 0.5 })),
  ...[0.03, 0.06, 0.1].map(effect => ({ effect, deviation: 0.32 })),
  { effect: 0.2, deviation: 0.7 },
]

test.each(cells)('a plan for a difference of $effect with a deviation of $deviation reaches its power', cell => {
  for (const power of [0.5, 0.8, 0.9]) {
    const docs = planSharesSize(cell, { alpha: 0.05, power })
    if (docs > 500) continue
    const reached = enumeratePower(docs, shares(cell.effect, cell.deviation))
    expect(computeSharesPower(cell, docs, { alpha: 0.05 })).toBeCloseTo(reached, 9)
    expect(reached).toBeGreaterThanOrEqual(power)
    expect(reached).toBeLessThan(power + 0.06)
  }
})

test('a comparison of shares is planned by the score test, and other scores by the t test', () => {
  for (const effect of [0.03, 0.1, 0.2, 0.4, 0.7]) {
    const plan = planPower({ effect, docs: 100 })
    expect(plan.test).toBe('score')
    expect(computeSharesPower({ effect, deviation: 0.5 }, plan.neededDocs, plan)).toBeGreaterThanOrEqual(0.8)
    expect(plan.curve.find(({ docs }) => docs === plan.neededDocs)?.power).toBeGreaterThanOrEqual(0.8)
  }
  expect(planPower({ effect: 0.2, stdA: 3 }).test).toBe('t')
  expect(planPower({ effect: 0.2, clusterSize: 4, icc: 0.1 }).test).toBe('t')
  expect(planPower({ effect: 0.2, stdOfDifferences: 0.5, areShares: true }).test).toBe('score')
})

test('the smallest detectable difference of shares has the power', () => {
  for (const n of [30, 200, 3_000]) {
    const effect = findDetectableShare(0.5, n, { alpha: 0.05, power: 0.8 })
    expect(computeSharesPower({ effect, deviation: 0.5 }, n, { alpha: 0.05 })).toBeCloseTo(0.8, 6)
  }
  expect(findDetectableShare(0.5, 3, { alpha: 0.05, power: 0.8 })).toBe(1)
})
