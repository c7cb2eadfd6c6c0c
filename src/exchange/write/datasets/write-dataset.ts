/** Writes a run as a dataset of the Hugging Face Hub: Parquet files for each task, and a card. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { PipelineError } from '../../../../base/errors/errors.js'
import { option } from '../../../../base/errors/option-words.js'
import { makeFolder } from '../../../../cache/make-folder.js'
import { refuseForeignFile, type OutputKind } from '../../../../cache/output-path.js'
import type { Aggregate, Judgement, Run } from '../../../../cache/records.js'
import type { Sample, Store } from '../../../../cache/store.js'
import { modelName } from '../inspect-sample.js'
import { cardFeatures } from './columns.js'
import { configName, writeShards, type ShardLimits } from './shards.js'
import { emptyShape, look, scoreColumns, tableColumns, tableRows, type TableShape } from './table.js'

interface Subject {
  readonly run: Run
  readonly judgement?: Judgement | undefined
}

/**
 * Writes `README.md` and `data/<task>/train-*.parquet`.
 *
 * @returns the files
 * @throws PipelineError (usage) if the folder has Parquet files of an earlier export
 */
export async function writeDataset(
  store: Store,
  { run, judgement }: Subject,
  folder: string,
  limits?: ShardLimits,
): Promise<readonly string[]> {
  makeFolder(folder)
  const shapes = run.asked.tasks.map(emptyShape)
  for await (const sample of store.judgements.samples(run, judgement)) {
    const shape = shapes[sample.task]
    if (shape !== undefined) look(shape, sample)
  }
  const card = join(folder, 'README.md')
  refuseForeignFile({ path: card, label: option('outputPath') }, cardFile)
  const files: string[] = []
  for (const [task, { name }] of run.asked.tasks.entries()) {
    const shape = shapes[task]
    if (shape === undefined || shape.rows === 0) continue
    const to = join(folder, 'data', configName(name))
    makeFolder(to)
    // A card with a file pattern would mix the files of two runs.
    if ((await readdir(to)).some(file => file.endsWith('.parquet')))
      throw new PipelineError('usage', `${to} has Parquet files already. Give an empty folder as --output-path.`)
    const rows = async function* () {
      for await (const sample of readTaskSamples(store, { run, judgement }, task))
        yield* tableRows(sample, { task: name, shape, read: digest => store.media.read(digest) })
    }
    files.push(...(await writeShards(to, tableColumns(shape), rows(), limits)))
  }
  await writeFile(card, formatCard({ run, judgement }, shapes))
  return [card, ...files]
}

const cardFile: OutputKind = {
  name: 'the card of an exported run',
  isOwn: head => /^---\s[^]*- evaluation-results\s/.test(head.toString('utf8')),
}

/** The samples of one task. They are stored in the order of tasks. */
async function* readTaskSamples(store: Store, { run, judgement }: Subject, task: number): AsyncGenerator<Sample> {
  for await (const sample of store.judgements.samples(run, judgement)) {
    if (sample.task > task) return
    if (sample.task === task) yield sample
  }
}

function formatCard({ run, judgement }: Subject, shapes: readonly TableShape[]): string {
  const tables = run.asked.tasks.flatMap(({ name }, index) => {
    const shape = shapes[index]
    return shape === undefined || shape.rows === 0 ? [] : [{ name, config: configName(name), shape }]
  })
  const head = {
    pretty_name: `${run.name}: answers and scores of ${modelName(run)}`,
    tags: ['evaluation', 'evaluation-results', 'pipeline'],
    configs: tables.map(({ config }, at) => ({
      config_name: config,
      ...(at === 0 && { default: true }),
      data_files: [{ split: 'train', path: `data/${config}/train-*.parquet` }],
    })),
    dataset_info: tables.map(({ config, shape }) => ({
      config_name: config,
      features: cardFeatures(tableColumns(shape)),
    })),
  }
  const aggregates = (judgement?.aggregates ?? []).filter(({ group, of }) => group === undefined && of === undefined)
  const lines = tables.flatMap(({ name, shape }) => scoreLines(name, shape, aggregates))
  return [
    '---',
    `${stringify(head)}---`,
    '',
    `# ${run.name}`,
    '',
    `Prompts, answers and scores of \`${modelName(run)}\` on ${tables.length} ${tables.length === 1 ? 'task' : 'tasks'}, evaluated on ${new Date(run.createdAt).toISOString().slice(0, 10)} with pipeline ${run.provenance.version}.`,
    'Each task is a configuration. Each row is one answer to one doc.',
    '',
    '| task | metric | filter | value | stderr | docs | column |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
    '`messages` and `doc` are JSON texts. In `messages`, the nth `image` entry is the nth picture of `images`; `audio` is counted in the same way.',
    'The scores of a doc stand on the rows of all of its repeats. Videos and documents are named in `messages`, and are not in the files.',
    '',
  ].join('\n')
}

function scoreLines(task: string, shape: TableShape, aggregates: readonly Aggregate[]): readonly string[] {
  const columns = scoreColumns(shape)
  return aggregates
    .filter(aggregate => aggregate.task === task)
    .map(({ metric, filter, value, stderr, n }) => {
      const column = columns.get(`${metric},${filter}`) ?? columns.get(metric) ?? ''
      return `| ${[task, metric, filter, value ?? '', stderr ?? '', n, column].map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
    })
}
