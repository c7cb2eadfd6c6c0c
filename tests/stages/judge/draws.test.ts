import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../../../cache/digest.js'
import type { Aggregate, JsonObject, ScoreBody } from '../../../cache/records.js'
import { collectDraws } from '../../../stages/judge/draws.js'
import { groupAggregates } from '../../../stages/judge/group-aggregates.js'
import { wilson } from '../../../stages/judge/statistics/intervals/proportions.js'
import { makeScorer } from '../../support/scorer.js'
import { seededRandom } from '../../support/seeded.js'

interface Doc {
  readonly value: number
  readonly draw?: number
  readonly media?: readonly string[]
  readonly rest?: Partial<ScoreBody>
}

function aggregatesOf(docs: readonly Doc[], config: JsonObject = {}, outputType = 'generate_until') {
  const aggregator = makeScorer({ task: 't', outputType, config, scorerCode: { files: {} } }).aggregator()
  for (const { value, draw, media, rest } of docs)
    aggregator.add(
      { outcome: 'scored', values: { exact_match: value, acc: value }, extracted: {}, ...rest },
      { draw, media },
    )
  return aggregator.finish({ docs: docs.length })
}

const repeated = (copies: number, values: readonly number[]): readonly Doc[] =>
  values.flatMap((value, draw) => Array.from({ length: copies }, () => ({ value, draw })))

const tens = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
const note = 'docs that share an answer are not independent'

