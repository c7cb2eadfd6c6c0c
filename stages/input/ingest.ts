import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Wake } from '../../base/time/wake.js'
import type { Emit, StageEvent } from '../../cache/events.js'
import type { FailureClass, GenerationKwargs, Input, JudgeRecord, Run } from '../../cache/records.js'
import type { DraftDoc, Holder, Store } from '../../cache/store.js'
import { batches, draftDocs, type DraftOptions, draftParts } from './doc-batches.js'
import type { PlacedDoc } from './draft-doc.js'
import { isGenerated } from './generation-kwargs.js'
import { generationFor } from './generation.js'
import { type MediaIntake, openMediaIntake } from './media/media-intake.js'
import { holdFiles, type PreparedTask, prepareTask } from './prepare-task.js'
import type { Prompting } from './prompting.js'
import { followOf, type RoundRules } from './rounds/round-rules.js'
import { type DocRange, rangeOf, type Selection } from './selection.js'
import type { Task } from './tasks/task.js'

export type { Selection } from './selection.js'

interface Ingest {
  readonly store: Store
  readonly run: Run
  /** Index of the task within the run. */
  readonly taskIndex: number
  readonly task: Task
  readonly selection: Selection
  readonly prompting?: Prompting
  /** Overrides the task's own generation kwargs. */
  readonly generation?: GenerationKwargs
  /** Tools that the model may call. */
  readonly tools?: RoundRules['tools']
  /** Number of tasks that are read at the same time, this one included. @default 1 */
  readonly readers?: number
  /** Notified after each commit. */
  readonly wake: Wake
  /** When aborted, commits what has begun and returns. */
  readonly drain: AbortSignal
  readonly emit: Emit
}

/**
 * Docs in one commit where several tasks are read. Requests are sent in the order of commits, so small commits make
 * tasks take turns.
 */
const sharedBatchDocs = 50

/**
 * Streams a task's docs into the store, and continues where an earlier process stopped. Returns when all are
 * committed, or when `drain` is aborted. While another living process reads them, it waits. Begin here to read the
 * input stage: `prepareTask` opens the dataset, `batches` renders, `draftDoc` makes requests.
 *
 * @throws PipelineError where the dataset is missing, damaged or does not fit the task.
 */
export async function ingestTask(ingest: Ingest): Promise<void> {
  try {
    await readTask(ingest)
  } catch (error) {
    // Draining also aborts a download that is not needed any more.
    if (!(ingest.drain.aborted && error instanceof Error && error.name === 'AbortError')) throw error
  }
}

async function readTask(ingest: Ingest): Promise<void> {
  const { store, run, taskIndex, task, emit, drain } = ingest
  if (!(await leaseOrWait(ingest))) return
  const prepared = await preparedFor(ingest)
  const media = openMediaIntake(store.media, prepared.dataset.media)
  const options = draftOptions(ingest, media)
  const range = await rangeOf(ingest.selection, prepared, task.name)
  emit({ type: 'task-opened', task: task.name, ...docsIn(range, prepared.count) })
  const progress = await store.docs.progress(run, taskIndex)
  let seenMedia = 0
  const commit = async (batch: readonly PlacedDoc[], finished: boolean): Promise<void> => {
    await prepared.dataset.watched.check()
    for await (const { docs, isLast } of draftParts(batch, options)) {
      await store.docs.commit(run, taskIndex, docs, finished && isLast)
      ingest.wake.notify()
      const requests = docs.reduce((sum, doc) => sum + doc.requests.length, 0)
      const newMedia = media.newMedia() - seenMedia
      emit({ type: 'docs-read', task: task.name, docs: docs.length, requests, newMedia, ...unmade(docs) })
      seenMedia = media.newMedia()
    }
  }
  let last: readonly PlacedDoc[] = []
  const most = (ingest.readers ?? 1) > 1 ? sharedBatchDocs : undefined
  for await (const batch of batches(prepared, { ...range, start: Math.max(range.start, progress.docs) }, most)) {
    if (last.length > 0) await commit(last, false)
    last = batch
    if (drain.aborted) return
    await setImmediate()
  }
  await commit(last, true)
}

/** Counts the requests that could not be made, by failure class. */
function unmade(docs: readonly DraftDoc[]): Pick<Extract<StageEvent, { type: 'docs-read' }>, 'failed'> {
  const failed: Partial<Record<FailureClass, number>> = {}
  for (const { requests } of docs)
    for (const request of requests)
      if ('failure' in request) failed[request.failure.class] = (failed[request.failure.class] ?? 0) + 1
  return Object.keys(failed).length === 0 ? {} : { failed }
}

/** Prepares a task and verifies that its files are those that the run was planned with. */
async function preparedFor({ store, run, taskIndex, task, prompting }: Ingest): Promise<PreparedTask> {
  const prepared = await prepareTask(task, prompting)
  const planned = run.asked.tasks[taskIndex]
  if (planned !== undefined) await holdFiles(prepared, planned.dataset, store.files)
  return prepared
}

/**
 * Reads docs again that had no valid request, since a missing medium may be there now. Returns when their new
 * requests are committed.
 *
 * @throws PipelineError where the dataset is missing, damaged or does not fit the task.
 */
