import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { parseManifest } from '../../../cache/bundle/manifest.js'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import { removeSeal, sealRun } from '../../../cache/bundle/seal.js'
import { sealFolder } from '../../../cache/location.js'
import { sealedTables } from '../../../cache/bundle/parts/parts.js'
import { verifyRows } from '../../../cache/bundle/verify-rows.js'
import { openStore } from '../../../cache/open.js'
import type { Run } from '../../../cache/records.js'
import { MemoryPortableStore } from '../../support/memory-portable-store.js'
import { dump, portableRun, type RunPlan } from '../../support/portable-runs.js'
import { testCode, testRun, temporaryFolder } from '../../support/store.js'

async function storeWith(plan: RunPlan): Promise<{ store: PortableStore; run: Run; folder: string }> {
  const store = new MemoryPortableStore(await temporaryFolder())
  const { run } = await store.importRun(portableRun(plan), 'refuse')
  return { store, run, folder: sealFolder(store, run) }
}

const finished: RunPlan = { docs: 6, answer: doc => (doc === 1 ? null : 'yes'), judgedAt: [3000] }
const parts = ['failures', 'inputs', 'preimages', 'responses', 'scores-1'].map(name => `${name}.parquet`)

/** Returns the inode of each file, which changes when the file is written again. */
async function identities(folder: string): Promise<Record<string, number>> {
  const names = await readdir(folder)
  const files = names.map(async name => [name, (await stat(join(folder, name))).ino] as const)
  return Object.fromEntries<number>(await Promise.all(files))
}

test('a run can be imported into an empty store from its sealed files alone', async () => {
  const { store, run, folder } = await storeWith(finished)
  await sealRun(store, run)
  const manifest = parseManifest(await readFile(join(folder, 'manifest.json'), 'utf8'))
  const tables = sealedTables(folder, folder, manifest)
  await verifyRows(folder, tables)
  const empty = new MemoryPortableStore(await temporaryFolder())
  const { run: made } = await empty.importRun(tables, 'refuse')
  expect(await dump(empty, [made])).toBe(await dump(store, [run]))
})

test('refuses to seal a run with pending items, and says what to do', async () => {
  const { store, run } = await storeWith({ docs: 2, answer: () => undefined })
  const sealing = sealRun(store, run)
  await expect(sealing).rejects.toBeInstanceOf(PipelineError)
  await expect(sealing).rejects.toThrow(`resume("${run.name}")`)
  expect(await readdir(store.workFolder)).toEqual([])
})

test('sealing again does not rewrite any part', async () => {
  const { store, run, folder } = await storeWith(finished)
  const first = await sealRun(store, run)
  const before = await identities(folder)
  expect(await sealRun(store, run)).toEqual(first)
  const after = await identities(folder)
  for (const part of parts) expect(after[part]).toBe(before[part])
})

test('another judgement adds its own part and leaves the others unchanged', async () => {
  const { store, run, folder } = await storeWith(finished)
  await sealRun(store, run)
  const before = await identities(folder)
  await store.importRun(portableRun({ ...finished, judgedAt: [3000, 4000] }), 'refuse')
  const manifest = await sealRun(store, run)
  expect(manifest.parts.map(({ name }) => name)).toEqual([...parts, 'scores-2.parquet'])
  const after = await identities(folder)
  for (const part of parts) expect(after[part]).toBe(before[part])
})

test('a judgement with other rules adds one preimage', async () => {
  const store = await openStore(await temporaryFolder())
  const run = await testRun(store)
  await store.docs.commit(run, 0, [], true)
  const preimages = async (metric: string): Promise<number> => {
    const rules = [{ config: { metric }, scorer: testCode }]
    await store.judgements.close(await store.judgements.open(run, rules), [])
    const { parts } = await sealRun(store, run)
    return parts.find(part => part.name === 'preimages.parquet')?.rows ?? 0
  }
  const before = await preimages('exact_match')
  expect(await preimages('contains')).toBe(before + 1)
  await store.close()
})

