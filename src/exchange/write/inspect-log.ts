/** Writes runs as logs of Inspect (`.eval`), which its viewer and `read_eval_log` open. Written for version 2 of the format (inspect_ai 0.3.285). */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Aggregate, JsonObject, Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
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
  const written: string[] = []
  for (const [index, { name }] of run.asked.tasks.entries()) {
    const stamp = new Date(run.createdAt).toISOString().slice(0, 19).replaceAll(':', '-')
    const file = join(folder, `${stamp}+00-00_${name.replace(/[^\w.-]+/g, '-')}_${shortId(`${run.id}/${name}`)}.eval`)
    const partial = `${file}.partial`
    await pipeline(zipArchive(filesOf(store, { run, judgement, task: index })), createWriteStream(partial))
    await rename(partial, file)
    written.push(file)
  }
  return written
}

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

async function* filesOf(store: Store, subject: Subject): AsyncGenerator<ZipFile> {
  const { run, judgement, task } = subject
  const summaries: JsonObject[] = []
  const ids: string[] = []
  let epochs = 1
  let failed = 0
  yield { name: '_journal/start.json', content: JSON.stringify({ version: 2, ...headOf(subject, [], 1) }) }
  for await (const sample of store.judgements.samples(run, judgement)) {
    if (sample.task !== task) continue
    ids.push(sample.id)
    for await (const made of inspectSamples(run, sample, digest => store.media.read(digest))) {
      epochs = Math.max(epochs, made.epoch)
      if (made.summary['completed'] === false) failed += 1
      summaries.push(made.summary)
      const id = made.id.replaceAll('/', '_')
      yield { name: `samples/${id}_epoch_${made.epoch}.json`, content: JSON.stringify(made.sample) }
    }
  }
  const aggregates = (judgement?.aggregates ?? []).filter(
    ({ task: name, group, of }) => name === run.asked.tasks[task]?.name && group === undefined && of === undefined,
  )
  const started = new Date(run.createdAt).toISOString()
  const header = {
    version: 2,
    status: failed > 0 || judgement === undefined ? 'error' : 'success',
    ...headOf(subject, ids, epochs),
    results: {
      total_samples: summaries.length,
      completed_samples: summaries.length - failed,
      scores: aggregates.map(scoreOf),
    },
    stats: { started_at: started, completed_at: lastOf(summaries) ?? started, model_usage: {}, role_usage: {} },
    ...(failed > 0 && {
      error: { message: `${failed} samples have no answer`, traceback: '', traceback_ansi: '' },
    }),
  }
  yield { name: 'summaries.json', content: JSON.stringify(summaries) }
  yield { name: 'header.json', content: JSON.stringify(header) }
}

const lastOf = (summaries: readonly JsonObject[]): string | undefined =>
  summaries
    .flatMap(({ completed_at: at }) => (typeof at === 'string' ? [at] : []))
    .sort()
    .at(-1)

function headOf({ run, judgement, task }: Subject, ids: readonly string[], epochs: number): JsonObject {
  const name = run.asked.tasks[task]?.name ?? ''
  const metrics = (judgement?.aggregates ?? []).filter(one => one.task === name && one.group === undefined)
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
      config: { epochs },
      packages: { pipeline: run.provenance.version },
      metadata: { run: run.name, run_id: run.id },
      scorers: metrics.map(({ metric, filter }) => ({
        name: label(metric, filter),
        options: {},
        metrics: [],
        metadata: {},
      })),
    },
    plan: { name: 'plan', steps: [], config: {} },
  }
}

const label = (metric: string, filter: string): string => (filter === 'none' ? metric : `${metric},${filter}`)

function scoreOf({ metric, filter, value, stderr, n, total }: Aggregate): JsonObject {
  const name = label(metric, filter)
  const metrics = {
    ...(value !== null && { mean: { name: 'mean', value, params: {} } }),
    ...(stderr !== null && { stderr: { name: 'stderr', value: stderr, params: {} } }),
  }
  return { name, scorer: name, scored_samples: n, unscored_samples: total - n, params: {}, metrics }
}
