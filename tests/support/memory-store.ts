import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { sha256, type FileDigest, type MediaDigest } from '../../cache/digest.js'
import { runKey } from '../../cache/keys.js'
import type { FailureClass, Run, RunProvenance, RunSpec } from '../../cache/records.js'
import { changedTags } from '../../cache/facts/label-rules.js'
import { runName } from '../../cache/run-name.js'
import type {
  DocStore,
  FileStore,
  JudgementStore,
  MediaStore,
  RequestStore,
  RunCounts,
  RunProgress,
  RunStore,
  Store,
  ValueStore,
} from '../../cache/store.js'
import { scanSamples } from './scan-samples.js'
import { memoryBatches } from './memory-batches.js'
import { MemoryData, type StoredRun } from './memory-data.js'
import type { MemoryHandle } from './memory-handle.js'
import { collectMemoryGarbage } from './memory-garbage.js'
import { memoryJobs, memoryTokens } from './memory-jobs.js'
import { memoryJudgements } from './memory-judgements.js'
import { memoryLabels } from './memory-labels.js'
import { memoryRequests } from './memory-requests.js'

/**
 * The simplest implementation of a store, for tests: maps that several handles can share. It passes the same conformance suite as users' stores.
 * Its contents are lost when the process ends.
 */
export class MemoryStore implements Store {
  readonly location = 'memory'
  readonly workFolder: string
  readonly readOnly = false
  readonly runs: RunStore
  readonly docs: DocStore
  readonly requests: RequestStore
  readonly judgements: JudgementStore
  readonly samples: Store['samples']
  readonly media: MediaStore
  readonly files: FileStore
  readonly batches: Store['batches']
  readonly values: ValueStore
  readonly labels: Store['labels']
  readonly jobs: Store['jobs']
  readonly tokens: Store['tokens']
  readonly upkeep: Store['upkeep']
  readonly data: MemoryData
  readonly owner: string
  /** Resolves when an answer is durable. */
  disk: Promise<void> = Promise.resolve()
  #isOpen = true
  #ownCommits = 0

  /** @param owner the process of this handle. Handles of one owner share its leases */
  constructor(data = new MemoryData(), owner = 'here', workFolder = '/nowhere') {
    this.data = data
    this.owner = owner
    this.workFolder = workFolder
    data.admit(owner)
    const handle: MemoryHandle = {
      data,
      owner,
      read: work =>
        Promise.resolve().then(() => {
          this.#expectOpen()
          return work()
        }),
      write: async (work, kept) => {
        this.#expectOpen()
        const value = work()
        data.commits += 1
        this.#ownCommits += 1
        if (kept === undefined) return value
        kept()
        await this.disk
        return value
      },
    }
    this.runs = memoryRuns(handle)
    this.docs = memoryDocs(handle)
    this.requests = memoryRequests(handle)
    this.judgements = memoryJudgements(handle)
    this.samples = scanSamples(this)
    this.batches = memoryBatches(handle)
    this.labels = memoryLabels(handle, (run, judgement) => this.judgements.samples(run, judgement))
    this.jobs = memoryJobs(handle)
    this.tokens = memoryTokens(handle)
    this.media = memoryMedia(handle)
    this.files = memoryFiles(handle)
    this.values = {
      get: name => handle.read(() => parsed(data.values.get(name))),
      set: (name, value) =>
        handle.write(() => {
          if (value === undefined) data.values.delete(name)
          else data.values.set(name, canonicalJson(value))
        }),
      update: (name, change) =>
        handle.write(() => {
          const { value, told } = change(parsed(data.values.get(name)), Date.now())
          data.values.set(name, canonicalJson(value))
          return told
        }),
    }
    this.upkeep = {
      stats: () =>
        handle.read(() => ({
          runs: data.runs.size,
          requests: data.requests.size,
          responses: data.responses.size,
          scores: data.scores.size,
          failures: data.failures.length,
          media: {
            files: data.media.size,
            bytes: [...data.media.values()].reduce((sum, { length }) => sum + length, 0),
          },
          databaseBytes: 0,
        })),
      freeBytes: () => Promise.resolve(undefined),
      verify: ({ repair }) =>
        handle.read(() => ({
          checked: { request: data.requests.size, response: data.responses.size, media: data.media.size },
          damaged: [],
          repaired: repair,
        })),
      collectGarbage: query => handle.write(() => collectMemoryGarbage(data, owner, query)),
    }
  }

