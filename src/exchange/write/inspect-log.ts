/** Writes runs as logs of Inspect (`.eval`), which its viewer and `read_eval_log` open. Written for version 2 of the format (inspect_ai 0.3.285). */
import { writeWhole } from '../../../base/files/write-whole.js'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Aggregate, JsonObject, Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { present } from '../../../base/values/present.js'
import { makeFolder } from '../../../cache/make-folder.js'
import { inspectSamples, modelName } from './inspect-sample.js'
import { zipArchive, type ZipFile } from './zip-writer.js'

/**
 * Writes a log for each task of a run into a folder.
 *
 * @returns the files
 */
export async function writeInspectLogs(
  store: Store,
  { run, judgement }: { readonly run: Run; readonly judgement?: Judgement | undefined },
  folder: string,
): Promise<readonly string[]> {
  makeFolder(folder)
  const files: string[] = []
  for (const [index, { name }] of run.asked.tasks.entries()) {
    const stamp = new Date(run.createdAt).toISOString().slice(0, 19).replaceAll(':', '-')
    const file = join(
      folder,
      `${stamp}+00-00_${name.replace(/[^\w.-]+/g, '-').slice(0, longestName)}_${shortId(`${run.id}/${name}`)}.eval`,
    )
    await writeWhole(file, zipArchive(makeZipFiles(store, { run, judgement, task: index })))
    files.push(file)
  }
  return files
}

/** Characters of a task's name in a file's name. The id behind it tells tasks apart. */
const longestName = 100

/** An id of 22 letters and digits, as Inspect's. Equal texts have equal ids. */
const shortId = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .padEnd(22, '0')
    .slice(0, 22)

interface Subject {
  readonly run: Run
  readonly judgement: Judgement | undefined
  /** The index of the task within the run. */
  readonly task: number
}

async function* makeZipFiles(store: Store, subject: Subject): AsyncGenerator<ZipFile> {
  const { run, judgement, task } = subject
  const summaries: JsonObject[] = []
  const ids: string[] = []
  let epochs = 1
  let failed = 0
  yield { name: '_journal/start.json', content: JSON.stringify({ version: 2, ...makeLogHead(subject, [], 1) }) }
  for await (const sample of store.judgements.samples(run, judgement)) {
    if (sample.task !== task) continue
    ids.push(sample.id)
    for await (const inspectSample of inspectSamples(run, sample, digest => store.media.read(digest))) {
      epochs = Math.max(epochs, inspectSample.epoch)
      if (inspectSample.summary['completed'] === false) failed += 1
      summaries.push(inspectSample.summary)
      const id = inspectSample.id.replaceAll('/', '_')
      yield { name: `samples/${id}_epoch_${inspectSample.epoch}.json`, content: JSON.stringify(inspectSample.sample) }
    }
  }
  const aggregates = (judgement?.aggregates ?? []).filter(
    ({ task: name, group, of }) => name === run.asked.tasks[task]?.name && group === undefined && of === undefined,
  )
  const started = new Date(run.createdAt).toISOString()
  const problem =
    judgement === undefined
      ? 'the answers are not scored'
      : failed > 0 && failed === summaries.length
        ? 'no sample has an answer'
        : undefined
  const header = {
    version: 2,
    // As with `fail_on_error: false`, samples without an answer leave the others valid.
    status: problem === undefined ? 'success' : 'error',
    ...makeLogHead(subject, ids, epochs),
    results: {
      total_samples: summaries.length,
      completed_samples: summaries.length - failed,
      scores: makeScores(aggregates),
    },
    stats: { started_at: started, completed_at: findLastTime(summaries) ?? started, model_usage: {}, role_usage: {} },
    ...(problem !== undefined && {
      error: { message: problem, traceback: '', traceback_ansi: '' },
    }),
  }
  yield { name: 'summaries.json', content: JSON.stringify(summaries) }
  yield { name: 'header.json', content: JSON.stringify(header) }
}

