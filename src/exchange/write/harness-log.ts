/**
 * Writes runs as the results and samples that lmms-eval (0.7) and lm-evaluation-harness (0.4) write, for programs that
 * read those. Fields that say something of those programs alone, such as their git hash, are left out.
 */
import { hexDigits, sha256 } from '../../../cache/digest.js'
import { writeWhole } from '../../../base/files/write-whole.js'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { namesOfFiles } from '../../../base/files/written-file.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { makeFolder } from '../../../cache/make-folder.js'
import type { Aggregate, JsonObject, Judgement, Run } from '../../../cache/records.js'
import type { Sample, Store } from '../../../cache/store.js'
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
  const docs = run.asked.tasks.map(() => 0)
  const files: string[] = []
  for (const [index, name] of namesOfFiles(run.asked.tasks.map(task => task.name)).entries()) {
    const file = join(folder, formatFileName(name))
    const lines = async function* (): AsyncGenerator<string> {
      for await (const sample of store.judgements.samples(run, judgement)) {
        if (sample.task !== index) continue
        docs[index] = (docs[index] ?? 0) + 1
        for (const line of isLmms ? lmmsLines(sample) : lmLines(sample)) yield `${JSON.stringify(line)}\n`
      }
    }
    await writeWhole(file, lines())
    files.push(file)
  }
  await writeFile(
    results,
    `${JSON.stringify(makeResults(harness, subject, docs, isLmms ? day : run.createdAt / 1_000), undefined, 2)}\n`,
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

function makeResults(harness: Harness, { run, judgement }: Subject, docs: readonly number[], date: Json): JsonObject {
  const { tasks, groups = [], model, selection } = run.asked
  const all = (judgement?.aggregates ?? []).filter(({ group }) => group === undefined)
  const of = (name: string): JsonObject => {
    const own = all.filter(({ task }) => task === name)
    return { alias: name, ...Object.fromEntries(own.flatMap(aggregate => Object.entries(makeMetricFields(aggregate)))) }
  }
  const byTask = <T extends Json>(make: (name: string, index: number) => T): Record<string, T> =>
    Object.fromEntries(tasks.map(({ name }, index) => [name, make(name, index)]))
  const args = Object.entries(model.args).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const grouped = Object.fromEntries(groups.map(({ name }) => [name, of(name)]))
  return {
    results: { ...grouped, ...byTask(of) },
    ...(groups.length > 0 && { groups: grouped }),
    group_subtasks: Object.fromEntries(groups.map(({ name, members }) => [name, members])),
    configs: byTask(name => ({ task: name, ...run.provenance.scoring[name]?.config })),
    versions: byTask(() => 'Yaml'),
    'n-shot': byTask(() => selection.num_fewshot ?? 0),
    higher_is_better: byTask(name =>
      Object.fromEntries(
        all.filter(({ task }) => task === name).map(({ metric, higherIsBetter }) => [metric, higherIsBetter]),
      ),
    ),
    'n-samples': byTask((_, index) => ({ original: docs[index] ?? 0, effective: docs[index] ?? 0 })),
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
    pipeline: { run: run.name, id: run.id, version: run.provenance.version },
  }
}

const makeMetricFields = ({ metric, filter, value, stderr }: Aggregate): JsonObject => ({
  [`${metric},${filter}`]: value,
  [`${metric}_stderr,${filter}`]: stderr ?? 'N/A',
})

/** The values of a sample after one filter pipeline, by metric. */
function valuesBy({ score }: Sample): ReadonlyMap<string, Record<string, Json>> {
  const valuesByFilter = new Map<string, Record<string, Json>>(
    Object.keys(score?.extracted ?? { none: null }).map(name => [name, {}]),
  )
  for (const [name, value] of Object.entries(score?.values ?? {})) {
    const comma = name.lastIndexOf(',')
    const [metric, filter] = comma < 0 ? [name, 'none'] : [name.slice(0, comma), name.slice(comma + 1)]
    const values = valuesByFilter.get(filter) ?? {}
    values[metric] = value
    valuesByFilter.set(filter, values)
  }
  return valuesByFilter
}

function extractPromptText({ items }: Sample): string {
  const parts = items[0]?.request?.input.messages.flatMap(({ content }) => content) ?? []
  return parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
}

const computeHash = (value: string): string => hexDigits(sha256(value))

/** As Python's `json.dumps(value, indent=2, ensure_ascii=False)`, which both programs hash. */
const docHash = ({ record }: Sample): string => computeHash(JSON.stringify(record.doc, undefined, 2))

function* lmmsLines(sample: Sample): Generator<JsonObject> {
  const { index, record, items, score } = sample
  const texts = items.map(({ response }) => response?.body.text ?? '')
  for (const [filter, values] of valuesBy(sample)) {
    const read = score?.extracted[filter] ?? texts[0] ?? ''
    yield {
      doc_id: index,
      target: record.target,
      filtered_resps: read,
      token_counts: items.map(({ response }) => {
        const usage = response?.meta.usage
        return usage?.outputTokens === undefined ? null : { output_tokens: usage.outputTokens }
      }),
      doc_hash: docHash(sample),
      ...values,
      input: extractPromptText(sample),
    }
  }
}

function* lmLines(sample: Sample): Generator<JsonObject> {
  const { index, record, items, score } = sample
  const prompt = extractPromptText(sample)
  const isLikelihood = items.some(({ response }) => response?.body.logprob !== undefined)
  const answers = items.map(({ response }): Json =>
    isLikelihood
      ? [String(response?.body.logprob ?? 'nan'), response?.body.isGreedy === true ? 'True' : 'False']
      : (response?.body.text ?? ''),
  )
  const requestArguments = items.map(({ request }, at) => [
    `gen_args_${at}`,
    {
      arg_0: prompt,
      arg_1: isLikelihood ? (request?.input.continuation ?? '') : ((request?.generation ?? {}) as JsonObject),
    },
  ])
  for (const [filter, values] of valuesBy(sample)) {
    const read = score?.extracted[filter]
    yield {
      doc_id: index,
      doc: record.doc,
      target: record.target,
      arguments: Object.fromEntries(requestArguments) as JsonObject,
      resps: isLikelihood ? answers.map(answer => [answer]) : [answers],
      filtered_resps: isLikelihood ? answers : [read ?? answers[0] ?? ''],
      filter,
      metrics: Object.keys(values),
      doc_hash: docHash(sample),
      prompt_hash: computeHash(prompt),
      target_hash: computeHash(typeof record.target === 'string' ? record.target : JSON.stringify(record.target)),
      ...values,
    }
  }
}
