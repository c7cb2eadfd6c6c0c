/** Reads a report's data from the elements of its file. */
import type {
  CompareView,
  DocRun,
  DocRuns,
  LeaderboardQuery,
  LeaderboardView,
  ReportedRun,
  RunRow,
  RunsPage,
  RunsQuery,
  SampleFilter,
  SampleHistograms,
  SampleRow,
  SampleRows,
  SampleRowsQuery,
  SampleView,
} from '../../present/page/data/index.js'
import type { EmbeddedElements } from './embedded-elements.js'
import { selectLeaderboard } from './embedded-leaderboard.js'
import { comparableRows, countMeasures, filteredRows, searchText, startRowAtMatch } from './embedded-rows.js'
import { SourceError, type Source } from './source.js'
import { swappedComparison } from './swapped-comparison.js'

/** Makes a source of data that reads the report's own file. */
export function embeddedSource(elements: EmbeddedElements): Source {
  const file = new EmbeddedFile(elements)
  return {
    can: { label: false, start: false, showDocs: false, plan: false },
    runs: query => later(() => file.runs(query)),
    run: name => later(() => file.run(name).view),
    samples: (run, query) => file.samples(run, query),
    histograms: (run, filter) => file.histograms(run, filter),
    position: (run, filter, task, index) => file.position(run, filter, task, index),
    sample: (run, task, index) => file.sample(run, task, index),
    compare: (a, b) => later(() => file.compare(a, b)),
    docRuns: (run, task, index) => later(() => file.docRuns(run, task, index)),
    docs: () => Promise.reject(notHere('A report in one file does not hold the docs of several runs side by side.')),
    leaderboard: query => later(() => file.leaderboard(query)),
    power: () => Promise.reject(notHere('A report in one file plans no comparisons.')),
    stability: () => Promise.reject(notHere('A report in one file does not hold the score of each sample.')),
    calibration: () => Promise.reject(notHere('A report in one file does not compare the judge with labels.')),
    key: () => Promise.reject(notHere('A report in one file does not hold what keys stand for.')),
    mediaUrl: medium => file.elements.address(medium),
    thumbnailUrl: (medium, width) => (medium.kind === 'image' ? file.elements.address(medium, width) : undefined),
    watch: () => () => undefined,
  }
}

const notHere = (message: string): SourceError => new SourceError(message, 404)

/** Turns an error into a rejection, as a source that loads its data does. */
const later = <T>(read: () => T): Promise<T> => new Promise(resolve => resolve(read()))

class EmbeddedFile {
  readonly elements: EmbeddedElements
  /** The last filtered list, because pages load it in parts. */
  #list: { readonly key: string; readonly rows: Promise<readonly SampleRow[]> } | undefined
  readonly #texts = new Map<ReportedRun, Promise<readonly string[]>>()

  constructor(elements: EmbeddedElements) {
    this.elements = elements
  }

