import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { without } from '../../../base/values/without.js'
import { exportRun } from '../../../cache/bundle/export.js'
import { importBundle } from '../../../cache/bundle/import.js'
import { makeManifest, manifestText, parseManifest, withRemarks } from '../../../cache/bundle/manifest.js'
import type { Remarks } from '../../../cache/bundle/portable.js'
import { sealRun } from '../../../cache/bundle/seal.js'
import { sha256 } from '../../../cache/digest.js'
import { labelAddress } from '../../../cache/facts/label-rules.js'
import type { MadeLabel, NewLabel, Run } from '../../../cache/records.js'
import { openSqliteStore } from '../../../cache/sqlite/connection/open-sqlite-store.js'
import { portableRun } from '../../support/portable-runs.js'
import { temporaryFolder } from '../../support/store.js'
import { allOf } from '../../support/store-conformance/scene.js'

vi.setConfig({ testTimeout: 60_000 })

type Sqlite = Awaited<ReturnType<typeof openSqliteStore>>

async function emptyStore(): Promise<Sqlite> {
  const store = await openSqliteStore(await temporaryFolder(), { access: 'write', now: () => 1 })
  onTestFinished(() => store.close())
  return store
}

const plan = { docs: 4, answer: (doc: number) => `answer ${doc}`, judgedAt: [3000] }

interface Said {
  readonly doc: number
  readonly author: string
  readonly label: NewLabel['label']
  readonly note?: string
}

/** A store with the run, its labels and its tags. */
async function storeWith(said: readonly Said[], tags: readonly string[]): Promise<{ store: Sqlite; run: Run }> {
  const store = await emptyStore()
  const { run } = await store.importRun(portableRun(plan), 'refuse')
  const samples = await allOf(store.judgements.samples(run))
  for (const { doc, author, label, note = '' } of said)
    await store.labels.add({
      ...labelAddress(samples[doc]!)!,
      ...{ author, label, note, run: run.name, task: 't', doc: String(doc) },
    })
  if (tags.length > 0) await store.runs.tag(run, { add: tags })
  return { store, run }
}

async function bundleOf({ store, run }: { readonly store: Sqlite; readonly run: Run }): Promise<string> {
  const file = join(await temporaryFolder(), 'run.pipeline')
  await exportRun(store, run, { file, media: false })
  return file
}

async function remarksIn(store: Sqlite, run: Run): Promise<unknown> {
  const labels = await allOf(store.labels.list())
  const texts = labels.map(label => JSON.stringify(without(label, 'id'))).sort()
  return { labels: texts, tags: (await store.runs.tags()).get(run.ref) ?? [] }
}

const ada = [
  { doc: 1, author: 'Ada', label: 'wrong', note: 'It is "red",\nnot blue.' },
  { doc: 1, author: 'Ada', label: null },
  { doc: 3, author: 'Ada', label: 'right' },
] as const
const bob = [{ doc: 1, author: 'Bob', label: 'unclear' }] as const

test('a bundle carries labels, their history and tags; a second import adds none', async () => {
  const here = await storeWith(ada, ['baseline', 'paper: table 2'])
  const file = await bundleOf(here)
  const there = await emptyStore()
  const outcome = await importBundle(there, file, { onConflict: 'refuse' })
  expect(outcome).toMatchObject({ remarks: { labels: 3, tags: 2 } })
  expect(await remarksIn(there, outcome.run)).toEqual(await remarksIn(here.store, here.run))
  expect(await importBundle(there, file, { onConflict: 'refuse' })).toMatchObject({ remarks: { labels: 0, tags: 0 } })
  expect(await remarksIn(there, outcome.run)).toEqual(await remarksIn(here.store, here.run))
  // The same rows give the same bytes, in whichever order they were imported.
  expect(await readFile(await bundleOf({ store: there, run: outcome.run }))).toEqual(await readFile(file))
})

