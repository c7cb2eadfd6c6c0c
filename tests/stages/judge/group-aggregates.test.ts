import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../../cache/records.js'
import { groupAggregates, type GroupRuleSpec } from '../../../stages/judge/group-aggregates.js'

const part = (task: string, own: Partial<Aggregate>): Aggregate => ({
  task,
  metric: 'acc',
  filter: 'none',
  value: 0.5,
  stderr: 0.1,
  interval: [0.3, 0.7],
  intervalMethod: 'wilson',
  higherIsBetter: true,
  n: 10,
  total: 10,
  unparsed: 0,
  empty: 0,
  ...own,
})

const mean: GroupRuleSpec = { metric: 'acc', weightBySize: false }
const of = (rule: GroupRuleSpec, parts: readonly Aggregate[], tasks = ['a', 'b']): Promise<readonly Aggregate[]> =>
  groupAggregates([{ name: 'g', tasks, rules: [rule] }], parts)

describe('the numbers of a group', () => {
  const a = part('a', { value: 0.2, stderr: 0.05, n: 30, total: 30, unparsed: 2 })
  const b = part('b', { value: 0.6, stderr: 0.02, n: 10, total: 10, empty: 1 })

  it('are means in which tasks have equal weight, or weight by their docs', async () => {
    const [same] = await of(mean, [a, b])
    expect(same).toMatchObject({ task: 'g', of: ['a', 'b'], n: 40, total: 40, unparsed: 2, empty: 1 })
    expect(same?.value).toBeCloseTo(0.4, 12)
    expect(same?.stderr).toBeCloseTo(Math.hypot(0.05, 0.02) / 2, 12)
    const [sized] = await of({ ...mean, weightBySize: true }, [a, b])
    expect(sized?.value).toBeCloseTo(0.3, 12)
    expect(sized?.stderr).toBeCloseTo(Math.hypot(30 * 0.05, 10 * 0.02) / 40, 12)
  })

  it('have the interval of their only task, or else a combined one', async () => {
    const [own] = await of(mean, [part('a', {})])
    expect(own?.interval?.map(end => end.toFixed(9))).toEqual(['0.300000000', '0.700000000'])
    expect(own?.intervalMethod).toBe('wilson')
    const t = { intervalMethod: 't' } as const
    const [both] = await of(mean, [part('a', t), part('b', { ...t, interval: [0.4, 0.9] })])
    expect(both?.interval?.[0]).toBeCloseTo(0.5 - Math.hypot(0.2, 0.1) / 2, 12)
    expect(both?.interval?.[1]).toBeCloseTo(0.5 + Math.hypot(0.2, 0.4) / 2, 12)
    expect((await of(mean, [a, part('b', { interval: null, stderr: null })]))[0]).toMatchObject({
      interval: null,
      stderr: null,
    })
  })

  it.each(['wilson', 'clustered_wilson'] as const)(
    'have the method %s only if all tasks have the same range',
    async intervalMethod => {
      const [unit, scored] = [{ intervalMethod }, { intervalMethod, intervalRange: [0, 100] as const }]
      const points = part('b', { ...scored, value: 50, stderr: 10, interval: [30, 70] })
      const [mixed] = await of(mean, [part('a', unit), points])
      expect(mixed).toMatchObject({ intervalMethod: 't', value: 25.25 })
      expect(mixed).not.toHaveProperty('intervalRange')
      const [same] = await of(mean, [part('a', { ...scored, value: 50, stderr: 10, interval: [30, 70] }), points])
      expect(same).toMatchObject({ intervalMethod, intervalRange: [0, 100] })
    },
  )

  it('are computed for each filter of exactly this metric, or for the named filters', async () => {
    const parts = [part('a', { filter: 'strict' }), part('a', { filter: 'loose' }), part('a', { metric: 'acc_norm' })]
    expect((await of(mean, parts)).map(({ filter }) => filter)).toEqual(['strict', 'loose'])
    expect((await of({ ...mean, filters: ['loose'] }, parts)).map(({ filter }) => filter)).toEqual(['loose'])
  })

  it('list missing tasks, and have bounds for docs without a score', async () => {
    const missing = part('b', { value: 0.5, n: 8, bounds: [0.4, 0.6] })
    expect((await of({ ...mean, weightBySize: true }, [a, missing], ['a', 'b', 'c']))[0]).toMatchObject({
      n: 38,
      total: 40,
      bounds: [expect.closeTo((30 * 0.2 + 10 * 0.4) / 40), expect.closeTo((30 * 0.2 + 10 * 0.6) / 40)],
      note: 'without some tasks: c has no such metric',
    })
    expect((await of(mean, [a, part('b', { value: null, n: 0 })]))[0]).toMatchObject({
      value: 0.2,
      n: 30,
      total: 40,
      note: 'without some tasks: b has no score',
    })
    expect((await of(mean, [a, part('b', { value: null, n: 0 })]))[0]).not.toHaveProperty('bounds')
  })

  it("may come from the group's own function, whose errors leave only its number out", async () => {
    const combine = (values: readonly number[], sizes: readonly number[], weightBySize: boolean): number =>
      Math.max(...values) + sizes.length + Number(weightBySize)
    expect((await of({ ...mean, weightBySize: true, combine }, [a, b]))[0]).toMatchObject({
      value: 3.6,
      stderr: null,
      interval: null,
      intervalMethod: 'none',
    })
    expect((await of({ ...mean, combine: () => NaN }, [a]))[0]?.error).toContain('no finite number')
    const throws = (await of({ ...mean, combine: () => JSON.parse('{') as number }, [a]))[0]
    expect(throws?.error).toContain('JSON')
  })
})