  get #runs(): readonly ReportedRun[] {
    const { data } = this.elements
    if (data === undefined) throw notHere('This file holds no data of a report.')
    return data.runs
  }

  runs({ q = '', state, task, tag, sort = 'created', offset, limit }: RunsQuery): RunsPage {
    const words = q.toLowerCase().split(/\s+/u)
    const matching = this.#runs
      .map(({ view }): RunRow => view)
      .filter(run => {
        const text = [run.name, run.model, ...run.tasks, ...run.tags].join(' ').toLowerCase()
        const isAsked = (state ?? run.state) === run.state && words.every(word => text.includes(word))
        return (
          isAsked && (task === undefined || run.tasks.includes(task)) && (tag === undefined || run.tags.includes(tag))
        )
      })
      .sort((a, b) => (sort === 'created' ? compare(b.created, a.created) : compare(a[sort], b[sort])))
    return { rows: matching.slice(offset, offset + limit), total: matching.length }
  }

  leaderboard(query: LeaderboardQuery): LeaderboardView {
    const board = this.elements.data?.leaderboard
    if (board === undefined) throw notHere('A report of one run holds no leaderboard.')
    return selectLeaderboard(board, query)
  }

  /** Finds a run of the file, which may contain two judgements of a run. A name without `@` means the first one. */
  run(name: string): ReportedRun {
    const reportedRun =
      this.#runs.find(({ view }) => view.name === name) ??
      this.#runs.find(({ view }) => `${view.name}@${view.judgement ?? ''}` === name)
    if (reportedRun === undefined) throw notHere(`This file does not hold the run ${name}.`)
    return reportedRun
  }

  compare(a: string, b: string): CompareView {
    const [first, second] = [this.run(a), this.run(b)]
    const compared = this.#comparison(first, second)
    if (compared !== undefined) return compared
    const other = this.#comparison(second, first)
    if (other !== undefined) return swappedComparison(other)
    const baseline = this.#runs[0]?.view.name ?? ''
    throw notHere(`This file compares runs only with its first one, ${baseline}.`)
  }

  /** Finds the comparison of two runs. The file has comparisons of each further run with the first. */
  #comparison(a: ReportedRun, b: ReportedRun): CompareView | undefined {
    const index = this.#runs.indexOf(b) - 1
    return this.#runs[0] === a ? this.elements.data?.comparisons[index] : undefined
  }

  /** Returns the answers of all runs to a doc. The file has no requests, so it is unknown whether they are equal. */
  docRuns(name: string, task: number, index: number): DocRuns {
    const opened = this.run(name)
    const row = opened.rows.find(candidate => candidate.task === task && candidate.index === index)
    const runs = this.#runs.flatMap(({ view, rows }): readonly DocRun[] => {
      const cell = rows.find(({ taskName, id }) => taskName === row?.taskName && id === row.id)
      if (view === opened.view || cell === undefined) return []
      const { title, model, created } = view
      const about = { name: view.name, model, ...(title !== undefined && { title }) }
      return [{ ...about, created, cell, isAskedSame: null, isSameAnswer: false }]
    })
    return { runs, left: 0 }
  }

  async samples(name: string, query: SampleRowsQuery): Promise<SampleRows> {
    const run = this.run(name)
    const rows = await this.#filtered(run, query)
    const { offset, limit, q = '' } = query
    const page = rows.slice(offset, offset + limit)
    const of = run.rows.length
    return {
      total: rows.length,
      prepared: { of, filters: of, text: of },
      offset,
      rows: q.trim() === '' ? page : await Promise.all(page.map(row => this.#nearMatch(run, row, q))),
    }
  }

  /** Returns a row whose texts begin near their first match. The texts of samples that are not whole in the file stay. */
  async #nearMatch(run: ReportedRun, row: SampleRow, q: string): Promise<SampleRow> {
    return findPosition(run, row) < run.whole ? startRowAtMatch(row, await this.#sampleOf(run, row), q) : row
  }

  async histograms(name: string, filter: SampleFilter): Promise<SampleHistograms> {
    const run = this.run(name)
    const of = run.rows.length
    return {
      prepared: { of, filters: of, text: of },
      histograms: countMeasures(await this.#filtered(run, filter)),
    }
  }

  async position(name: string, filter: SampleFilter, task: number, index: number): Promise<number | null> {
    const rows = await this.#filtered(this.run(name), filter)
    const position = rows.findIndex(row => row.task === task && row.index === index)
    return position < 0 ? null : position
  }

  sample(name: string, task: number, index: number): Promise<SampleView> {
    return this.#sampleOf(this.run(name), { task, index })
  }

  async #sampleOf(run: ReportedRun, { task, index }: Pick<SampleRow, 'task' | 'index'>): Promise<SampleView> {
    const position = findPosition(run, { task, index })
    const chunk = await this.elements.chunk(this.#runs.indexOf(run), Math.floor(position / run.chunk))
    const sample = position < 0 || position >= run.whole ? undefined : chunk?.[position % run.chunk]
    if (sample === undefined) throw notHere(`This file does not hold the sample ${index} of task ${task}.`)
    return sample
  }

  /** Filters the rows. It waits for the end of the file, which contains the rows' pictures. */
  async #filtered(run: ReportedRun, filter: SampleFilter): Promise<readonly SampleRow[]> {
    await this.elements.whole()
    const { only, against, task, labels, marked, ranges, q, sort, descending } = filter
    const parts = [only, against, task, labels, marked, ranges, q, sort, descending]
    const key = JSON.stringify([this.#runs.indexOf(run), ...parts])
    if (this.#list?.key !== key) this.#list = { key, rows: this.#find(run, filter) }
    return this.#list.rows
  }

  async #find(run: ReportedRun, filter: SampleFilter): Promise<readonly SampleRow[]> {
    const texts = (filter.q ?? '').trim() === '' ? undefined : await this.#textsOf(run)
    const against = filter.against === undefined ? undefined : this.run(filter.against)
    return filteredRows(comparableRows(run, { against, texts }), filter)
  }

  /** Unpacks all samples for the first search. */
  #textsOf(run: ReportedRun): Promise<readonly string[]> {
    const texts = this.#texts.get(run) ?? this.#readTexts(run)
    this.#texts.set(run, texts)
    return texts
  }

  async #readTexts(run: ReportedRun): Promise<readonly string[]> {
    const number = this.#runs.indexOf(run)
    const texts: string[] = []
    for (let chunk = 0; chunk * run.chunk < run.whole; chunk += 1)
      texts.push(...((await this.elements.chunk(number, chunk)) ?? []).map(searchText))
    return texts
  }
}

const findPosition = ({ rows }: ReportedRun, { task, index }: Pick<SampleRow, 'task' | 'index'>): number =>
  rows.findIndex(row => row.task === task && row.index === index)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
