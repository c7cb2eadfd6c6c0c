import { execFileSync } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { checkTarget, exportRun } from '../../../cache/bundle/export.js'
import { importBundle } from '../../../cache/bundle/import.js'
import type { OnConflict, PortableStore } from '../../../cache/bundle/portable.js'
import { paddingAfter, readTarHeader } from '../../../cache/bundle/tar.js'
import { openSqliteStore } from '../../../cache/sqlite/connection/open-sqlite-store.js'
import { MemoryPortableStore } from '../../support/memory-portable-store.js'
import { dump, mediumOf, portableRun, type RunPlan } from '../../support/portable-runs.js'
import { temporaryFolder } from '../../support/store.js'

// Writes hundreds of files with an fsync each, which is slow on a slow disk.
vi.setConfig({ testTimeout: 60_000 })

const memoryStore = async (): Promise<PortableStore> => new MemoryPortableStore(await temporaryFolder())

async function sqliteStore(): Promise<PortableStore> {
  const store = await openSqliteStore(await temporaryFolder(), { access: 'write', now: () => 1 })
  onTestFinished(() => store.close())
  return store
}

type MakeStore = () => Promise<PortableStore>

/** Exports a run from its own store as a bundle. */
async function bundleOf(plan: RunPlan, make: MakeStore = memoryStore, media = false): Promise<string> {
  const store = await make()
  for (const digest of plan.media ?? []) await store.media.addBytes(contents.get(digest)!)
  const { run } = await store.importRun(portableRun(plan), 'refuse')
  const file = join(await temporaryFolder(), 'run.pipeline')
  await exportRun(store, run, { file, media })
  return file
}

const pictures = ['one picture', 'another', ''].map(mediumOf)
const contents = new Map<string, Buffer>(pictures.map(({ digest, bytes }) => [digest, bytes]))
const media = pictures.map(({ digest }) => digest)

const judged: RunPlan = {
  docs: 8,
  answer: doc => (doc === 3 ? null : `answer ${doc}`),
  judgedAt: [3000, 4000],
}

async function imported(store: PortableStore, files: readonly string[], onConflict: OnConflict = 'refuse') {
  const outcomes = []
  for (const file of files) outcomes.push(await importBundle(store, file, { onConflict }))
  return outcomes
}

async function contentOf(store: PortableStore, files: readonly string[]): Promise<string> {
  const outcomes = await imported(store, files)
  return dump(store, [...new Map(outcomes.map(({ run }) => [run.id, run])).values()])
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => 'nothing was refused',
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(PipelineError)
  expect(error).toMatchObject({ code: 'bundle' })
  return (error as PipelineError).message
}

describe.each([
  ['in memory', memoryStore],
  ['SQLite', sqliteStore],
])('bundles between stores: %s', (_, make) => {
  test('a run exported to an empty store is equal to the original run', async () => {
    const here = await make()
    const { run } = await here.importRun(portableRun(judged), 'refuse')
    const there = await make()
    const [outcome] = await imported(there, [await bundleOf(judged, make)])
    expect(outcome).toMatchObject({
      isNew: true,
      added: { items: 8, responses: 7 },
      present: { items: 0, responses: 0 },
      conflicts: [],
    })
    expect(outcome!.run).toMatchObject({ id: run.id, name: run.name, asked: run.asked })
    expect(await dump(there, [outcome!.run])).toBe(await dump(here, [run]))
  })

  test('the second import adds nothing', async () => {
    const file = await bundleOf(judged, make)
    const store = await make()
    const once = await contentOf(store, [file])
    expect(await contentOf(store, [file])).toBe(once)
    const [again] = await imported(store, [file])
    expect(again).toMatchObject({ isNew: false, added: { items: 0, responses: 0, scores: 0 } })
    expect(again!.present).toMatchObject({ items: 8, responses: 7 })
  })

  test('two bundles end in the same store in either order', async () => {
    const first = await bundleOf({ ...judged, judgedAt: [3000] }, make)
    const second = await bundleOf({ ...judged, docs: 11, judgedAt: [2000] }, make)
    const other = await bundleOf({ ...judged, seed: 1 }, make)
    const forth = await contentOf(await make(), [first, second, other])
    expect(await contentOf(await make(), [other, second, first])).toBe(forth)
  })

  test('an unfinished bundle and its finished version merge into the finished run, in either order', async () => {
    const early = await bundleOf({ docs: 5, answer: doc => (doc < 2 ? 'yes' : undefined) }, make)
    const late = await bundleOf({ docs: 5, answer: () => 'yes', judgedAt: [3000] }, make)
    const alone = await contentOf(await make(), [late])
    expect(await contentOf(await make(), [early, late])).toBe(alone)
    expect(await contentOf(await make(), [late, early])).toBe(alone)
  })

  test('rejects the whole import if the same key has another answer, and names the key', async () => {
    const ours = await bundleOf({ docs: 3 }, make)
    const theirs = await bundleOf({ docs: 5, answer: doc => (doc === 1 ? 'another' : `answer ${doc}`) }, make)
    const store = await make()
    const before = await contentOf(store, [ours])
    const message = await refusal(imported(store, [theirs]))
    expect(message).toMatch(/1 of its keys .*\n {2}response sha256:[0-9a-f]{64}\n/)
    expect(await contentOf(store, [ours])).toBe(before)
  })

  test('with keep-ours, imports the rest and reports the conflict', async () => {
    const ours = await bundleOf({ docs: 3 }, make)
    const theirs = await bundleOf({ docs: 5, answer: doc => (doc === 1 ? 'another' : `answer ${doc}`) }, make)
    const store = await make()
    await imported(store, [ours])
    const [outcome] = await imported(store, [theirs], 'keep-ours')
    expect(outcome!.conflicts).toEqual([{ kind: 'response', key: expect.stringMatching(/^sha256:/) as string }])
    expect(outcome!.added).toMatchObject({ items: 2, responses: 2 })
    expect(await dump(store, [outcome!.run])).not.toContain('another')
  })

  test('includes media only if asked', async () => {
    const plan = { docs: 6, media }
    const store = await make()
    await imported(store, [await bundleOf(plan, make, false)])
    expect(await store.media.has(media[0]!)).toBe(false)
    await imported(store, [await bundleOf(plan, make, true)])
    for (const { digest, bytes } of pictures) expect(Buffer.from(await store.media.read(digest))).toEqual(bytes)
  })
})