test('two bundles of one run give the same labels and tags in either order', async () => {
  const one = await bundleOf(await storeWith(ada, ['a']))
  const other = await bundleOf(await storeWith(bob, ['b', 'a']))
  const ended: unknown[] = []
  for (const files of [
    [one, other],
    [other, one],
  ]) {
    const store = await emptyStore()
    const outcomes = []
    for (const file of files) outcomes.push(await importBundle(store, file, { onConflict: 'refuse' }))
    ended.push(await remarksIn(store, outcomes[0]!.run))
  }
  expect(ended[0]).toEqual(ended[1])
  expect(ended[0]).toMatchObject({ labels: { length: 4 }, tags: ['a', 'b'] })
})

test('does not export labels of other answers to the same docs', async () => {
  const { store, run } = await storeWith(ada, [])
  const [sample] = await allOf(store.judgements.samples(run))
  await store.labels.add({
    ...{ record: labelAddress(sample!)!.record, answers: sha256<'answers'>('others') },
    ...{ author: 'Eve', label: 'wrong', note: '', run: 'x', task: 't', doc: '0' },
  })
  const there = await emptyStore()
  await importBundle(there, await bundleOf({ store, run }), { onConflict: 'refuse' })
  expect((await allOf(there.labels.list())).map(({ author }) => author)).toEqual(['Ada', 'Ada', 'Ada'])
})

test('a bundle without labels and tags keeps the older format, and a sealed run never has any', async () => {
  const parts = [{ name: 'inputs.parquet', digest: sha256('x'), bytes: 1, rows: 4 }]
  const plain = makeManifest(portableRun(plan), parts)
  expect(withRemarks(plain, { labels: [], tags: [] })).toEqual(plain)
  expect(plain.version).toBe(1)
  expect(withRemarks(plain, { labels: [], tags: ['a'] }).version).toBe(2)
  const { store, run } = await storeWith(ada, ['a'])
  const sealed = await sealRun(store, run)
  expect(sealed.version).toBe(1)
  expect(sealed).not.toHaveProperty('remarks')
})

const label: MadeLabel = {
  ...{ record: sha256<'judge-record'>('r'), answers: sha256<'answers'>('a') },
  ...{ label: 'right', note: '', author: 'Ada', at: 5, run: 'x', task: 't', doc: '0' },
}

test.each([
  ['a label that is none', { labels: [{ ...label, label: 'great' as never }], tags: [] }, /label/],
  ['an author without a name', { labels: [{ ...label, author: ' ' }], tags: [] }, /has no name/],
  ['an author with a line break', { labels: [{ ...label, author: 'A\nB' }], tags: [] }, /line break/],
  ['a record that is no digest', { labels: [{ ...label, record: 'x' as never }], tags: [] }, /record/],
  ['a time that is none', { labels: [{ ...label, at: -1 }], tags: [] }, /at/],
  ['a tag that is none', { labels: [], tags: ['a\u001b[31m'] }, /is no tag/],
])('rejects a manifest with %s', (_, remarks: Remarks, problem) => {
  const manifest = withRemarks(makeManifest(portableRun(plan), []), remarks)
  expect(() => parseManifest(manifestText(manifest))).toThrow(problem)
})

test('rejects labels of unknown docs and too many tags, and imports nothing', async () => {
  const store = await emptyStore()
  const foreign = { ...portableRun(plan), remarks: () => Promise.resolve({ labels: [label], tags: [] }) }
  await expect(store.importRun(foreign, 'refuse')).rejects.toThrow(/the label of Ada of t\/0 is of no doc of this run/)
  expect(await store.runs.list()).toEqual([])
  const { run } = await store.importRun(portableRun(plan), 'refuse')
  await store.runs.tag(run, { add: Array.from({ length: 50 }, (_, index) => `tag ${index}`) })
  const many = { ...portableRun(plan), remarks: () => Promise.resolve({ labels: [], tags: ['one more'] }) }
  await expect(store.importRun(many, 'refuse')).rejects.toThrow(/would have 51 tags/)
  expect((await store.runs.tags()).get(run.ref)).toHaveLength(50)
})