test('a draw that several docs share counts once in the interval', () => {
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

test.each(['nanmean', 'grouped_mean'])('a mean of selected docs counts a draw once, too: %s', name => {
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

test('the clusters of a task take precedence over its draws, whose number is reported', () => {
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

test('a label of the breakdown counts the draws of its own docs', () => {
  const labelled = (docs: readonly Doc[], type: string) => docs.map(doc => ({ ...doc, rest: { groups: { type } } }))
  const [, a, b] = aggregatesOf([...labelled(repeated(3, tens), 'a'), ...labelled(repeated(1, tens), 'b')], {
    breakdown: 'type',
  })
  expect([a!.n, a!.draws, b!.n, b!.draws]).toEqual([30, 10, 10, undefined])
  expect(b!.interval).toEqual(wilson(7, 10))
})

test('log-likelihoods have no draws', () => {
  const [whole] = aggregatesOf(repeated(3, tens), { metric_list: [{ metric: 'acc' }] }, 'multiple_choice')
  expect(whole).toMatchObject({ n: 30, interval: wilson(21, 30) })
  expect(whole).not.toHaveProperty('draws')
})

test('a doc without a known answer counts as one draw', () => {
  const draws = collectDraws()
  for (const draw of [undefined, 5, undefined, 2, 5]) draws.add(draw)
  expect(draws.shared()).toEqual({ count: 4, clusters: ['doc 0', '5', 'doc 2', '2', '5'] })
})

test('a group adds up the draws of its tasks', async () => {
  const named = (task: string, [whole]: readonly Aggregate[]): Aggregate => ({ ...whole!, task })
  const parts = [named('a', aggregatesOf(repeated(3, tens))), named('b', aggregatesOf(repeated(1, tens)))]
  const rules = [{ metric: 'exact_match', weightBySize: true }]
  const [group] = await groupAggregates([{ name: 'g', tasks: ['a', 'b'], rules }], parts)
  expect(group).toMatchObject({ n: 40, draws: 20 })
})

/** Docs of which each three show one medium, with answers of their own. */
const illustrated = repeated(3, tens).map(({ value, draw }, at): Doc => ({
  value,
  draw: at,
  media: [sha256(`picture ${draw}`)],
}))

test('docs that show the same medium are a cluster, like docs with the same cluster_key', () => {
  const named = illustrated.map(({ media, ...doc }) => ({ ...doc, rest: { cluster: media![0]! } }))
  const [byMedium] = aggregatesOf(illustrated)
  const [byKey] = aggregatesOf(named, { cluster_key: 'picture' })
  expect(byMedium).toMatchObject({ n: 30, media: 10, intervalMethod: 'clustered_wilson' })
  expect(byMedium).not.toHaveProperty('draws')
  expect({ ...byMedium, media: undefined }).toEqual({ ...byKey, media: undefined })
})

test('docs are one cluster if media connect them, directly or through other docs', () => {
  const show = (draw: number, ...pictures: readonly number[]): Doc => ({
    ...{ value: draw % 2, draw },
    media: pictures.map(picture => sha256(`picture ${picture}`)),
  })
  const [whole] = aggregatesOf([
    show(0, 1, 2),
    show(1, 3),
    show(2, 4, 3),
    show(3, 5),
    show(4, 2, 4),
    show(5, 6),
    show(6, 7),
  ])
  expect(whole).toMatchObject({ n: 7, media: 4 })
})

test('intervals of docs connected by overlapping pairs of pictures cover the true mean', () => {
  const random = seededRandom(11)
  const covers = { all: 0, last: 0 }
  const runs = 300
  for (let run = 0; run < runs; run++) {
    const docs = Array.from({ length: 40 }, (_, topic) => {
      // The docs of a topic are easy or hard together, and show two of its pictures each.
      const share = random() < 0.5 ? 0.9 : 0.1
      return [1, 2, 3, 4, 5].map((picture): Doc => ({
        value: Number(random() < share),
        media: [sha256(`${topic} ${picture}`), sha256(`${topic} ${picture + 1}`)],
      }))
    }).flat()
    const lastOnly = docs.map(({ media = [], ...doc }) => ({ ...doc, media: media.slice(-1) }))
    for (const [way, shown] of Object.entries({ all: docs, last: lastOnly }) as ['all' | 'last', readonly Doc[]][]) {
      const [low, high] = aggregatesOf(shown)[0]!.interval!
      if (low <= 0.5 && 0.5 <= high) covers[way] += 1
    }
  }
  expect(covers.all / runs).toBeGreaterThan(0.91)
  expect(covers.last / runs).toBeLessThan(0.8)
})

test.each(['f1', 'matthews_corrcoef', 'mean', 'nanmean', 'mean_percent'])(
  '%s uses media as clusters, too',
  aggregation => {
    const isPair = aggregation === 'f1' || aggregation === 'matthews_corrcoef'
    const config = { metric_list: [{ metric: 'exact_match', aggregation }] }
    const valued = (docs: readonly Doc[]) =>
      docs.map((doc, at) => ({ ...doc, rest: { values: { exact_match: isPair ? [at % 2, doc.value] : doc.value } } }))
    const [whole] = aggregatesOf(valued(illustrated), config)
    expect(whole).toMatchObject({ media: 10, intervalMethod: expect.stringMatching(/^clustered/) as string })
  },
)

test('media that no two docs share have no effect', () => {
  const docs = tens.map((value, draw): Doc => ({ value, draw, media: [sha256(`picture ${draw}`)] }))
  expect(aggregatesOf(docs)).toEqual(aggregatesOf(repeated(1, tens)))
})

test.each(['none', 'topic'])('cluster_key: %s overrides clusters by media', key => {
  const [whole] = aggregatesOf(illustrated, { cluster_key: key })
  expect(whole).toMatchObject({ interval: wilson(21, 30), intervalMethod: 'wilson' })
  expect(whole).not.toHaveProperty('media')
  expect(whole!.note).toBe(key === 'none' ? undefined : 'of docs taken as independent: not each has a "topic"')
})

test('media of multiple-choice tasks are clusters, too', () => {
  const config = { metric_list: [{ metric: 'acc' }] }
  expect(aggregatesOf(illustrated, config, 'multiple_choice')[0]).toMatchObject({ media: 10 })
})

test('intervals of docs that share media cover the true mean, and those that ignore it do not', () => {
  const random = seededRandom(7)
  const covers = { auto: 0, none: 0 }
  const runs = 300
  for (let run = 0; run < runs; run++) {
    const docs = Array.from({ length: 40 }, (_, picture) => {
      // A picture is easy or hard for all of its questions.
      const share = random() < 0.5 ? 0.9 : 0.1
      const ask = (): Doc => ({ value: Number(random() < share), media: [sha256(`picture ${picture}`)] })
      return [ask(), ask(), ask(), ask(), ask()]
    }).flat()
    for (const [way, config] of Object.entries({ auto: {}, none: { cluster_key: 'none' } }) as [
      'auto' | 'none',
      JsonObject,
    ][]) {
      const [low, high] = aggregatesOf(docs, config)[0]!.interval!
      if (low <= 0.5 && 0.5 <= high) covers[way] += 1
    }
  }
  expect(covers.auto / runs).toBeGreaterThan(0.91)
  expect(covers.none / runs).toBeLessThan(0.8)
})
