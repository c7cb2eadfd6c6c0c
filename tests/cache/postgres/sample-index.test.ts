import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { makeStore } from '../../../bench/viewer/make-store.js'
import { scanSamples } from '../../support/scan-samples.js'
import { openStore } from '../../../cache/open.js'
import type { Store } from '../../../cache/store.js'
import { docsPage } from '../../../src/present/page/samples/docs-page.js'
import { pageRows } from '../../../src/present/page/samples/page-rows.js'
import { openRun } from '../../../src/reading/runs/run-reference.js'
import { sampleAt } from '../../../src/reading/samples/sample-at.js'
import { kindTest } from '../../../src/reading/samples/sample-kinds.js'
import { startCluster, withoutPostgres, type Cluster } from '../../support/postgres.js'
import { expectEqualAnswers, prepared } from '../../support/sample-questions.js'
import { answer, question, temporaryFolder, testRun } from '../../support/store.js'

describe.skipIf(withoutPostgres !== '')(`the index of samples of PostgreSQL${withoutPostgres}`, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ isWorkingDirectory: true })
  })
  afterAll(() => cluster.stop())

  /** Opens a store with a work folder of its own, like another machine. */
  async function opened(schema: string): Promise<Store> {
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(await temporaryFolder())
    const store = await openStore(cluster.address(schema))
    cwd.mockRestore()
    onTestFinished(() => store.close())
    return store
  }

  test('finds the same samples in the same order as a scan, from a local file', async () => {
    const [a = '', b = ''] = await makeStore(cluster.address('made'), 400, () => undefined)
    const store = await opened('made')
    const price = { input: 1, output: 4 }
    const [run, other] = [
      { ...(await openRun(store, a)), price },
      { ...(await openRun(store, b)), price },
    ]
    const first = await store.samples.find(run, { kind: kindTest('all'), offset: 399, limit: 5 })
    expect(first).toMatchObject({ total: 400, samples: [expect.anything()] })
    await prepared(store.samples, other)
    await prepared(store.samples, run)
    await expectEqualAnswers(store.samples, scanSamples(store), [run, other])
    const folder = join(store.workFolder, 'view-index')
    expect(existsSync(join(folder, readdirSync(folder)[0] ?? '', 'view-index.sqlite'))).toBe(true)
  })

  test('finds later answers, and pairs ids that contain a NUL', async () => {
    const store = await opened('later')
    const run = await testRun(store, ['t'])
    const docs = [0, 1].map(index => ({ ...question(index), id: `a\u0000${index}` }))
    await store.docs.commit(run, 0, docs, true)
    expect((await prepared(store.samples, { run })).prepared.of).toBe(2)
    const { leases } = await store.requests.lease(run, { after: 0, limit: 10, retryFailed: false })
    await Promise.all(leases.map((lease, at) => answer(store, lease, `zebra ${at}`)))
    await store.runs.touch(run)
    const query = { kind: kindTest('all'), q: 'zebra', offset: 0, limit: 5 }
    const found = async (): Promise<number> => (await store.samples.find({ run }, query)).total
    await vi.waitFor(async () => expect(await found()).toBe(2), { timeout: 60_000, interval: 100 })
    expect(await store.samples.find({ run }, query, { run })).toMatchObject({ total: 2 })
  })

  test('rows of a page equal those read one by one, and a damaged one is shown alone', async () => {
    const [name = ''] = await makeStore(cluster.address('rows'), 200, () => undefined)
    const store = await opened('rows')
    const run = await openRun(store, name)
    const page = () =>
      pageRows(store, run, { only: 'wrong', offset: 3, limit: 30 }, { against: undefined, signal: undefined })
    await prepared(store.samples, run)
    const rows = await page()
    const { judgement } = run
    const places = rows.rows.map(({ task, index }) => ({ task, index }))
    expect(places).toHaveLength(30)
    const together = (await store.judgements.samplesAt?.(run.run, judgement, places)) ?? []
    const single = await Promise.all(places.map(place => sampleAt(store, run, place)))
    expect(JSON.stringify(together)).toBe(JSON.stringify(single))
    const { task, index } = places[7]!
    cluster.sql(
      `UPDATE rows.score SET body = '{}' WHERE id = (SELECT score FROM rows.verdict WHERE judgement = ${judgement?.ref ?? 0} AND task = ${task} AND doc = ${index})`,
    )
    const damaged = (await page()).rows
    expect(damaged[7]).toMatchObject({ task, index, answer: expect.stringContaining('damaged record') as string })
    expect(damaged.toSpliced(7, 1)).toEqual(rows.rows.toSpliced(7, 1))
  })

  test('a page of two runs reads the samples of each run at once, and shows what a reading one by one shows', async () => {
    const names = await makeStore(cluster.address('docs'), 100, () => undefined)
    const store = await opened('docs')
    const runs = await Promise.all(names.map(async name => ({ name, opened: await openRun(store, name) })))
    for (const run of runs) await prepared(store.samples, run.opened)
    const query = { runs: names, only: 'all' as const, offset: 3, limit: 20 }
    const reads = vi.spyOn(store.judgements, 'samplesAt')
    const { rows } = await docsPage(store, runs, query)
    expect(reads).toHaveBeenCalledTimes(2)
    expect(rows).toHaveLength(20)
    reads.mockRejectedValue(new PipelineError('store', 'damaged', { reason: 'record-damaged' }))
    expect((await docsPage(store, runs, query)).rows).toEqual(rows)
  })
})