test('removing a seal deletes its tables, and keeps other files of the folder', async () => {
  const { store, run, folder } = await storeWith(finished)
  await sealRun(store, run)
  await writeFile(join(folder, 'notes.txt'), 'mine')
  await removeSeal(store, run)
  expect(await readdir(folder)).toEqual(['notes.txt'])
  await rm(join(folder, 'notes.txt'))
  await sealRun(store, run)
  await removeSeal(store, run)
  await expect(readdir(folder)).rejects.toThrow('ENOENT')
  await removeSeal(store, run)
})

test('sealing again includes an answer that replaced a failure', async () => {
  const { store, run, folder } = await storeWith(finished)
  const before = await sealRun(store, run)
  await store.importRun(portableRun({ ...finished, answer: () => 'yes' }), 'refuse')
  const after = await sealRun(store, run)
  expect(after.parts.find(part => part.name === 'responses.parquet')?.rows).toBe(6)
  expect(after.parts.map(part => part.name)).not.toContain('failures.parquet')
  expect(await readdir(folder)).not.toContain('failures.parquet')
  expect(after).not.toEqual(before)
  expect(parseManifest(await readFile(join(folder, 'manifest.json'), 'utf8'))).toEqual(after)
})

test.each(['missing', 'damaged', 'shorter'])('rewrites a part that is %s', async how => {
  const { store, run, folder } = await storeWith(finished)
  await sealRun(store, run)
  const file = join(folder, 'responses.parquet')
  const whole = await readFile(file)
  if (how === 'missing') await rm(file)
  if (how === 'damaged') await writeFile(file, Buffer.from(whole).fill(7, 100, 101))
  if (how === 'shorter') await writeFile(file, whole.subarray(0, 50))
  await sealRun(store, run)
  expect(await readFile(file)).toEqual(whole)
})

test('treats a damaged manifest as missing', async () => {
  const { store, run, folder } = await storeWith(finished)
  const manifest = await sealRun(store, run)
  await writeFile(join(folder, 'manifest.json'), '{"half')
  expect(await sealRun(store, run)).toEqual(manifest)
})

test('an interruption at any table leaves no stale manifest, and sealing again completes it', async () => {
  const { store, run, folder } = await storeWith(finished)
  const whole = await sealRun(store, run)
  const changed = portableRun({ ...finished, answer: () => 'yes' })
  await store.importRun(changed, 'refuse')
  for (const broken of ['responses', 'items', 'preimages'] as const) {
    const failing: PortableStore = Object.create(store, {
      exportRun: {
        value: async (asked: Run) => ({
          ...(await store.exportRun(asked)),
          [broken]: async function* () {
            await Promise.reject(new Error('the power went'))
          },
        }),
      },
    }) as PortableStore
    await expect(sealRun(failing, run)).rejects.toThrow('the power went')
    expect(await readdir(folder)).not.toContain('manifest.json')
    expect((await readdir(folder)).filter(name => name.endsWith('.tmp'))).toEqual([])
  }
  expect(await sealRun(store, run)).not.toEqual(whole)
  expect((await readdir(folder)).sort()).toEqual([...parts.slice(1), 'manifest.json'].sort())
})

test('removes files that a killed process left, and keeps all others', async () => {
  const { store, run, folder } = await storeWith(finished)
  await sealRun(store, run)
  // No process has this number: it is above the highest that Linux gives.
  await writeFile(join(folder, '.inputs.parquet.4194305.1.tmp'), 'half')
  await writeFile(join(folder, `.inputs.parquet.${process.pid}.99.tmp`), 'being written')
  await writeFile(join(folder, 'scores-7.parquet'), 'of a judgement that is no more')
  await writeFile(join(folder, 'report.html'), 'a report')
  await sealRun(store, run)
  expect((await readdir(folder)).sort()).toEqual(
    [...parts, 'manifest.json', 'report.html', `.inputs.parquet.${process.pid}.99.tmp`].sort(),
  )
})
