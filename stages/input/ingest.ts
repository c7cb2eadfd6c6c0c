import { setImmediate } from 'node:timers/promises'
import { untilAborted } from '../../base/time/outside-wait.js'
import type { Wake } from '../../base/time/wake.js'
import { type Emit, type StageEvent, tellWait } from '../../cache/events.js'
import type { FailureClass, GenerationKwargs, Run } from '../../cache/records.js'
import type { DraftDoc, Store } from '../../cache/store.js'
import type { MediaFiles } from './datasets/media/media-files.js'
import { batches, draftDocs, type DraftOptions, draftParts } from './doc-batches.js'
import { leaseOrWait } from './doc-lease.js'
import { DrawCounter, type TaskDraws } from './draws.js'
import type { PlacedDoc } from './draft-doc.js'
import { readInOrder, type DocOrder } from './selection/ordered-docs.js'
import { isGenerated } from './generation-kwargs.js'
import { isRenamed } from './doc-names.js'
import { generationFor } from './generation.js'
import { type IntakeStore, type MediaIntake, namingIntake, openMediaIntake } from './media/media-intake.js'
import { holdFiles, type PreparedTask, prepareTask } from './prepare-task.js'
import type { Prompting } from './prompting.js'
import { findFollowFunction, type RoundRules } from './rounds/round-rules.js'
import type { DocRange } from './selection/doc-range.js'
import { computeDocRange, listDocs, type Selection, takeShard, computeWholeRange } from './selection/selection.js'
import { AbsentFields } from './render/absent-fields.js'
import type { Task } from './tasks/task.js'

export type { Selection } from './selection/selection.js'

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
  /** Numbers the draws of sampled answers. @default each request has the number of its sample */
  readonly draws?: TaskDraws | undefined
  /** Reads docs in a seeded order, until there are enough. @default all docs, in the order of the dataset */
  readonly order?: DocOrder | undefined
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
export const ingestTask = (ingest: Ingest): Promise<void> => untilDrained(ingest.drain, () => readTask(ingest))

/** Runs `work`. Draining also aborts a download that is not needed any more, which is no error. */
async function untilDrained(drain: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(drain.aborted && error instanceof Error && error.name === 'AbortError')) throw error
  }
}

async function readTask(ingest: Ingest): Promise<void> {
  const { store, run, taskIndex, task, emit, drain, draws } = ingest
  const isOpen = await leaseOrWait(ingest)
  if (!isOpen && (drain.aborted || (await draws?.isNeeded()) !== true)) return
  const prepared = await preparedFor(ingest)
  const files = endedBy(drain, prepared.dataset.media)
  const media = openMediaIntake(store.media, files, store.values)
  const names = draws?.counted && namingIntake(store, files, { media, turned: store.values })
  const options = { ...draftOptions(ingest, media), names }
  const whole = await computeWholeRange(ingest.selection, prepared, task.name)
  const range = takeShard(whole, ingest.selection.shard)
  emit({ type: 'task-opened', task: task.name, ...docsIn(range, prepared.count) })
  for (const text of prepared.renderer.notes) emit({ type: 'note', text })
  const progress = await store.docs.progress(run, taskIndex)
  await draws?.turn
  const counter = draws && drawCounter(options, run, draws)
  // A part of the docs has the draws that it has in the whole run, so the docs of other parts are counted, too.
  const counted = draws?.counted && whole
  if (ingest.order !== undefined) await counter?.skipUsed(store, run)
  else if (counted === undefined) await counter?.countBefore(store, run, { task: taskIndex, doc: progress.docs })
  const isOwn = ({ index }: { readonly index: number }): boolean =>
    isOpen &&
    (ingest.order !== undefined || index >= progress.docs) &&
    index >= range.start &&
    index < range.end &&
    range.only?.has(index) !== false
  let seenMedia = 0
  const renamed = { docs: 0, example: '' }
  const absent = new AbsentFields()
  const commit = async (batch: readonly PlacedDoc[], finished: boolean): Promise<void> => {
    for (const doc of batch) {
      if (!isOwn(doc)) continue
      if (doc.rendered.type === 'rendered') absent.add(doc.rendered.absent, doc.id)
      if (isRenamed(doc) && ++renamed.docs === 1) renamed.example = doc.id
    }
    await prepared.dataset.watched.check()
    for await (const { docs: drafts, isLast } of draftParts(batch, options, isOwn)) {
      const docs = (counter ? drafts.map(doc => counter.number(doc)) : drafts).filter(isOwn)
      if (docs.length < drafts.length && docs.length === 0 && !(isOpen && finished && isLast)) continue
      const { answered, shared } = await store.docs.commit(run, taskIndex, docs, finished && isLast)
      ingest.wake.notify()
      const requests = docs.reduce((sum, doc) => sum + doc.requests.length, 0)
      const newMedia = media.newMedia() - seenMedia
      emit({
        type: 'docs-read',
        task: task.name,
        docs: docs.length,
        requests,
        shared,
        newMedia,
        ...countFailures(docs),
      })
      if (answered > 0) emit({ type: 'from-store', requests: answered })
      seenMedia = media.newMedia()
    }
  }
  const most = (ingest.readers ?? 1) > 1 ? sharedBatchDocs : undefined
  const read = counted ?? { ...range, start: Math.max(range.start, progress.docs) }
  const what = `the next doc of task ${task.name}`
  const wait = { what, signal: drain, onSlow: tellWait(emit, what) }
  const readRange = async (docs: DocRange, isLast: boolean): Promise<void> => {
    let last: readonly PlacedDoc[] = []
    for await (const batch of untilAborted(batches(prepared, docs, most), wait)) {
      if (last.length > 0) await commit(last, false)
      last = batch
      if (drain.aborted) return
      await setImmediate()
    }
    await commit(last, isLast)
  }
  if (ingest.order === undefined) await readRange(read, true)
  else
    await readInOrder(await listDocs(ingest.selection, prepared, task.name), {
      ...{ order: ingest.order, seed: ingest.selection.subsetSeed ?? 0, progress: progress.docs, drain },
      stored: await store.docs.indices(run, taskIndex),
      read: docs => readRange(docs, false),
      finish: () => commit([], true),
    })
  for (const text of absent.describe(task.name)) emit({ type: 'note', text, isUrgent: true })
  if (drain.aborted) return
  if (renamed.docs > 0)
    emit({
      type: 'note',
      text: `${task.name}: ${renamed.docs} ${renamed.docs === 1 ? 'doc has the id' : 'docs have ids'} of earlier docs, so their index is added: ${renamed.example}`,
    })
}