describe('import, whatever the runs are', () => {
  const plans = fc.record({
    seed: fc.nat(1),
    docs: fc.nat(4),
    answered: fc.nat(4),
    failed: fc.boolean(),
    judgedAt: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  })
  const planned = (made: {
    seed: number
    docs: number
    answered: number
    failed: boolean
    judgedAt: number[]
  }): RunPlan => ({
    ...made,
    answer: doc => (doc < made.answered ? `answer ${doc}` : made.failed ? null : undefined),
  })

  test('is idempotent and commutative', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plans, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        async (made, dice) => {
          const files = []
          for (const plan of made) files.push(await bundleOf(planned(plan)))
          const shuffled = [...files, ...files]
            .map(file => ({ file, at: dice.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ file }) => file)
          expect(await contentOf(await memoryStore(), shuffled)).toBe(await contentOf(await memoryStore(), files))
        },
      ),
      { numRuns: 12 },
    )
  })
})

describe('an export', () => {
  test('has equal bytes for equal rows of any store', async () => {
    const file = await bundleOf(judged)
    const store = await memoryStore()
    const [outcome] = await imported(store, [file])
    const copy = join(await temporaryFolder(), 'copy.pipeline')
    await exportRun(store, outcome!.run, { file: copy, media: false })
    expect(await readFile(copy)).toEqual(await readFile(file))
  })

  test('a bundle of a run with pending items says so', async () => {
    const store = await memoryStore()
    const { run } = await store.importRun(portableRun({ docs: 4, answer: () => undefined }), 'refuse')
    const manifest = await exportRun(store, run, { file: join(store.workFolder, 'x'), media: false })
    expect(manifest).toMatchObject({ partial: true, pending: 4 })
  })

  test('leaves nothing behind when a medium is missing, and names it', async () => {
    const store = await memoryStore()
    const { run } = await store.importRun(portableRun({ docs: 2, media }), 'refuse')
    const folder = await temporaryFolder()
    const message = await refusal(exportRun(store, run, { file: join(folder, 'x'), media: true }))
    expect(message).toContain(`${[...media].sort()[0]!} is not in the store`)
    expect(await readdir(folder)).toEqual([])
  })
})

