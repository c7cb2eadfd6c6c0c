import { DisjointSets } from '../../../base/collections/disjoint-sets.js'
import { metricLabel } from '../metric-label.js'
import { distinctIds } from '../samples/doc-names.js'
import type { Judgement, Run } from '../../../cache/records.js'
import { hexDigits } from '../../../cache/digest.js'
import type { ComparedDoc, Store } from '../../../cache/store.js'
import { collectDraws, type Draws } from '../../../stages/judge/draws.js'
import { numberIn, readClusterKey, readScoreKey } from '../../../cache/facts/sample-facts.js'

/** The values of one run's docs. */
export interface ScoredDocs {
  /** Values by task and `metric` or `metric,filter`, then by doc. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, number>>
  /**
   * The cluster of each doc, by task and doc. It is the value of `cluster_key`, else the docs connected by the media of their questions, else the
   * answer if docs of the task share answers.
   */
  readonly clusters: ReadonlyMap<string, string>
  /** The place of each doc, by task and id. It is empty if places were not requested. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, DocPlace>>
}

export interface DocPlace {
  readonly index: number
  /** The target, if it is a short text or a number. */
  readonly target?: string
}

/** The values of one task while they are read. */
interface TaskColumns {
  readonly scoreKey: string
  /** True if docs with one medium are a cluster, because the task names no other field. */
  readonly showsMedia: boolean
  /** The media that docs show together. */
  readonly together: DisjointSets<string>
  /** The values of docs by metric. */
  readonly columns: Map<string, Map<string, number>>
}

/** Tells whether `compare last~1 last` makes sense: the newest two runs have the same tasks, and both have scores. Auxiliary runs are not counted. */
export async function canCompareLast(store: Pick<Store, 'runs' | 'judgements'>): Promise<boolean> {
  const [second, first] = (await store.runs.page({ limit: 2 })).runs
  if (first === undefined || second === undefined) return false
  const tasks = ({ asked }: Run): string => asked.tasks.map(({ name }) => name).join()
  if (tasks(first) !== tasks(second)) return false
  const judgements = await Promise.all([first, second].map(run => store.judgements.list(run)))
  return judgements.every(runJudgements =>
    hasScores(runJudgements.findLast(({ finishedAt }) => finishedAt !== undefined)),
  )
}

/** Tells whether a judgement has at least one value. Metrics that only collect answers (`bypass`) give none. */
export const hasScores = (judgement: Pick<Judgement, 'aggregates'> | undefined): boolean =>
  judgement?.aggregates?.some(({ n, value, error }) => n > 0 && (value !== null || error !== undefined)) ?? false

/** The key of a task's metric in {@link ScoredDocs}. */
export const metricKey = (task: string, metric: string): string => `${task}\u0000${metric}`

/**
 * Reads the numeric values of a judgement's docs. If a value is an object, the task's `score_key` names the field (lmms-eval: `score`). Other values
 * are left out.
 *
 * @param options `withPlaces`: collect the places of docs, which takes memory. @default false. `add` gets each doc with its key
 */