  probe(): Promise<void> {
    return Promise.resolve()
  }

  dataVersion(): Promise<number> {
    return Promise.resolve(this.data.commits - this.#ownCommits)
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.data.leave(this.owner)
    await this.disk
  }

  #expectOpen(): void {
    if (!this.#isOpen) throw new PipelineError('store', 'the store is closed already: open it again to use it')
  }
}

const parsed = (text: string | undefined): Json | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as Json)

/** Adds the run of a spec, or finds it. */
export function addRun(data: MemoryData, spec: RunSpec, provenance: RunProvenance): { run: Run; isNew: boolean } {
  const { key: id } = runKey(spec)
  const known = [...data.runs.values()].find(({ run }) => run.id === id)
  if (known !== undefined) return { run: known.run, isNew: false }
  const ref = ++data.numbers.run
  const started = data.latestStart()
  const plain = JSON.parse(JSON.stringify({ spec, provenance })) as { spec: RunSpec; provenance: RunProvenance }
  const run: Run = {
    ref,
    id,
    name: runName(id),
    asked: plain.spec,
    provenance: plain.provenance,
    createdAt: started,
  }
  data.runs.set(ref, { run, started, items: [], progress: new Map(), files: new Map(), readers: new Map() })
  return { run, isNew: true }
}

const byStart = (data: MemoryData): readonly Run[] =>
  [...data.runs.values()].sort((a, b) => a.started - b.started || a.run.ref - b.run.ref).map(({ run }) => run)