describe('a damaged bundle', () => {
  /** Name, header position, content position and content length of each file in the archive. */
  function entriesOf(bytes: Buffer) {
    const entries = []
    for (let at = 0; at < bytes.length - 1024;) {
      const { name, bytes: length } = readTarHeader(bytes.subarray(at, at + 512))!
      entries.push({ name, header: at, content: at + 512, length })
      at += 512 + length + paddingAfter(length)
    }
    return entries
  }

  async function flipped(file: string, at: number, bit = 0): Promise<string> {
    const bytes = await readFile(file)
    bytes[at] = bytes[at]! ^ (1 << bit)
    const copy = join(await temporaryFolder(), 'flipped.pipeline')
    await writeFile(copy, bytes)
    return copy
  }

  test('names the damaged part wherever a byte was flipped', async () => {
    const file = await bundleOf({ ...judged, media }, memoryStore, true)
    const entries = entriesOf(await readFile(file))
    expect(entries.map(({ name }) => name).slice(0, 7)).toEqual([
      'manifest.json',
      'failures.parquet',
      'inputs.parquet',
      'preimages.parquet',
      'responses.parquet',
      'scores-1.parquet',
      'scores-2.parquet',
    ])
    expect(entries).toHaveLength(10)
    for (const { name, header, content, length } of entries) {
      const places = [
        header,
        header + 100,
        header + 130,
        header + 150,
        header + 300,
        header + 511,
        ...(length > 0 ? [content, content + (length >> 1), content + length - 1] : []),
        ...(paddingAfter(length) > 0 ? [content + length, content + length + paddingAfter(length) - 1] : []),
      ]
      for (const at of places) {
        const store = await memoryStore()
        const copy = await flipped(file, at, at % 8)
        const message = await refusal(importBundle(store, copy, { onConflict: 'refuse' }))
        const inHeader = at < content
        if (name === 'manifest.json' && inHeader) expect(message).toContain('its first bytes are damaged')
        else if (name.startsWith('media/') && inHeader) expect(message).toMatch(/part medium \d of 3 is damaged/)
        else expect(message).toContain(`${copy}: part ${name} is damaged: `)
        expect(await readdir(store.workFolder)).toEqual([])
      }
    }
  })

  test('is rejected if any single bit is flipped', async () => {
    const file = await bundleOf({ docs: 2, media, judgedAt: [5] }, memoryStore, true)
    const { size } = await stat(file)
    await fc.assert(
      fc.asyncProperty(fc.nat(size - 1), fc.nat(7), async (at, bit) => {
        await refusal(importBundle(await memoryStore(), await flipped(file, at, bit), { onConflict: 'refuse' }))
      }),
      { numRuns: 80 },
    )
  })

  test('is rejected if it is cut off anywhere or has extra bytes', async () => {
    const file = await bundleOf({ docs: 2, media }, memoryStore, true)
    const bytes = await readFile(file)
    const copy = join(await temporaryFolder(), 'cut.pipeline')
    for (const { name, content, length } of entriesOf(bytes)) {
      if (length === 0) continue
      await writeFile(copy, bytes)
      await truncate(copy, content + (length >> 1))
      const message = await refusal(importBundle(await memoryStore(), copy, { onConflict: 'refuse' }))
      expect(message).toContain(`is cut off in part ${name}`)
    }
    for (const length of [0, 100, bytes.length - 1024, bytes.length - 1]) {
      await writeFile(copy, bytes.subarray(0, length))
      await refusal(importBundle(await memoryStore(), copy, { onConflict: 'refuse' }))
    }
    await writeFile(copy, bytes)
    await appendFile(copy, '\0')
    expect(await refusal(importBundle(await memoryStore(), copy, { onConflict: 'refuse' }))).toContain(
      `${copy}: unexpected data after the last part.`,
    )
  })

  test('a file of another kind is rejected with an explanation', async () => {
    const store = await memoryStore()
    const text = join(store.workFolder, 'notes.txt')
    await writeFile(text, 'no bundle at all\n'.repeat(100))
    const words = async (file: string) => refusal(importBundle(store, file, { onConflict: 'refuse' }))
    expect(await words(text)).toContain('is not a bundle')
    expect(await words(store.workFolder)).toContain("can't be read: it is a folder, not a file")
    const pipe = join(store.workFolder, 'pipe')
    execFileSync('mkfifo', [pipe])
    expect(await words(pipe)).toContain("can't be read: it is a pipe (FIFO), not a file")
    expect(await words('/dev/zero')).toContain("can't be read: it is a device, not a file")
    expect(await words(join(store.workFolder, 'nowhere'))).toContain('is not there')
  })
})

test('refuses a path where no bundle can be written, and creates a missing folder', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'file'), '')
  expect(() => checkTarget(folder, folder)).toThrow(/is a folder: name a file/)
  // The error code differs between Node versions.
  expect(() => checkTarget(join(folder, 'file/run.pipeline'), folder)).toThrow(/can't be written \((ENOTDIR|EEXIST)\)/)
  checkTarget(join(folder, 'new/run.pipeline'), folder)
  expect((await stat(join(folder, 'new'))).isDirectory()).toBe(true)
})

test('removes only the files that a killed export left beside the same file', async () => {
  const { pid: gone } = spawnSync(process.execPath, ['--version'])
  const folder = await temporaryFolder()
  const kept = [`.other.tar.parts-${gone}-abc123`, `.run.tar.${process.pid}.1.tmp`, '.run.tar.notes']
  for (const name of [`.run.tar.${gone}.1.tmp`, ...kept]) await writeFile(join(folder, name), 'half')
  await mkdir(join(folder, `.run.tar.parts-${gone}-abc123`))
  await writeFile(join(folder, `.run.tar.parts-${gone}-abc123`, 'inputs.parquet'), 'half')
  const store = await memoryStore()
  const { run } = await store.importRun(portableRun({ docs: 1 }), 'refuse')
  await exportRun(store, run, { file: join(folder, 'run.tar'), media: false })
  expect((await readdir(folder)).sort()).toEqual([...kept, 'run.tar'].sort())
})
