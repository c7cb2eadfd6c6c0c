import fc from 'fast-check'
import { expect } from 'vitest'
import { madeTasks } from '../../bench/viewer/made-docs.js'
import type { FoundSamples, OpenedRun, SampleIndex } from '../../cache/store.js'
import { sampleOrders } from '../../src/present/page/data/samples.js'
import { kindTest, sampleKinds } from '../../src/reading/samples/sample-kinds.js'

/** Asks until all of the run is prepared. */
export async function prepared(index: SampleIndex, run: OpenedRun): Promise<FoundSamples> {
  for (;;) {
    const rows = await index.find(run, { kind: kindTest('wrong'), q: 'the', offset: 0, limit: 1 })
    const { of, filters, text } = rows.prepared
    if (filters === of && text === of) return rows
  }
}

const filters = fc.record(
  {
    kind: fc.constantFrom(...sampleKinds.map(kindTest)),
    task: fc.constantFrom(...madeTasks, 'none'),
    labels: fc.constantFrom({ type: 'shape' }, { type: 'text', difficulty: 'hard' }, { language: 'xx' }, { no: 'x' }),
    marked: fc.constantFrom('right', 'wrong'),
    ranges: fc.constantFrom(
      { value: { from: 0.5 } },
      { tokens: { from: 3, below: 30 } },
      { characters: { from: 2, below: 9 } },
      { duration: { below: 900 } },
      { cost: { from: 0.0006, below: 0.001 } },
    ),
    q: fc.constantFrom('', 'the', 'red', 'mel', 'the blue', 'counting'),
    sort: fc.constantFrom(...sampleOrders),
    descending: fc.boolean(),
    offset: fc.nat({ max: 300 }),
    limit: fc.integer({ min: 1, max: 20 }),
  },
  { requiredKeys: ['kind', 'offset', 'limit'] },
)

/** Expects that an index finds of two made runs what another one finds, in the same order. */
export async function expectEqualAnswers(
  index: SampleIndex,
  straight: SampleIndex,
  [run, other]: readonly [OpenedRun, OpenedRun],
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(filters, fc.boolean(), async (query, isCompared) => {
      const against = isCompared ? other : undefined
      const [own, naive] = [await index.find(run, query, against), await straight.find(run, query, against)]
      expect(own).toEqual(naive)
      const first = own.samples[0]
      if (first === undefined) return
      expect(await index.position(run, query, first, against)).toBe(query.offset)
    }),
    { numRuns: 150, seed: 16 },
  )
  const wrong = { kind: kindTest('wrong') }
  expect(await index.histograms(run, wrong)).toEqual(await straight.histograms(run, wrong))
  expect(await index.facets(run)).toEqual(await straight.facets(run))
}
