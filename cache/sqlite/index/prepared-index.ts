import { PipelineError } from '../../../base/errors/errors.js'
import { lowerIsBetter } from '../../facts/sample-facts.js'
import type { SqliteDatabase } from '../connection/database.js'
import type {
  DocPlace,
  DocsQuestion,
  Facet,
  FoundDocs,
  FoundHistograms,
  FoundSample,
  FoundSamples,
  OpenedRun,
  SamplePageQuestion,
  SampleQuestion,
} from '../../store.js'
import type { BuildDatabases } from './building/build-columns.js'
import { targetName, makeBuildTarget } from './building/build-target.js'
import type { Columns } from './columns.js'
import { addPrepared, countFirst, DocsOfRuns, makeRunPart } from './docs-of-runs.js'
import { facetsOfAggregates, facetsOfColumns } from './facets.js'
import { discardIndex, isDamage, openIndexFile } from './building/index-file.js'
import { IndexMoves } from './index-moves.js'
import {
  canStartThread,
  IndexThreads,
  SameThread,
  type IndexHands,
  type IndexedStore,
} from './building/index-threads.js'
import { createPieceHash } from './building/index-work.js'
import { countMeasures } from './measures.js'
import { findTexts } from './searching/find-texts.js'
import { otherValues } from './pairing.js'
import { keepLast, RunColumns } from './run-columns.js'
import { Searches } from './searching/searches.js'
import { Places } from './places.js'
import { atPositions, RunMarks } from './run-marks.js'
import { anyKind, isPlain, select, type Selectable } from './select.js'
import { firstColumns } from './building/read-facts.js'
import { readRunStamp, type IndexSource } from './source/index-source.js'
import { type RowSum, createRowSum } from '../../rows/sums.js'

/** The maximum memory of columns and selections. A run of a million samples takes about 70 MB. */
const mostBytes = 200 * 2 ** 20
/** The time that a first filter waits for the preparation of a small run, and a search for its last hits. */
const waitMs = 250
const smallRun = 20_000
const mostSelections = 8

/** The sample index. It is built in the background and stored in a file beside the store. See docs/decisions/view-index.md. */
export class PreparedIndex {
  readonly #file: string
  readonly #source: IndexSource
  readonly #hands: IndexHands
  readonly #searches: Searches
  readonly #tools: Tools
  /** The least recently used come first. */
  readonly #runs = new Map<string, RunColumns>()
  readonly #marks: RunMarks
  readonly #docs = new DocsOfRuns()
  readonly #moves = new IndexMoves()
  #index: SqliteDatabase
  #failure: string | undefined

  private constructor({ file, openSource, labels, thread }: IndexedStore, source: IndexSource, tools: Tools) {
    this.#file = file
    this.#tools = tools
    this.#index = openIndexFile(file)
    this.#source = source
    this.#marks = new RunMarks({ labels })
    const wakeWaiters = (failure?: string): void => {
      this.#failure = failure ?? this.#failure
      this.#moves.notify()
    }
    this.#hands = canStartThread(thread)
      ? new IndexThreads(thread, wakeWaiters)
      : new SameThread({ openSource, file }, wakeWaiters)
    this.#searches = new Searches(this.#hands, file)
  }

  static async open(store: IndexedStore): Promise<PreparedIndex> {
    const [sum, hash] = await Promise.all([createRowSum(), createPieceHash()])
    return new PreparedIndex(store, await store.openSource(), { sum, hash })
  }

