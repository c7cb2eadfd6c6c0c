/**
 * Writes runs as the results and samples that lmms-eval (0.7) and lm-evaluation-harness (0.4) write, for programs that
 * read those. Fields that say something of those programs alone, such as their git hash, are left out.
 */
import { writeWhole } from '../../../base/files/write-whole.js'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { namesOfFiles } from '../../../base/files/written-file.js'
import { isList, type Json } from '../../../base/values/canonical-json.js'
import { makeFolder } from '../../../cache/make-folder.js'
import { ownValue } from '../../../base/values/named-values.js'
import type { Aggregate, JsonObject, Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { filterNames } from '../read/harness/harness-values.js'
import { findTaskColumns, isLikelihoodSample, lmLines, lmmsLines, type TaskColumns } from './harness-lines.js'
import { modelName } from './inspect-sample.js'

/** The tools whose logs have the harness format. */
export type Harness = 'lmms-eval' | 'lm-eval'

interface Subject {
  readonly run: Run
  readonly judgement?: Judgement | undefined
}

/**
 * Writes the results of a run, and the samples of each task.
 *
 * @returns the files
 */
export async function writeHarnessLog(
  harness: Harness,
  store: Store,
  subject: Subject,
  folder: string,
): Promise<readonly string[]> {
  makeFolder(folder)
  const { run, judgement } = subject
  const date = new Date(run.createdAt).toISOString()
  const day = date.slice(0, 19).replaceAll('-', '').replaceAll(':', '').replace('T', '_')
  const stamp = `${date.slice(0, 19).replaceAll(':', '-')}.${date.slice(20, 23)}000`
  const isLmms = harness === 'lmms-eval'
  const formatFileName = (task: string): string =>
    isLmms ? `${day}_samples_${task}.jsonl` : `samples_${task}_${stamp}.jsonl`
  const results = join(folder, isLmms ? `${day}_results.json` : `results_${stamp}.json`)
  refuseForeignLog(results, run)
  const written = run.asked.tasks.map(({ name }): WrittenTask => ({
    name,
    columns: findTaskColumns(
      (judgement?.aggregates ?? []).filter(
        ({ task, of, group }) => task === name && of === undefined && group === undefined,
      ),
      listConfiguredFilters(run, name),
    ),
    file: '',
    docs: 0,
    isLikelihood: false,
  }))
  const files: string[] = []
  for (const [index, name] of namesOfFiles(run.asked.tasks.map(task => task.name)).entries()) {
    const task = written[index]
    if (task === undefined) throw new Error('internal error: a task without a name')
    task.file = formatFileName(name)
    const file = join(folder, task.file)
    const lines = async function* (): AsyncGenerator<string> {
      for await (const sample of store.judgements.samples(run, judgement)) {
        if (sample.task !== index) continue
        task.docs += 1
        task.isLikelihood ||= isLikelihoodSample(sample)
        for (const line of (isLmms ? lmmsLines : lmLines)(sample, task.columns)) yield `${JSON.stringify(line)}\n`
      }
    }
    await writeWhole(file, lines())
    files.push(file)
  }
  await writeFile(
    results,
    `${JSON.stringify(makeResults(harness, subject, written, isLmms ? day : run.createdAt / 1_000), undefined, 2)}\n`,
  )
  return [results, ...files]
}

/** Rejects to replace the log that a run was imported from, or that of another run: they may have the same name. */
function refuseForeignLog(results: string, run: Run): void {
  const isOwn = !existsSync(results) || readFileSync(results, 'utf8').includes(`"id": ${JSON.stringify(run.id)}`)
  if (!isOwn)
    throw new PipelineError(
      'usage',
      `${option('outputPath')}: ${results} is there already, and is not of this run. Name another folder`,
    )
}

/** A task whose samples are written. */
interface WrittenTask {
  readonly name: string
  readonly columns: TaskColumns
  file: string
  docs: number
  isLikelihood: boolean
}

function listConfiguredFilters(run: Run, task: string): readonly string[] {
  const config = ownValue(run.provenance.scoring, task)?.config ?? {}
  return isList(config['filter_list']) ? filterNames(config) : []
}

/** The task's rules, with what the lines of its samples need to be read: their filters, and the type of the answers. */
function makeConfig(run: Run, { name, columns: { filters }, isLikelihood }: WrittenTask): JsonObject {
  const stored = ownValue(run.provenance.scoring, name)
  const config: JsonObject = { ...stored?.config }
  const type = stored?.output_type ?? (isLikelihood ? 'multiple_choice' : 'generate_until')
  const isNamed = JSON.stringify(filterNames(config)) === JSON.stringify(filters)
  const filterList = filters.map(filter => ({ name: filter, filter: [{ function: 'take_first' }] }))
  return { task: name, output_type: type, ...config, ...(!isNamed && { filter_list: filterList }) }
}

function makeResults(
  harness: Harness,
  { run, judgement }: Subject,
  written: readonly WrittenTask[],
  date: Json,
): JsonObject {
  const { groups = [], model, selection } = run.asked
  const all = (judgement?.aggregates ?? []).filter(({ group }) => group === undefined)
  const of = (name: string): JsonObject => {
    const own = all.filter(({ task }) => task === name)
    return { alias: name, ...Object.fromEntries(own.flatMap(aggregate => Object.entries(makeMetricFields(aggregate)))) }
  }
  const byTask = <T extends Json>(make: (name: string, task: WrittenTask) => T): Record<string, T> =>
    Object.fromEntries(written.map(task => [task.name, make(task.name, task)]))
  const args = Object.entries(model.args).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const grouped = Object.fromEntries(groups.map(({ name }) => [name, of(name)]))
  return {
    results: { ...grouped, ...byTask(of) },
    ...(groups.length > 0 && { groups: grouped }),
    group_subtasks: Object.fromEntries(groups.map(({ name, members }) => [name, members])),
    configs: byTask((_, task) => makeConfig(run, task)),
    versions: byTask(() => 'Yaml'),
    'n-shot': byTask(() => selection.num_fewshot ?? 0),
    higher_is_better: byTask(name =>
      Object.fromEntries(
        all.filter(({ task }) => task === name).map(({ metric, higherIsBetter }) => [metric, higherIsBetter]),
      ),
    ),
    'n-samples': byTask((_, { docs }) => ({ original: docs, effective: docs })),
    config: {
      model: model.backend,
      model_args: harness === 'lm-eval' ? model.args : args.join(','),
      limit: typeof selection.limit === 'number' ? selection.limit : null,
      gen_kwargs: (selection.generation ?? {}) as JsonObject,
      fewshot_seed: selection.fewshot_seed ?? 1234,
    },
    date,
    model_source: model.backend,
    model_name: modelName(run),
    pipeline: { run: run.name, id: run.id, version: run.provenance.version, samples: byTask((_, { file }) => file) },
  }
}

const makeMetricFields = ({ metric, filter, value, stderr }: Aggregate): JsonObject => ({
  [`${metric},${filter}`]: value,
  [`${metric}_stderr,${filter}`]: stderr ?? 'N/A',
})
