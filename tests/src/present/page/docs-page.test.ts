import { expect, onTestFinished, test } from 'vitest'
import { makeStore } from '../../../../bench/viewer/make-store.js'
import { scanSamples } from '../../../support/scan-samples.js'
import { openStore } from '../../../../cache/open.js'
import { docsPage } from '../../../../src/present/page/samples/docs-page.js'
import type { DocsPage, DocsQuery } from '../../../../src/present/page/data/index.js'
import { docKinds, docKindTest, docOrders } from '../../../../src/reading/samples/doc-kinds.js'
import { openRun } from '../../../../src/reading/runs/run-reference.js'
import { sampleTest } from '../../../../src/reading/samples/sample-tests.js'
import { parseDocsQuery } from '../../../../src/service/viewer/queries.js'
import { temporaryFolder } from '../../../support/store.js'

test('agrees with other lists: flipped docs of two runs are those on which they disagree', async () => {
  const folder = await temporaryFolder()
  const [a = '', b = ''] = await makeStore(folder, 300, () => undefined)
  const store = await openStore(folder)
  onTestFinished(() => store.close())
  const [first, second] = [await openRun(store, a), await openRun(store, b)]
  const runs = [first, second].map((opened, at) => ({ name: at === 0 ? a : b, opened }))
  const ask = async (query: Partial<DocsQuery>): Promise<DocsPage> => {
    for (;;) {
      const page = await docsPage(store, runs, { runs: [a, b], only: 'all', offset: 0, limit: 50, ...query })
      const { of, filters, text } = page.prepared
      if (filters === of && (query.q === undefined || text === of)) return page
    }
  }
  const isFlipped = await sampleTest(store, first, 'flipped', second)
  const flipped = new Set<string>()
  for await (const sample of store.judgements.samples(first.run, first.judgement))
    if (isFlipped(sample)) flipped.add(sample.id)
  const found = await ask({ only: 'disagree', limit: 500 })
  expect(flipped.size).toBeGreaterThan(5)
  expect(new Set(found.rows.map(({ id }) => id))).toEqual(flipped)
  expect(found.counts.disagree).toBe(found.total)
  expect(found.counts.all).toBe(300)
  for (const { cells } of found.rows) expect(cells[0]?.value).not.toBe(cells[1]?.value)
  // A store without an index, such as one in PostgreSQL, reads all samples and finds the same.
  const scanned = scanSamples(store)
  const asked = [
    ...docKinds.map(only => ({ only, sort: 'disagreement' as const })),
    ...docOrders.map(sort => ({ only: 'all' as const, sort })),
  ]
  for (const { only, sort } of asked) {
    const question = { kind: docKindTest(only), counted: docKinds.map(docKindTest), sort, offset: 3, limit: 40 }
    const opened = [first, second]
    expect(await scanned.findDocs(opened, question)).toEqual(await store.samples.findDocs(opened, question))
  }
  const [task = ''] = found.tasks
  const searched = await ask({ q: 'red', task, sort: 'doc' })
  expect(searched.total).toBeGreaterThan(0)
  expect(searched.total).toBeLessThan(300)
  expect(searched.rows.every(({ taskName }) => taskName === task)).toBe(true)
})

test('reads the runs and the filter from an address', () => {
  const parse = (query: string): DocsQuery => parseDocsQuery(`http://viewer/view/docs?${query}`)
  expect(parse('run=a&run=b%402&run=a&only=disagree&sort=hardest&task=t&offset=50')).toEqual({
    ...{ runs: ['a', 'b@2'], only: 'disagree', sort: 'hardest', task: 't', offset: 50, limit: 50 },
  })
  expect(() => parse('only=all')).toThrow(/run/)
  expect(() => parse('run=a&only=some')).toThrow(/only/)
})
