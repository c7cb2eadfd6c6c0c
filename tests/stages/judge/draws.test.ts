import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Aggregate, JsonObject, ScoreBody } from '../../../cache/records.js'
import { collectDraws } from '../../../stages/judge/draws.js'
import { groupAggregates } from '../../../stages/judge/group-aggregates.js'
import { wilson } from '../../../stages/judge/statistics/intervals/proportions.js'
import { makeScorer } from '../../support/scorer.js'

interface Doc {
  readonly value: number
  readonly draw?: number
  readonly rest?: Partial<ScoreBody>
}

function aggregatesOf(docs: readonly Doc[], config: JsonObject = {}, outputType = 'generate_until') {
  const aggregator = makeScorer({ task: 't', outputType, config, scorerCode: { files: {} } }).aggregator()
  for (const { value, draw, rest } of docs)
    aggregator.add({ outcome: 'scored', values: { exact_match: value, acc: value }, extracted: {}, ...rest }, draw)
  return aggregator.finish({ docs: docs.length })
}

const repeated = (copies: number, values: readonly number[]): readonly Doc[] =>
  values.flatMap((value, draw) => Array.from({ length: copies }, () => ({ value, draw })))

const tens = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
const note = 'docs that share an answer are not independent'

test('a draw counts once however many docs share it: the interval is that of the draws', () => {
  const [once] = aggregatesOf(repeated(1, tens))
  const [thrice] = aggregatesOf(repeated(3, tens))
  expect(once).toMatchObject({ n: 10, interval: wilson(7, 10), intervalMethod: 'wilson' })
  expect(once).not.toHaveProperty('draws')
  expect(thrice).toMatchObject({ value: 0.7, n: 30, draws: 10, intervalMethod: 'clustered_wilson' })
  expect(thrice!.note).toBe(`of 30 docs, 10 draws: ${note}`)
  expect(thrice!.stderr).toBeCloseTo(once!.stderr!, 12)
  expect(thrice!.interval![1] - thrice!.interval![0]).toBeGreaterThan(wilson(21, 30)[1] - wilson(21, 30)[0])
})

test('the order of docs does not matter', () => {
  const docs = repeated(3, tens)
  const [whole] = aggregatesOf(docs)
  fc.assert(
    fc.property(fc.shuffledSubarray([...docs], { minLength: docs.length }), shuffled => {
      const [other] = aggregatesOf(shuffled)
      expect(other).toMatchObject({ draws: 10, intervalMethod: 'clustered_wilson', note: whole!.note })
      expect(other!.stderr).toBeCloseTo(whole!.stderr!, 12)
    }),
    { numRuns: 30 },
  )
})

test('gives no interval for a single draw, with the reason', () => {
  const [whole] = aggregatesOf(repeated(30, [1]))
  expect(whole).toMatchObject({ value: 1, n: 30, draws: 1, stderr: null, interval: null, intervalMethod: 'none' })
  expect(whole!.note).toMatch(/^without an interval: the docs come in one cluster.*; of 30 docs, 1 draw: /)
})

test.each(['nanmean', 'grouped_mean'])('a mean of chosen docs counts a draw once, too: %s', name => {
  const config = { metric_list: [{ metric: 'exact_match', aggregation: name }] }
  const valued = ({ value, draw }: Doc): Doc => {
    const values = { exact_match: name === 'nanmean' ? value : { group: 'g', score: value } }
    return { value, draw: draw!, rest: { values } }
  }
  const [once] = aggregatesOf(repeated(1, tens).map(valued), config)
  const [thrice] = aggregatesOf(repeated(3, tens).map(valued), config)
  expect(once!.interval).toEqual(wilson(7, 10))
  expect(thrice).toMatchObject({ value: 0.7, draws: 10, intervalMethod: 'clustered_wilson' })
  expect(thrice!.note).toMatch(/^of 30 docs, 10 draws/)
})

test('the clusters of a task go before its draws, which are told', () => {
  const docs = Array.from({ length: 30 }, (_, at): Doc => ({
    value: tens[at % 10]!,
    draw: Math.floor(at / 2),
    rest: { cluster: String(Math.floor(at / 3)) },
  }))
  const [own] = aggregatesOf(docs, { cluster_key: 'picture' })
  const [alone] = aggregatesOf(
    docs.map(doc => ({ value: doc.value, rest: doc.rest! })),
    { cluster_key: 'picture' },
  )
  expect(own).toMatchObject({ draws: 15, stderr: alone!.stderr, interval: alone!.interval })
})

test('a label of the breakdown has the draws of its own docs', () => {
  const labelled = (docs: readonly Doc[], type: string) => docs.map(doc => ({ ...doc, rest: { groups: { type } } }))
  const [, a, b] = aggregatesOf([...labelled(repeated(3, tens), 'a'), ...labelled(repeated(1, tens), 'b')], {
    breakdown: 'type',
  })
  expect([a!.n, a!.draws, b!.n, b!.draws]).toEqual([30, 10, 10, undefined])
  expect(b!.interval).toEqual(wilson(7, 10))
})

test('log-likelihoods are not drawn', () => {
  const [whole] = aggregatesOf(repeated(3, tens), { metric_list: [{ metric: 'acc' }] }, 'multiple_choice')
  expect(whole).toMatchObject({ n: 30, interval: wilson(21, 30) })
  expect(whole).not.toHaveProperty('draws')
})

test('a doc whose answer is not known has a draw of its own', () => {
  const draws = collectDraws()
  for (const draw of [undefined, 5, undefined, 2, 5]) draws.add(draw)
  expect(draws.shared()).toEqual({ count: 4, clusters: ['doc 0', '5', 'doc 2', '2', '5'] })
})

test('a group has the draws of its tasks', async () => {
  const named = (task: string, [whole]: readonly Aggregate[]): Aggregate => ({ ...whole!, task })
  const parts = [named('a', aggregatesOf(repeated(3, tens))), named('b', aggregatesOf(repeated(1, tens)))]
  const rules = [{ metric: 'exact_match', weightBySize: true }]
  const [group] = await groupAggregates([{ name: 'g', tasks: ['a', 'b'], rules }], parts)
  expect(group).toMatchObject({ n: 40, draws: 20 })
})
