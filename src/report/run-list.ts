import type { ProviderBatch } from '../../cache/batches.js'
import type { Judgement, Run } from '../../cache/records.js'
import type { RunCounts } from '../../cache/store.js'
import { isComplete } from '../../cache/run-state.js'
import { batchState } from './batch-list.js'
import { counted, dateTime, grouped, percent } from './layout/numbers.js'
import type { Paint } from './layout/paint.js'
import { codeLabel, modelLabel, tasksLabel } from './results/run-header.js'
import { pairs, table, type Column } from './layout/table.js'
import { clip } from './layout/width.js'

export interface ListedRun {
  readonly run: Run
  readonly tags: readonly string[]
  readonly counts: RunCounts
  readonly judgements: readonly Judgement[]
  readonly batches: readonly ProviderBatch[]
}

/** `complete`, `4 failed`, `288 to ask`, `reading`. */
function runState(counts: RunCounts): string {
  if (isComplete(counts)) return 'complete'
  const { failed, pending, inputFinished } = counts
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0)
  const parts = [
    ...(inputFinished ? [] : ['input not finished']),
    ...(pending > 0 ? [`${grouped(pending)} to ask`] : []),
    ...(failures > 0 ? [`${grouped(failures)} failed`] : []),
  ]
  return parts.join(', ')
}

const columns: readonly Column[] = [
  { title: 'run' },
  { title: 'model', least: 14, isCut: true, drop: 1 },
  { title: 'tasks', least: 16, isCut: true },
  { title: 'docs', align: 'right', drop: 4 },
  { title: 'answered', align: 'right', drop: 2 },
  { title: 'state', least: 10 },
  { title: 'judged', drop: 3 },
  { title: 'created', drop: 5 },
]

/** One line for each run, the newest last, in the order that `last` and `last~1` count. */
export function runList(listed: readonly ListedRun[], paint: Paint): string[] {
  if (listed.length === 0) return ['no runs yet']
  const hasTags = listed.some(({ tags }) => tags.length > 0)
  const rows = listed.map(({ run, tags, counts, judgements }) => [
    run.name,
    clip(modelLabel(run), 40),
    tasksLabel(run),
    grouped(counts.docs),
    percent(counts.answered, counts.items),
    runState(counts),
    judgements.some(({ finishedAt }) => finishedAt !== undefined) ? `@${judgements.length}` : '',
    dateTime(run.createdAt),
    ...(hasTags ? [clip(tags.join(', '), 40)] : []),
  ])
  return table(hasTags ? [...columns, { title: 'tags', least: 10, drop: 4 }] : columns, rows, paint)
}

/** The details of one run. */
export function runPage({ run, tags, counts, judgements, batches }: ListedRun, paint: Paint): string[] {
  const failed = Object.entries(counts.failed).map(([name, count]) => `${name} ${grouped(count)}`)
  const { version, node, commit, config } = run.provenance
  return pairs(
    [
      ['run', run.name],
      ['id', run.id],
      ...(tags.length === 0 ? [] : [['tags', tags.join(', ')] as const]),
      ['created', dateTime(run.createdAt)],
      ['state', runState(counts)],
      ['model', modelLabel(run)],
      ...Object.entries(run.asked.model.files ?? {}).map(([name, digest]) => [`  ${name}`, digest] as const),
      ['code', `${codeLabel(run)}   ${run.asked.code}`],
      ['program', `${version}${commit === undefined ? '' : ` (${commit})`}, Node ${node}`],
      ...run.asked.tasks.flatMap(({ name, identity, dataset }) => [
        ['task', `${name}   ${identity}`] as const,
        ['  dataset', `${dataset.path}${dataset.split === undefined ? '' : `, ${dataset.split}`}`] as const,
      ]),
      ['selection', JSON.stringify(run.asked.selection)],
      ['docs', grouped(counts.docs)],
      ['answered', `${grouped(counts.answered)} of ${counted(counts.items, 'item')}`],
      ['failed', failed.length === 0 ? '0' : failed.join(', ')],
      ...batches.map(
        batch =>
          [`batch ${batch.id ?? batch.name}`, `${counted(batch.open, 'request')}, ${batchState(batch)}`] as const,
      ),
      ...judgements.map(judgement => [`judged @${judgement.number}`, judgementState(judgement)] as const),
      ['config', JSON.stringify(config)],
    ],
    paint,
  )
}

const judgementState = ({ createdAt, finishedAt }: Judgement): string =>
  `${dateTime(createdAt)}${finishedAt === undefined ? ', not finished' : ''}`
