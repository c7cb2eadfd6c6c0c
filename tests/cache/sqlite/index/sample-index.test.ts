import { existsSync } from 'node:fs'
import { readFile, writeFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeStore } from '../../../../bench/viewer/make-store.js'
import { labelAddress } from '../../../../cache/facts/label-rules.js'
import { openStore } from '../../../../cache/open.js'
import type { NewLabel } from '../../../../cache/records.js'
import type { OpenedRun, SampleIndex, Store } from '../../../../cache/store.js'
import { openRun } from '../../../../src/reading/runs/run-reference.js'
import { sampleAt } from '../../../../src/reading/samples/sample-at.js'
import { kindTest } from '../../../../src/reading/samples/sample-kinds.js'
import { indexPath } from '../../../../cache/sqlite/index/building/index-file.js'
import { openFolderIndex, type OpenSampleIndex } from '../../../../cache/sqlite/index/open-sample-index.js'
import { scanSamples } from '../../../support/scan-samples.js'
import { expectEqualAnswers, prepared } from '../../../support/sample-questions.js'
import { answer, question, temporaryFolder, temporaryStore, testRun } from '../../../support/store.js'

/** Opens the index of a store in a folder as another process does. */
const openAgain = ({ location: dir, readOnly, labels }: Store): OpenSampleIndex =>
  openFolderIndex({ dir, readOnly, labels })

const samples = 400

interface Scene {
  readonly store: Store
  readonly index: SampleIndex
  readonly runs: readonly [OpenedRun, OpenedRun]
}

async function scene(): Promise<Scene> {
  const folder = await temporaryFolder()
  const names = await makeStore(folder, samples, () => undefined)
  return reopened(folder, names)
}

async function reopened(folder: string, names: readonly string[]): Promise<Scene> {
  const store = await openStore(folder)
  onTestFinished(() => store.close())
  const [a = '', b = ''] = names
  const price = { input: 1, output: 4 }
  return {
    store,
    index: store.samples,
    runs: [
      { ...(await openRun(store, a)), price },
      { ...(await openRun(store, b)), price },
    ],
  }
}

describe('the prepared index', () => {
  test('finds the same samples in the same order as a scan of all samples', async () => {
    const { store, index, runs } = await scene()
    const straight = scanSamples(store)
    const [run, other] = runs
    await store.labels.add(await labelFor(store, run, 3, 'wrong'))
    await store.labels.add(await labelFor(store, run, 40, 'right'))
    await prepared(index, other)
    await prepared(index, run)
    await expectEqualAnswers(index, straight, [run, other])
  })

  test('lists all samples before anything is prepared', async () => {
    const { store, index, runs } = await scene()
    const query = { kind: kindTest('all'), offset: 299, limit: 5 }
    const page = await index.find(runs[0], query)
    const naive = await scanSamples(store).find(runs[0], query)
    expect(page.samples).toEqual(naive.samples)
    expect(page.total).toBe(samples)
  })

  test('says how many samples a histogram counts before anything is prepared', async () => {
    const { index, runs } = await scene()
    const { histograms, prepared: counted } = await index.histograms(runs[0], { kind: kindTest('all') })
    const sums = histograms.map(({ bars, missing }) => bars.reduce((sum, bar) => sum + bar.samples, missing))
    expect(new Set(sums)).toEqual(new Set([counted.filters]))
  })

  test.each([
    '"',
    '""',
    '" OR "',
    'a" OR text:"b',
    'NEAR(a b)',
    'text : x',
    '* OR *',
    '-"',
    '{}^',
    "'; DROP TABLE text; --",
  ])('searches for %s as words, not as a query language', async q => {
    const { index, runs } = await scene()
    const [run] = runs
    await prepared(index, run)
    const { total } = await index.find(run, { kind: kindTest('all'), q, offset: 0, limit: 1 })
    expect(total).toBeLessThanOrEqual(samples)
    expect((await index.find(run, { kind: kindTest('all'), q: 'the', offset: 0, limit: 1 })).total).toBeGreaterThan(0)
  })

  test('is rebuilt if its file is damaged', async () => {
    const { store, index, runs } = await scene()
    await prepared(index, runs[0])
    const before = await index.find(runs[0], { kind: kindTest('wrong'), offset: 0, limit: 50 })
    await (index as OpenSampleIndex).close()
    const file = join(store.location, 'view-index.sqlite')
    const bytes = await readFile(file)
    await rm(`${file}-wal`, { force: true })
    bytes.fill(0x5a, 4_096)
    await writeFile(file, bytes)
    const again = openAgain(store)
    onTestFinished(() => again.close())
    await prepared(again, runs[0])
    expect(await again.find(runs[0], { kind: kindTest('wrong'), offset: 0, limit: 50 })).toEqual(before)
  })

  test('is continued by the next process', async () => {
    const { store, index, runs } = await scene()
    await prepared(index, runs[0])
    await (index as OpenSampleIndex).close()
    const size = (await readFile(join(store.location, 'view-index.sqlite'))).length
    const again = openAgain(store)
    onTestFinished(() => again.close())
    const page = await again.find(runs[0], { kind: kindTest('unparsed'), q: 'the', offset: 0, limit: 1 })
    expect(page.prepared).toEqual({ of: samples, filters: samples, text: samples })
    expect((await readFile(join(store.location, 'view-index.sqlite'))).length).toBe(size)
  })

  test('is built by one viewer and read by others', async () => {
    const { store, index, runs } = await scene()
    const other = openAgain(store)
    onTestFinished(() => other.close())
    await Promise.all([prepared(index, runs[0]), prepared(other, runs[0])])
    const query = { kind: kindTest('wrong'), q: 'the', offset: 0, limit: 50 }
    expect(await other.find(runs[0], query)).toEqual(await index.find(runs[0], query))
  })

  test('follows a run that grows', async () => {
    const store = await temporaryStore()
    const index = store.samples
    const run = await testRun(store)
    await store.docs.commit(run, 0, [question(0), question(1)], false)
    expect((await prepared(index, { run })).prepared.of).toBe(2)
    await store.docs.commit(run, 0, [question(2)], true)
    const { leases } = await store.requests.lease(run, { after: 0, limit: 10, retryFailed: false })
    await Promise.all(leases.map((lease, at) => answer(store, lease, `zebra ${at}`)))
    await store.runs.touch(run)
    const found = async (): Promise<number> =>
      (await index.find({ run }, { kind: kindTest('all'), q: 'zebra', sort: 'tokens', offset: 0, limit: 5 })).total
    await vi.waitFor(async () => expect(await found()).toBe(3), { timeout: 60_000, interval: 100 })
  })

  test('of a read-only store is stored elsewhere', async () => {
    const { store, runs } = await scene()
    await store.close()
    const readOnly = await openStore(store.location, { access: 'read' })
    onTestFinished(async () => {
      await readOnly.close()
      await rm(dirname(indexPath(store.location, true)), { recursive: true, force: true })
    })
    await prepared(readOnly.samples, await openRun(readOnly, runs[0].run.name))
    expect(existsSync(join(store.location, 'view-index.sqlite'))).toBe(false)
  })
})

async function labelFor(store: Store, opened: OpenedRun, index: number, label: 'right' | 'wrong'): Promise<NewLabel> {
  const sample = await sampleAt(store, opened, { task: 0, index })
  const address = sample && labelAddress(sample)
  if (address === undefined) throw new Error('the sample has no answer to label')
  return { ...address, label, note: '', author: 'ann', run: opened.run.name, task: 'scene_vqa', doc: String(index) }
}