const memoryRuns = ({ data, owner, read, write }: MemoryHandle): RunStore => ({
  create: (spec, provenance) => write(() => addRun(data, spec, provenance)),
  find: id => read(() => [...data.runs.values()].find(({ run }) => run.id === id)?.run),
  names: () =>
    read(() =>
      byStart(data)
        .map(({ id, name }) => ({ id, name }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    ),
  page: ({ text = '', offset = 0, limit }) =>
    read(() => {
      const found = byStart(data)
        .filter(({ asked }) => asked.judge === undefined && asked.rounds === undefined)
        .filter(run => text.split(/\s+/).every(word => wordsOf(run).includes(word.toLowerCase())))
        .reverse()
      return { runs: found.slice(offset, offset + limit), total: found.length }
    }),
  list: () => read(() => byStart(data)),
  newest: () => read(() => byStart(data).at(-1)),
  remove: run => write(() => data.removeRun(run.ref)),
  tags: () => read(() => new Map([...data.tags].filter(([, tags]) => tags.length > 0))),
  tag: (run, change) =>
    write(() => {
      const tags = changedTags(data.tags.get(run.ref) ?? [], change)
      data.tags.set(data.run(run).run.ref, tags)
      return tags
    }),
  touch: run => write(() => void (data.run(run).started = data.latestStart() + 1)),
  counts: run => read(() => countsOf(data, data.run(run))),
  progress: run => read(() => progressOf(data, data.run(run))),
  workedOn: () => read(() => byStart(data).filter(run => isWorkedOn(data, run))),
  isWorkedOnElsewhere: run =>
    read(() => [...(data.working.get(run.ref) ?? [])].some(other => other !== owner && data.isAlive(other))),
  workers: () =>
    read(() =>
      [...data.owners].flatMap(([name, { pid, silentMs, isAlive, answers }]) => {
        const items = [...data.leases.values()].filter(lease => lease.owner === name).length
        const runs = [...data.working].flatMap(([run, owners]) => (owners.has(name) ? [run] : []))
        const held = [...data.jobs.values()].filter(entry => entry.owner === name && entry.job.status === 'running')
        const jobs = held.map(({ job }) => job.id)
        if (runs.length + jobs.length === 0 || (!isAlive && items + jobs.length === 0)) return []
        return [
          { ...{ host: 'here', pid, isHere: true, items, silentMs }, isAlive, runs, jobs, answers, perSecond: answers },
        ]
      }),
    ),
  leave: run => write(() => data.leaveRun(run, owner)),
})

function wordsOf({ name, asked: { model, groups = [], tasks } }: Run): string {
  const args = Object.values(model.args).filter(value => typeof value === 'string')
  return [name, model.backend, ...args, ...[...groups, ...tasks].map(one => one.name)].join(' ').toLowerCase()
}

function countsOf(data: MemoryData, { run, items, progress }: StoredRun): RunCounts {
  const unanswered = items.filter(item => item.request === undefined || !data.responses.has(item.request))
  const failures = unanswered.flatMap(item => data.failureOf(item) ?? [])
  const asked = unanswered.flatMap(({ request }) => request ?? [])
  const failed: Partial<Record<FailureClass, number>> = {}
  for (const { failure } of failures) failed[failure.class] = (failed[failure.class] ?? 0) + 1
  const docsByTask = run.asked.tasks.map(
    (_, task) => new Set(items.filter(item => item.task === task).map(({ doc }) => doc)).size,
  )
  return {
    docs: docsByTask.reduce((sum, docs) => sum + docs, 0),
    docsByTask,
    items: items.length,
    answered: items.length - unanswered.length,
    failed,
    open: failures.filter(({ isPermanent }) => !isPermanent).length,
    pending: unanswered.length - failures.length,
    shared: asked.length - new Set(asked).size,
    inputFinished: run.asked.tasks.every((_, task) => progress.get(task)?.finished === true),
  }
}

const isWorkedOn = (data: MemoryData, run: Run): boolean =>
  [...(data.working.get(run.ref) ?? [])].some(owner => data.isAlive(owner))

function progressOf(data: MemoryData, stored: StoredRun): RunProgress {
  const { docs, items, answered, failed, inputFinished } = countsOf(data, stored)
  const judgements = [...data.judgements.values()].filter(({ judgement }) => judgement.run === stored.run.ref)
  const newest = judgements.sort((a, b) => a.judgement.number - b.judgement.number).at(-1)
  const times = stored.items.flatMap(({ request }) =>
    request === undefined ? [] : (data.responses.get(request)?.meta.answeredAt ?? []),
  )
  return {
    docs,
    items,
    answered,
    failed: Object.values(failed).reduce((sum, count) => sum + count, 0),
    scored: newest?.verdicts.size ?? 0,
    inputFinished,
    startedAt: stored.started,
    isWorkedOn: isWorkedOn(data, stored.run),
    ...(times.length === 0 ? {} : { lastAnswerAt: Math.max(...times) }),
  }
}

const memoryDocs = ({ data, owner, read, write }: MemoryHandle): DocStore => ({
  progress: (run, task) => read(() => data.run(run).progress.get(task) ?? { docs: 0, finished: false }),
  lease: (run, task) =>
    write(() => {
      data.work(run, owner)
      const { readers } = data.run(run)
      const reader = readers.get(task)
      if (reader !== undefined && reader !== owner && data.isAlive(reader)) return data.holder(reader, 0)
      readers.set(task, owner)
      return true
    }),
  commit: (run, task, docs, finished) => write(() => data.addDocs(run, { task, docs, finished })),
  recommit: (run, task, docs) =>
    write(() => {
      data.dropUnmade(
        run,
        task,
        docs.map(({ index }) => index),
      )
      data.addDocs(run, { task, docs, finished: false })
    }),
  indices: (run, task) =>
    read(() => {
      const docs = data.run(run).items.flatMap(item => (item.task === task ? [item.doc] : []))
      return [...new Set(docs)].sort((a, b) => a - b)
    }),
  async *requests(run, before = { task: Infinity, doc: 0 }, withTexts = false) {
    const items = await read(() =>
      data.run(run).items.filter(({ task, doc }) => task < before.task || (task === before.task && doc < before.doc)),
    )
    const requests = items.flatMap(({ request }) => (request === undefined ? [] : [data.requests.get(request)]))
    yield requests.flatMap(request => {
      if (request === undefined) return []
      const { input, config, sample } = request.keys
      return [{ input: input.key, config: config.key, draw: sample, ...(withTexts && { text: input.preimage }) }]
    })
  },
})

function memoryMedia({ data, read, write }: MemoryHandle): MediaStore {
  const add = (bytes: Uint8Array) =>
    write(() => {
      const digest = sha256<'media'>(bytes)
      const isNew = !data.media.has(digest)
      data.media.set(digest, Uint8Array.from(bytes))
      return { digest, bytes: bytes.length, isNew }
    })
  const find = (digest: MediaDigest): Uint8Array => {
    const bytes = data.media.get(digest)
    if (bytes === undefined) throw new Error(`medium ${digest} is not in the store`)
    return bytes
  }
  return {
    addBytes: add,
    addFile: async (path, content) => add(content?.bytes ?? (await readFile(path))),
    read: digest => read(() => find(digest)),
    encode: (digest, size, into) =>
      read(() => {
        const bytes = data.media.get(digest)
        return bytes?.length === size ? into.write(Buffer.from(bytes).toString('base64'), 'latin1') : undefined
      }),
    has: digest => read(() => data.media.has(digest)),
    openFile: async digest => {
      const bytes = await read(() => data.media.get(digest))
      if (bytes === undefined)
        throw Object.assign(new Error(`medium ${digest} is not in the store`), { code: 'ENOENT' })
      const path = join(await mkdtemp(join(tmpdir(), 'memory-medium-')), 'medium')
      await writeFile(path, bytes)
      return { path, [Symbol.asyncDispose]: () => rm(dirname(path), { recursive: true }) }
    },
    locate: digest => `memory:${digest}`,
    async *list() {
      for (const [digest, { length }] of await read(() => [...data.media])) yield { digest, bytes: length }
    },
    remove: digests =>
      write(() => {
        for (const digest of digests) data.media.delete(digest)
      }),
  }
}

function memoryFiles({ data, read, write }: MemoryHandle): FileStore {
  const stateOf = async (path: string): Promise<string> => {
    const { size, mtimeMs } = await stat(path)
    return `${size} ${mtimeMs}`
  }
  const digest = async (path: string): Promise<FileDigest> => {
    const state = await stateOf(path)
    const known = data.fileDigests.get(path)
    if (known?.state === state) return known.digest
    const found = sha256<'file'>(await readFile(path))
    await write(() => void data.fileDigests.set(path, { state, digest: found }))
    return found
  }
  const digestNow = (path: string): Promise<FileDigest | undefined> =>
    digest(path).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error
      return undefined
    })
  return {
    digest,
    async knownDigest(path) {
      const state = await stateOf(path)
      const known = await read(() => data.fileDigests.get(path))
      return known?.state === state ? known.digest : undefined
    },
    async changed(run) {
      const files = await read(() => [...data.run(run).files].sort(([a], [b]) => (a < b ? -1 : 1)))
      const now = await Promise.all(files.map(([path]) => digestNow(path)))
      return files.flatMap(([path, before], index) =>
        (now[index] as string | undefined) === before ? [] : [{ path, digest: now[index] as string as MediaDigest }],
      )
    },
  }
}
