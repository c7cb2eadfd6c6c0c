import { chmod, rm, utimes, writeFile } from 'node:fs/promises'
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Wake } from '../../../base/time/wake.js'
import { digestOfFile } from '../../../cache/file-pieces.js'
import type { Run } from '../../../cache/records.js'
import { ingestTask, readDrafts } from '../../../stages/input/ingest.js'
import { datasetIdentity } from '../../../stages/input/datasets/open-dataset.js'
import { loadTask } from '../../../stages/input/tasks/load-task.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import { memoryStore, type MemoryStore } from './memory-store.js'
import { temporaryFolder } from './temp-folder.js'

const folder = temporaryFolder()
const digests = { digest: digestOfFile, knownDigest: () => Promise.resolve(undefined) }

const rows = (word: string, count = 3_000) =>
  Array.from({ length: count }, (_, id) => ({ id, question: `${word}${id} ${'.'.repeat(400)}`, answer: word }))

/** How each format writes rows. */
const formats: Readonly<Record<string, (rows: readonly object[]) => string | Uint8Array>> = {
  'd.jsonl': all => all.map(row => JSON.stringify(row)).join('\n'),
  'd.jsonl.gz': all => gzipSync(all.map(row => JSON.stringify(row)).join('\n'), { level: 0 }),
  'd.json': all => JSON.stringify(all),
  'd.csv': all => [Object.keys(all[0]!).join(), ...all.map(row => Object.values(row).join())].join('\n'),
}

async function taskOf(name: string, content: string | Uint8Array): Promise<Task> {
  await folder.write(name, content)
  const yaml = `task: t\ndataset_path: ${name}\ntest_split: test\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\n`
  return loadTask(await folder.write('t.yaml', yaml), { cacheDir: folder.path('cache') })
}

async function plannedRun(task: Task): Promise<Run> {
  const dataset = await datasetIdentity(task, digests)
  return { ref: 1, asked: { tasks: [{ name: 't', identity: task.identity.key, dataset }] } } as unknown as Run
}

async function ingest(task: Task, memory: MemoryStore, run: Run): Promise<void> {
  const store = { ...memory.store, files: { ...memory.store.files, ...digests } }
  const drain = new AbortController().signal
  await ingestTask({ store, run, taskIndex: 0, task, selection: {}, wake: new Wake(), drain, emit: () => undefined })
}

const wordsOf = ({ docs }: MemoryStore): readonly unknown[] => [...new Set(docs.map(({ record }) => record.target))]

for (const [name, write] of Object.entries(formats))
  test(`${name}: ignores everything read after the file was overwritten, and the docs stay unfinished`, async () => {
    const task = await taskOf(name, write(rows('old')))
    const memory = memoryStore(commits => {
      if (commits === 2) writeFileSync(folder.path(name), write(rows('new', 3_100)))
    })
    await expect(ingest(task, memory, await plannedRun(task))).rejects.toThrow(
      /d\.\w+(\.gz)? changed while its docs were read: it had [\d,]+ bytes and has [\d,]+\. .*Run the command again/,
    )
    expect(wordsOf(memory)).toEqual(['old'])
    expect(memory.progress.finished).toBe(false)
  })

test('notices a file rewritten with the same number of bytes, even if its time was set back', async () => {
  const task = await taskOf('d.jsonl', formats['d.jsonl']!(rows('old')))
  await utimes(folder.path('d.jsonl'), 1_000, 1_000)
  let set: Promise<void> | undefined
  const memory = memoryStore(commits => {
    if (commits !== 2) return
    writeFileSync(folder.path('d.jsonl'), formats['d.jsonl']!(rows('new')))
    set = utimes(folder.path('d.jsonl'), 1_000, 1_000)
  })
  await expect(ingest(task, memory, await plannedRun(task))).rejects.toThrow(/its [\d,]+ bytes were written again/)
  await set
  expect(wordsOf(memory)).toEqual(['old'])
})

test('reads a file to its end if it was only touched or its mode changed', async () => {
  const task = await taskOf('d.jsonl', formats['d.jsonl']!(rows('old')))
  const memory = memoryStore(commits => {
    if (commits === 2) void utimes(folder.path('d.jsonl'), 2_000, 2_000)
    if (commits === 3) void chmod(folder.path('d.jsonl'), 0o600)
  })
  await ingest(task, memory, await plannedRun(task))
  expect(memory.progress).toEqual({ docs: 3_000, finished: true })
})

test('rejects a file that changed between the plan of its run and the first doc', async () => {
  const task = await taskOf('d.jsonl', formats['d.jsonl']!(rows('old', 3)))
  const run = await plannedRun(task)
  await writeFile(folder.path('d.jsonl'), formats['d.jsonl']!(rows('new', 3)))
  const memory = memoryStore()
  await expect(ingest(task, memory, run)).rejects.toThrow(
    /d\.jsonl is not the file that this run was planned with: it changed since then/,
  )
  expect(memory.docs).toEqual([])
})

test('names a file that is removed while it is read', async () => {
  const task = await taskOf('d.jsonl', formats['d.jsonl']!(rows('old')))
  let removed: Promise<void> | undefined
  const memory = memoryStore(commits => {
    if (commits === 2) removed = rm(folder.path('d.jsonl'))
  })
  await expect(ingest(task, memory, await plannedRun(task))).rejects.toThrow(/d\.jsonl was removed while its docs/)
  await removed
})

test('reports an unreadable file that has changed as changed', async () => {
  const task = await taskOf('d.jsonl', formats['d.jsonl']!(rows('old')))
  const docs = readDrafts({
    store: memoryStore().store,
    task,
    selection: {},
    drain: new AbortController().signal,
  })
  const read = async (): Promise<void> => {
    await docs.next()
    await writeFile(folder.path('d.jsonl'), 'x'.repeat(2_000_000))
    while ((await docs.next()).done !== true) continue
  }
  await expect(read()).rejects.toThrow(/d\.jsonl changed while its docs were read/)
})