/** The same files, whose downloads end when `drain` is aborted. */
const endedBy = (drain: AbortSignal, files: MediaFiles): MediaFiles => ({
  ...files,
  locate: name => files.locate(name, drain),
})
const drawCounter = ({ rounds }: DraftOptions, run: Run, { counted }: Pick<TaskDraws, 'counted'>): DrawCounter =>
  new DrawCounter(run, { isFollowed: rounds?.by !== undefined, counts: counted })

/** Counts the requests that could not be made, by failure class. */
function countFailures(docs: readonly DraftDoc[]): Pick<Extract<StageEvent, { type: 'docs-read' }>, 'failed'> {
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
  if (docs.size > 0) await untilDrained(ingest.drain, () => readDocsAgain(ingest, docs))
}

async function readDocsAgain(ingest: Ingest, docs: ReadonlySet<number>): Promise<void> {
  const { store, run, taskIndex, drain } = ingest
  const prepared = await preparedFor(ingest)
  const files = endedBy(drain, prepared.dataset.media)
  const options = draftOptions(ingest, openMediaIntake(store.media, files, store.values))
  let [start, end] = [Infinity, 0]
  for (const index of docs) [start, end] = [Math.min(start, index), Math.max(end, index + 1)]
  const range = { start, end, only: docs }
  await ingest.draws?.turn
  const counter = ingest.draws && drawCounter(options, run, {})
  // Docs behind these may have been numbered without them.
  await counter?.skipUsed(store, run)
  for await (const batch of batches(prepared, range)) {
    if (drain.aborted) return
    await prepared.dataset.watched.check()
    const drafts = await draftDocs(batch, options)
    await store.docs.recommit(run, taskIndex, counter ? drafts.map(doc => counter.number(doc)) : drafts)
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
  reading: Omit<Ingest, 'store' | 'run' | 'taskIndex' | 'wake' | 'emit'> & {
    readonly store: { readonly media: IntakeStore }
  },
): AsyncGenerator<readonly DraftDoc[]> {
  const { store, task, drain } = reading
  const prepared = await prepareTask(task, reading.prompting)
  const options = draftOptions(reading, openMediaIntake(store.media, endedBy(drain, prepared.dataset.media)))
  for await (const batch of batches(prepared, await computeDocRange(reading.selection, prepared, task.name))) {
    if (drain.aborted) return
    yield await draftDocs(batch, options)
    await setImmediate()
  }
}

/** Returns how many docs will be read, where that is known. Of a dataset that does not tell its size, at most so many are read. */
function docsIn(
  { start, end, only }: DocRange,
  count: number | undefined,
): Pick<Extract<StageEvent, { type: 'task-opened' }>, 'docs' | 'isAtMost'> {
  const last = Math.min(end, count ?? Infinity)
  if (!Number.isFinite(last)) return {}
  const rough = count === undefined ? { isAtMost: true as const } : {}
  if (only === undefined) return { docs: Math.max(0, last - start), ...rough }
  let docs = 0
  for (let index = start; index < last; index++) if (only.has(index)) docs++
  return { docs, ...rough }
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
  ...(prompting?.showsTarget === true && { showsTarget: true }),
})

function roundRules(task: Task, prompting: Prompting | undefined, tools: RoundRules['tools']): RoundRules {
  const follow = findFollowFunction(task, prompting)
  return {
    ...(follow === undefined ? {} : { by: follow.by.key }),
    ...(tools === undefined || !isGenerated(task.config.output_type)
      ? {}
      : { tools, repeatTools: task.config.repeat_tools }),
  }
}