const findLastTime = (summaries: readonly JsonObject[]): string | undefined =>
  summaries
    .flatMap(({ completed_at: at }) => (typeof at === 'string' ? [at] : []))
    .sort()
    .at(-1)

function makeLogHead({ run, judgement, task }: Subject, ids: readonly string[], epochs: number): JsonObject {
  const name = run.asked.tasks[task]?.name ?? ''
  const metrics = (judgement?.aggregates ?? []).filter(
    aggregate => aggregate.task === name && aggregate.group === undefined,
  )
  return {
    eval: {
      eval_id: shortId(`eval ${run.id}/${name}`),
      run_id: shortId(run.id),
      created: new Date(run.createdAt).toISOString(),
      task: name,
      task_id: shortId(`task ${run.asked.tasks[task]?.identity ?? name}`),
      task_version: 0,
      task_attribs: {},
      task_args: {},
      dataset: {
        name: run.asked.tasks[task]?.dataset.path ?? name,
        samples: ids.length,
        sample_ids: ids,
        shuffled: false,
      },
      model: modelName(run),
      model_generate_config: {},
      model_args: run.asked.model.args,
      config: { epochs, fail_on_error: false },
      packages: { pipeline: run.provenance.version },
      metadata: { run: run.name, run_id: run.id },
      scorers: [...new Set(listScoreParts(metrics).map(({ scorer }) => scorer))].map(scorer => ({
        name: scorer,
        options: {},
        metrics: [],
        metadata: {},
      })),
    },
    plan: { name: 'plan', steps: [], config: {} },
  }
}

const label = (metric: string, filter: string): string => (filter === 'none' ? metric : `${metric},${filter}`)

/** Reducers of epochs that Inspect has, besides `mean`. */
const reducers = /^(median|mode|max|min|(at_least|pass_at)_\d+)$/

/** An aggregate as Inspect words it. An imported number has its reducer and its metric in its name: `match/max/std`. */
interface ScorePart {
  readonly aggregate: Aggregate
  readonly scorer: string
  readonly reducer?: string
  readonly metric: string
}

/** Finds the main aggregate of each aggregate: `match/max` and `match/std` belong to `match`. */
function listScoreParts(aggregates: readonly Aggregate[]): readonly ScorePart[] {
  return aggregates.map((aggregate): ScorePart => {
    const { metric: name, filter } = aggregate
    const bases = aggregates.filter(other => other.filter === filter && name.startsWith(`${other.metric}/`))
    const [base] = bases.map(({ metric }) => metric).sort((a, b) => a.length - b.length)
    if (base === undefined) return { aggregate, scorer: label(name, filter), metric: 'mean' }
    const words = name.slice(base.length + 1).split('/')
    const reducer = words.find(word => reducers.test(word))
    const metric = words.filter(word => word !== reducer).join('/')
    return { aggregate, scorer: label(base, filter), metric: metric === '' ? 'mean' : metric, ...present({ reducer }) }
  })
}

function makeScores(aggregates: readonly Aggregate[]): readonly JsonObject[] {
  const scores = new Map<string, ScorePart[]>()
  for (const part of listScoreParts(aggregates)) {
    const key = JSON.stringify([part.scorer, part.reducer ?? null])
    scores.set(key, [...(scores.get(key) ?? []), part])
  }
  return [...scores.values()].map(makeScore)
}

function makeScore(parts: readonly ScorePart[]): JsonObject {
  const [head] = parts
  if (head === undefined) throw new Error('internal error: a score without numbers')
  const { scorer, reducer, aggregate: first } = head
  const metrics = parts.flatMap(({ metric, aggregate: { value, stderr } }) => [
    ...(value === null ? [] : [[metric, value] as const]),
    ...(stderr === null || metric !== 'mean' ? [] : [['stderr', stderr] as const]),
  ])
  return {
    name: scorer,
    scorer,
    ...present({ reducer }),
    scored_samples: first.n,
    unscored_samples: first.total - first.n,
    params: {},
    metrics: Object.fromEntries(metrics.map(([name, value]) => [name, { name, value, params: {} }])),
  }
}