export async function scoredDocs(
  run: Run,
  docs: AsyncIterable<ComparedDoc>,
  {
    withPlaces = false,
    add,
  }: { readonly withPlaces?: boolean; readonly add?: ((key: string, doc: ComparedDoc) => void) | undefined } = {},
): Promise<ScoredDocs> {
  const values = new Map<string, Map<string, number>>()
  const clusters = new Map<string, string>()
  const answers = new Map<string, { readonly ids: string[]; readonly draws: Draws }>()
  const places = new Map<string, Map<string, DocPlace>>()
  const distinguish = distinctIds()
  const tasks = new Map<string, TaskColumns>()
  const findColumns = (task: string): TaskColumns => {
    const taskColumns = tasks.get(task) ?? {
      scoreKey: readScoreKey(run, task),
      showsMedia: readClusterKey(run, task) === undefined,
      together: new DisjointSets<string>(),
      columns: new Map<string, Map<string, number>>(),
    }
    tasks.set(task, taskColumns)
    return taskColumns
  }
  for await (const doc of docs) {
    const { task: number, id: docId, index, score, media = [], requests } = doc
    const task = run.asked.tasks[number]?.name ?? ''
    const id = distinguish(task, docId)
    add?.(metricKey(task, id), doc)
    // A record is parsed when it is read.
    if (withPlaces)
      places.set(task, (places.get(task) ?? new Map<string, DocPlace>()).set(id, makeDocPlace(index, doc.record)))
    const { scoreKey, columns, showsMedia, together } = findColumns(task)
    if (showsMedia && media.length > 1) together.join(media)
    const cluster = score?.cluster ?? (showsMedia ? media[0] : undefined)
    if (cluster === undefined) {
      const { ids, draws } = answers.get(task) ?? { ids: [], draws: collectDraws() }
      answers.set(task, { ids, draws })
      ids.push(id)
      draws.add(computeDraw(requests))
    } else clusters.set(metricKey(task, id), cluster)
    for (const [metric, value] of Object.entries(score?.values ?? {})) {
      const numericValue = numberIn(value, scoreKey)
      if (numericValue === undefined) continue
      let docs = columns.get(metric)
      if (docs === undefined) {
        docs = new Map<string, number>()
        columns.set(metric, docs)
        values.set(metricKey(task, metric), docs)
      }
      docs.set(id, numericValue)
    }
  }
  for (const [task, { ids, draws }] of answers) {
    const shared = draws.shared()?.clusters
    for (const [at, draw] of shared?.entries() ?? []) clusters.set(metricKey(task, ids[at] ?? ''), `answer ${draw}`)
  }
  for (const [task, { together }] of tasks) if (!together.isEmpty) joinClusters(clusters, task, together)
  return { values, clusters, places }
}

/** Gives docs of a task that media connect one cluster. */
function joinClusters(clusters: Map<string, string>, task: string, together: DisjointSets<string>): void {
  const start = metricKey(task, '')
  for (const [key, cluster] of clusters) if (key.startsWith(start)) clusters.set(key, together.find(cluster))
}

/** A number for a doc's last answer: 52 bits of its response key. Log-likelihoods are not drawn. */
function computeDraw(requests: ComparedDoc['requests']): number | undefined {
  const request = requests.at(-1)
  if (request === undefined || request.isLikelihood) return undefined
  return Number.parseInt(hexDigits(request.key).slice(-13), 16)
}

function makeDocPlace(index: number, { target }: ComparedDoc['record']): DocPlace {
  const isShort = typeof target === 'number' || (typeof target === 'string' && target.length <= 100)
  return isShort ? { index, target: String(target).trim() } : { index }
}

/** A doc with a number in both runs. */
export interface PairedDoc {
  readonly id: string
  readonly a: number
  readonly b: number
  readonly cluster?: string
}

/** One metric of one task in both judgements. */
export interface PairedMetric {
  readonly task: string
  readonly metric: string
  readonly higherIsBetter: boolean
  readonly pairs: readonly PairedDoc[]
  /** Docs with a number in only one of the runs. */
  readonly onlyOne: number
}

/** Pairs the docs of two runs, metric by metric in the order of the first. */
export function pairMetrics(a: { judgement: Judgement; docs: ScoredDocs }, b: { docs: ScoredDocs }): PairedMetric[] {
  const whole = (a.judgement.aggregates ?? []).filter(({ group }) => group === undefined)
  return whole.flatMap(aggregate => {
    const key = metricKey(aggregate.task, metricLabel(aggregate))
    const [own, other] = [a.docs.values.get(key), b.docs.values.get(key)]
    if (own === undefined || other === undefined) return []
    const hasClusters = a.docs.clusters.size + b.docs.clusters.size > 0
    const pairs: PairedDoc[] = []
    for (const [id, value] of own) {
      const second = other.get(id)
      if (second === undefined) continue
      const doc = hasClusters ? metricKey(aggregate.task, id) : ''
      const cluster = hasClusters ? (a.docs.clusters.get(doc) ?? b.docs.clusters.get(doc)) : undefined
      pairs.push({ id, a: value, b: second, ...(cluster === undefined ? {} : { cluster }) })
    }
    const onlyOne = own.size + other.size - 2 * pairs.length
    const { task, higherIsBetter } = aggregate
    return [{ task, metric: metricLabel(aggregate), higherIsBetter, pairs, onlyOne }]
  })
}