  async find(
    opened: OpenedRun,
    question: SamplePageQuestion,
    against?: OpenedRun,
    signal?: AbortSignal,
  ): Promise<FoundSamples> {
    const run = this.#run(opened)
    const { offset, limit } = question
    if (isPlain(question) && !(await this.#isCurrent(run))) {
      this.prepare(opened)
      const places = await this.#source.listPlaces(run.target, offset, limit)
      const total = await this.#source.countSamples(run.target)
      return { total, ...(await this.#page(opened, run, { offset, places }, against)) }
    }
    const { positions, columns, text } = await this.#find(opened, question, against, signal)
    const places = new Places(columns)
    const page = [...positions.subarray(offset, offset + limit)].map(position => places.at(position))
    const shown = await this.#page(opened, run, { offset, places: page, ...(text !== undefined && { text }) }, against)
    return { total: positions.length, ...shown }
  }

  async findDocs(runs: readonly OpenedRun[], question: DocsQuestion, signal?: AbortSignal): Promise<FoundDocs> {
    const { kind, counted, sort, offset, limit, ...filter } = question
    const matches = await Promise.all(runs.map(run => this.#find(run, { ...filter, kind: anyKind }, undefined, signal)))
    const parts = matches.map(({ columns, positions }, at) => makeRunPart(runs[at], columns, positions))
    const prepared = await Promise.all(runs.map((run, at) => this.#prepared(this.#run(run), matches[at]?.text)))
    return {
      ...this.#docs.find(parts, { kind, counted, sort, offset, limit }),
      prepared: addPrepared(prepared),
      offset,
    }
  }

  async facets(opened: OpenedRun): Promise<readonly Facet[]> {
    const run = this.#run(opened)
    if (await this.#isCurrent(run)) return facetsOfColumns(run.columns)
    this.prepare(opened)
    return facetsOfAggregates(opened.judgement?.aggregates ?? [])
  }

  async histograms(opened: OpenedRun, question: SampleQuestion, signal?: AbortSignal): Promise<FoundHistograms> {
    const { positions, columns, text } = await this.#find(opened, question, undefined, signal)
    const prepared = countFirst(await this.#prepared(this.#run(opened), text), columns.length)
    return { prepared, histograms: countMeasures(columns, positions) }
  }

  async position(opened: OpenedRun, question: SampleQuestion, place: DocPlace, against?: OpenedRun): Promise<number> {
    const { positions, columns } = await this.#find(opened, question, against)
    const wanted = new Places(columns).position(place)
    return wanted === -1 ? -1 : positions.indexOf(wanted)
  }

  prepare(opened: OpenedRun): void {
    this.#hands.prepare(makeBuildTarget(opened))
  }

  async close(): Promise<void> {
    this.#searches.forget()
    await this.#hands.close()
    this.#index.close()
    await this.#source.close()
  }

  /** Makes a page of samples, with the progress of the preparation. */
  async #page(
    opened: OpenedRun,
    run: RunColumns,
    of: {
      readonly offset: number
      readonly places: readonly DocPlace[]
      readonly text?: number
    },
    against: OpenedRun | undefined,
  ): Promise<Omit<FoundSamples, 'total'>> {
    const marks = await this.#marks.of(opened, await this.#source.version())
    const others = against === undefined ? undefined : this.#others(run, against)
    const makeFoundSample = (place: DocPlace): FoundSample => {
      const marked = marks.get(`${place.task}/${place.index}`)
      const other = others?.[run.places.position(place)] ?? NaN
      return {
        ...place,
        ...(others !== undefined && { otherValue: Number.isNaN(other) ? null : other }),
        ...(marked !== undefined && { marked }),
      }
    }
    return {
      prepared: await this.#prepared(run, of.text, against),
      offset: of.offset,
      samples: of.places.map(makeFoundSample),
    }
  }

  /** Counts prepared samples, for a comparison in both runs. If a run has changed since, its last sample counts as missing. */
  async #prepared(
    run: RunColumns,
    searched = run.text?.samples ?? 0,
    against?: OpenedRun,
  ): Promise<FoundSamples['prepared']> {
    const isCurrent = await this.#isCurrent(run)
    const of = isCurrent ? run.columns.length : await this.#source.countSamples(run.target)
    const most = isCurrent ? of : Math.max(0, of - 1)
    const filters = Math.min(run.columns.length, most)
    const text = Math.min(searched, most)
    if (against === undefined) return { of, filters, text }
    const other = this.#run(against)
    const share = (await this.#isCurrent(other))
      ? 1
      : other.columns.length / ((await this.#source.countSamples(other.target)) + 1)
    return { of, filters: Math.floor(filters * share), text }
  }

  async #find(
    opened: OpenedRun,
    question: SampleQuestion,
    against: OpenedRun | undefined,
    signal?: AbortSignal,
  ): Promise<{ readonly positions: Int32Array; readonly columns: Columns; readonly text?: number }> {
    const run = await this.#waitFor(opened, question, signal)
    if (against !== undefined) await this.#waitFor(against, {}, signal)
    if (run.columns.length === 0 && this.#failure !== undefined)
      throw new PipelineError('store', `the index of samples in ${this.#file} cannot be written: ${this.#failure}`)
    const columns = run.columns.length > 0 ? run.columns : await firstColumns(this.#source, run.target, this.#tools.sum)
    const places = new Places(columns)
    const marks = atPositions(await this.#marks.of(opened, await this.#source.version()), places)
    const others = against === undefined ? undefined : this.#others(run, against)
    const from: Selectable = {
      columns,
      tasks: opened.run.asked.tasks.map(({ name }) => name),
      isLowerBetter: lowerIsBetter(opened.judgement?.aggregates),
      marks,
      ...(others && { others }),
    }
    const searched = await findTexts({ searches: this.#searches, store: this.#source, run, from }, question, signal)
    const { kind, task, labels, marked, ranges, q, sort, descending } = question
    const key = JSON.stringify([
      ...[run.version, columns.length, kind.name, task, labels, marked, ranges, q, sort, descending],
      ...[
        against && this.#run(against).version,
        against && targetName(makeBuildTarget(against)),
        searched?.state,
        [...marks],
      ],
    ])
    const remembered = run.selections.get(key)
    const positions = remembered ?? select({ ...from, ...(searched && { found: searched.found() }) }, question)
    if (columns === run.columns) keepLast(run.selections, key, positions, mostSelections)
    return { positions, columns, ...(searched && { text: searched.samples }) }
  }

  #others(run: RunColumns, against: OpenedRun): Float64Array {
    const other = this.#run(against)
    const key = `${targetName(other.target)} ${other.version}`
    const remembered = run.others.get(key)
    return keepLast(run.others, key, remembered ?? otherValues(run.columns, other.columns), 2)
  }

  /** Returns the prepared columns of a run as they are now. */
  #run(opened: OpenedRun): RunColumns {
    const target = makeBuildTarget(opened)
    const name = targetName(target)
    const run = this.#runs.get(name) ?? new RunColumns(target)
    // The price may have changed.
    run.target = target
    this.#runs.delete(name)
    this.#runs.set(name, run)
    try {
      run.refresh(this.#index, this.#tools.hash)
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#index.close()
      discardIndex(this.#file)
      this.#index = openIndexFile(this.#file)
      this.#searches.forget()
      this.#runs.clear()
      return this.#run(opened)
    }
    this.#forgetOld()
    return run
  }

  #forgetOld(): void {
    let bytes = [...this.#runs.values()].reduce((sum, entry) => sum + entry.bytes, 0)
    for (const [name, run] of this.#runs) {
      if (bytes <= mostBytes || this.#runs.size <= 2) return
      bytes -= run.bytes
      this.#runs.delete(name)
    }
  }

  async #isCurrent({ build, target }: RunColumns): Promise<boolean> {
    return build?.finished === 1 && build.stamp === (await readRunStamp(this.#source, target))
  }

  /** Starts the preparation of a run. Waits at most {@link waitMs}, and only while waiting helps. */
  async #waitFor(opened: OpenedRun, { q }: Pick<SampleQuestion, 'q'>, signal?: AbortSignal): Promise<RunColumns> {
    const startedAt = performance.now()
    for (;;) {
      const run = this.#run(opened)
      const isCurrent = await this.#isCurrent(run)
      const isReady = isCurrent && (q === undefined || run.text?.finished === 1)
      if (isReady) return run
      if (!this.#moves.isAwaited) this.prepare(opened)
      const remainingMs = waitMs - (performance.now() - startedAt)
      const isWorthIt = run.build === undefined || (await this.#source.countSamples(run.target)) <= smallRun
      if (remainingMs <= 0 || !isWorthIt || this.#failure !== undefined) return run
      await this.#moves.wait(remainingMs, signal)
      signal?.throwIfAborted()
    }
  }
}

interface Tools {
  readonly sum: RowSum
  readonly hash: BuildDatabases['hash']
}