export async function reingestDocs(ingest: Ingest, docs: ReadonlySet<number>): Promise<void> {
  const { store, run, taskIndex, drain } = ingest
  if (docs.size === 0) return
  const prepared = await preparedFor(ingest)
  const options = draftOptions(ingest, openMediaIntake(store.media, prepared.dataset.media))
  let [start, end] = [Infinity, 0]
  for (const index of docs) [start, end] = [Math.min(start, index), Math.max(end, index + 1)]
  const range = { start, end, only: docs }
  for await (const batch of batches(prepared, range)) {
    if (drain.aborted) return
    await prepared.dataset.watched.check()
    await store.docs.recommit(run, taskIndex, await draftDocs(batch, options))
    ingest.wake.notify()
  }
}

/**
 * Yields the docs of a task in batches as they would be committed, without committing them.
 *
 * @param store only its media are used, to name them
 * @throws PipelineError where the dataset is missing, damaged or does not fit the task.
 */
export async function* readDrafts(
  reading: Omit<Ingest, 'store' | 'run' | 'taskIndex' | 'wake' | 'emit'> & { readonly store: Pick<Store, 'media'> },
): AsyncGenerator<readonly DraftDoc[]> {
  const { store, task, drain } = reading
  const prepared = await prepareTask(task, reading.prompting)
  const options = draftOptions(reading, openMediaIntake(store.media, prepared.dataset.media))
  for await (const batch of batches(prepared, await rangeOf(reading.selection, prepared, task.name))) {
    if (drain.aborted) return
    yield await draftDocs(batch, options)
    await setImmediate()
  }
}

/** Returns how many docs will be read, where that is known. */
function docsIn({ start, end, only }: DocRange, count: number | undefined): { docs?: number } {
  const last = Math.min(end, count ?? Infinity)
  if (!Number.isFinite(last)) return {}
  if (only === undefined) return { docs: Math.max(0, last - start) }
  let docs = 0
  for (let index = start; index < last; index++) if (only.has(index)) docs++
  return { docs }
}

const draftOptions = (
  {
    task,
    generation,
    selection,
    prompting,
    tools,
    readers,
  }: Omit<Ingest, 'store' | 'run' | 'taskIndex' | 'wake' | 'emit'>,
  media: MediaIntake,
): DraftOptions => ({
  task,
  media,
  readers,
  generation: { ...generationFor(task, prompting), ...generation },
  ...(selection.firstSample === undefined ? {} : { firstSample: selection.firstSample }),
  repeats: prompting?.repeats,
  rounds: roundRules(task, prompting, tools),
})

function roundRules(task: Task, prompting: Prompting | undefined, tools: RoundRules['tools']): RoundRules {
  const follow = followOf(task, prompting)
  return {
    ...(follow === undefined ? {} : { by: follow.by.key }),
    ...(tools === undefined || !isGenerated(task.config.output_type)
      ? {}
      : { tools, repeatTools: task.config.repeat_tools }),
  }
}

/** A doc as it would be requested and judged now. */
interface ReadRecord {
  readonly index: number
  /** One input a choice, in order; empty where no request could be made. */
  readonly inputs: readonly Input[]
  readonly record: JudgeRecord
}

/**
 * Yields the docs as the task renders them now, without committing them, for rescoring after targets have changed.
 */
export async function* readRecords(options: {
  readonly store: Store
  readonly task: Task
  readonly selection: Selection
  readonly prompting?: Prompting
}): AsyncGenerator<ReadRecord> {
  const { store, task } = options
  const prepared = await prepareTask(task, options.prompting)
  const media = openMediaIntake(store.media, prepared.dataset.media)
  for await (const batch of batches(prepared, await rangeOf(options.selection, prepared, task.name)))
    for (const { index, record, requests } of await draftDocs(batch, { task, media, generation: task.generation })) {
      const inputs = requests.flatMap(request => ('input' in request && request.sample === 0 ? [request.input] : []))
      yield { index, inputs, record }
    }
}

/** Milliseconds between checks of another reader's progress. */
const shortestWait = 50
const longestWait = 2_000
/** Milliseconds after which a note says who is waited for. Living readers renew their lease more often than this. */
const tellAfter = 20_000

/**
 * Takes the lease on a task's docs, and waits while another process holds it. Returns `false` where the docs are
 * complete or `drain` is aborted.
 */
async function leaseOrWait({
  store,
  run,
  taskIndex,
  task,
  drain,
  emit,
}: {
  readonly store: Pick<Store, 'docs'>
  readonly run: Run
  readonly taskIndex: number
  readonly task: Task
  readonly drain: AbortSignal
  readonly emit: Emit
}): Promise<boolean> {
  let waited = 0
  for (let wait = shortestWait; !drain.aborted; wait = Math.min(longestWait, 2 * wait)) {
    if ((await store.docs.progress(run, taskIndex)).finished) return false
    const reader = await store.docs.lease(run, taskIndex)
    if (reader === true) return !(await store.docs.progress(run, taskIndex)).finished
    if (waited < tellAfter && waited + wait >= tellAfter) emit({ type: 'note', text: waitsFor(reader, task) })
    waited += wait
    await setTimeout(wait, undefined, { signal: drain }).catch((error: unknown) => {
      if (!drain.aborted) throw error
    })
  }
  return false
}

function waitsFor({ host, pid, isHere, silentMs }: Holder, { name }: Task): string {
  const who = `process ${pid}${isHere ? '' : ` on ${host}`}`
  const silent =
    silentMs < tellAfter
      ? ''
      : ` It was not heard of for ${Math.round(silentMs / 1_000)} s; at 60 s its place is taken.`
  return `task ${name}: ${who} reads its docs, and this one waits for it.${silent}`
}
