import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportRun } from '../../../cache/bundle/export.js'
import { importBundle } from '../../../cache/bundle/import.js'
import { manifestText, parseManifest, type Manifest } from '../../../cache/bundle/manifest.js'
import type { ItemRow, PortableStore } from '../../../cache/bundle/portable.js'
import { paddingAfter, tarHeader } from '../../../cache/bundle/tar.js'
import { streamingSha256 } from '../../../cache/digest.js'
import { openStore, verifyStore } from '../../../cache/open.js'
import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { planJudge } from '../../../src/judging/plan-judge.js'
import { collect } from '../../support/portable-runs.js'
import { temporaryFolder, temporaryStore, testRun } from '../../support/store.js'

type AnyStore = Store & PortableStore
const newStore = async (): Promise<AnyStore> => (await temporaryStore()) as AnyStore

/** Asks the judge one question for each doc, in their order. */
async function judge(
  store: Store,
  run: Run,
  docs: readonly number[],
  ask: (doc: number) => string = () => 'same question',
  nameDoc: (doc: number) => string = String,
) {
  const notes: string[] = []
  const never = new AbortController().signal
  const calls = await planJudge(
    { judgeModel: 'dummy', judgeArgs: { mode: 'fixed', text: 'yes' } },
    {
      store,
      plugins: { backends: [], exports: [], closures: new Map() },
      env: {},
      hooks: {
        emit: event => void notes.push(...(event.type === 'note' ? [event.text] : [])),
        drain: never,
        stop: never,
      },
    },
  )
  await calls!.during(run, async () => {
    for (const index of docs) await calls!.ask({ messages: ask(index), doc: { task: 't', index, id: nameDoc(index) } })
  })
  return notes
}

async function exported(store: AnyStore, run: Run): Promise<{ readonly file: string; readonly manifest: Manifest }> {
  const file = join(await temporaryFolder(), 'run.pipeline')
  return { file, manifest: await exportRun(store, run, { file, media: false }) }
}

async function callsOf(store: AnyStore, run: Run): Promise<readonly ItemRow[]> {
  const calls = (await (await store.exportRun(run)).judgeCalls?.()) ?? []
  return (await Promise.all(calls.map(({ items }) => collect(items)))).flat()
}

const askersOf = async (store: AnyStore, run: Run) =>
  (await callsOf(store, run)).map(({ record }) => (JSON.parse(record) as { doc: { index: number } }).doc.index)

test('judge replies are exported with the run and are not requested again', async () => {
  const here = await newStore()
  const run = await testRun(here)
  await judge(here, run, [0, 1, 2], index => `question ${index}`)
  const { file, manifest } = await exported(here, run)
  expect(manifest).toMatchObject({ version: 3, judgeCalls: [{ name: 'judge-calls-1.pipeline', rows: 3 }] })
  const there = await newStore()
  const outcome = await importBundle(there, file, { onConflict: 'refuse' })
  expect(outcome.judgeCalls).toEqual({ added: 3, present: 0 })
  expect(await judge(there, outcome.run, [0, 1, 2], index => `question ${index}`)).toEqual([
    'judge dummy: 0 asked, 3 from the store',
  ])
  expect((await importBundle(there, file, { onConflict: 'refuse' })).judgeCalls).toEqual({ added: 0, present: 3 })
  expect(await callsOf(there, outcome.run)).toEqual(await callsOf(here, run))
  const again = await exported(there, outcome.run)
  expect(await readFile(again.file)).toEqual(await readFile(file))
})

test('a run without judge calls has the format that older programs read', async () => {
  const store = await newStore()
  const { manifest } = await exported(store, await testRun(store))
  expect(manifest.version).toBe(1)
  expect(manifest).not.toHaveProperty('judgeCalls')
})

test('either order of imports keeps the same doc for a call that two stores ascribe to different docs', async () => {
  const files: string[] = []
  for (const id of ['first', 'second']) {
    const store = await newStore()
    const run = await testRun(store)
    await judge(store, run, [1], undefined, () => id)
    files.push((await exported(store, run)).file)
  }
  const askers: (readonly string[])[] = []
  for (const order of [files, files.toReversed()]) {
    const folder = await temporaryFolder()
    const store = await openStore(folder)
    let run: Run | undefined
    for (const file of order) ({ run } = await importBundle(store, file, { onConflict: 'refuse' }))
    askers.push((await callsOf(store, run!)).map(({ record }) => record))
    await store.close()
    expect(await verifyStore(folder, { repair: false })).toMatchObject({ damaged: [] })
  }
  expect(askers[0]).toEqual(askers[1])
  expect(askers[0]).toHaveLength(1)
})

test('a judge call that another run made first is linked to the doc of this run, too', async () => {
  const store = await newStore()
  const [first, second] = [await testRun(store), await testRun(store, ['t'], { selection: { limit: 7 } })]
  await judge(store, first, [3])
  expect(await judge(store, second, [5])).toEqual(['judge dummy: 0 asked, 1 from the store'])
  expect(await askersOf(store, second)).toEqual([5])
  await judge(store, second, [6])
  expect((await askersOf(store, second)).toSorted()).toEqual([5, 6])
  const { file } = await exported(store, second)
  const there = await newStore()
  const { run, judgeCalls } = await importBundle(there, file, { onConflict: 'refuse' })
  expect(judgeCalls).toEqual({ added: 1, present: 0 })
  expect(await judge(there, run, [5])).toEqual(['judge dummy: 0 asked, 1 from the store'])
})

test('rejects a bundle whose judge calls belong to another run or have a changed byte', async () => {
  const store = await newStore()
  const [run, other] = [await testRun(store), await testRun(store, ['t'], { selection: { limit: 7 } })]
  await judge(store, run, [1])
  await judge(store, other, [1])
  const [mine, theirs] = [await exported(store, run), await exported(store, other)]
  const folder = await temporaryFolder()
  const swapped = join(folder, 'swapped.pipeline')
  await writeFile(swapped, withCallsOf(mine.file, theirs.file))
  const empty = await newStore()
  const refusal = importBundle(empty, swapped, { onConflict: 'refuse' })
  await expect(refusal).rejects.toThrow(
    `${swapped}: judge-calls-1.pipeline does not hold the calls of a judge for ${run.name}`,
  )
  const bytes = await readFile(mine.file)
  const at = bytes.lastIndexOf('ustar') + 2000
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(swapped, bytes)
  await expect(importBundle(empty, swapped, { onConflict: 'refuse' })).rejects.toThrow('is damaged')
  expect(await empty.runs.list()).toEqual([])
})

/** Replaces the judge calls of a bundle by those of another one, with a matching manifest. */
function withCallsOf(file: string, other: string): Buffer {
  const read = (from: string, name: string): Buffer => execFileSync('tar', ['-xOf', from, name])
  const name = 'judge-calls-1.pipeline'
  const manifest = parseManifest(read(file, 'manifest.json').toString())
  const calls = read(other, name)
  const hash = streamingSha256()
  hash.update(calls)
  const judgeCalls = [{ name, digest: hash.digest(), bytes: calls.length, rows: 1 }]
  const entries = [
    ['manifest.json', Buffer.from(manifestText({ ...manifest, judgeCalls }))] as const,
    ...manifest.parts.map(part => [part.name, read(file, part.name)] as const),
    [name, calls] as const,
  ]
  return Buffer.concat([
    ...entries.flatMap(([entry, content]) => [
      tarHeader(entry, content.length),
      content,
      Buffer.alloc(paddingAfter(content.length)),
    ]),
    Buffer.alloc(1024),
  ])
}
