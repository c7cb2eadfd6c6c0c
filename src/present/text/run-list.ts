import { describeStopping } from '../../reading/stopping-text.js'
import { metricLabel } from '../../reading/metric-label.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import type { Judgement, Run } from '../../../cache/records.js'
import type { RunCounts } from '../../../cache/store.js'
import { isComplete } from '../../../cache/facts/run-state.js'
import { present } from '../../../base/values/present.js'
import type { StoppedSession } from '../../reading/runs/session-end.js'
import { oneLine } from '../../../base/text/visible-text.js'
import { batchState } from './batch-list.js'
import { formatQuantity, dateTime, formatDecimal, formatCount, percent } from '../../../base/text/numbers.js'
import type { Paint } from './layout/paint.js'
import { firstScore } from '../../reading/runs/first-score.js'
import { readRunAbout } from '../../reading/runs/run-about.js'
import { stoppedText, stopWord } from '../../reading/runs/stopped-run.js'
import { codeLabel, listedModel, modelLabel, runLabel, tasksLabel } from './results/run-header.js'
import { pairs, table, type Column } from './layout/table.js'
import { clip } from './layout/width.js'

export interface ListedRun {
  readonly run: Run
  readonly tags: readonly string[]
  readonly counts: RunCounts
  readonly judgements: readonly Judgement[]
  readonly batches: readonly ProviderBatch[]
  /** The reason why the last session of the run ended, if the run is not complete and no process works on it. */
  readonly stopped?: StoppedSession
}

/** `complete`, `4 failed`, `288 to ask (interrupted)`, `reading`. */
function runState({ counts, stopped }: Pick<ListedRun, 'counts' | 'stopped'>): string {
  const state = countsState(counts)
  const word = stopped && stopWord(stopped)
  return word === undefined ? state : `${state} (${word})`
}

function countsState(counts: RunCounts): string {
  if (isComplete(counts)) return 'complete'
  const { failed, pending, inputFinished } = counts
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0)
  const parts = [
    ...(inputFinished ? [] : ['input not finished']),
    ...(pending > 0 ? [`${formatCount(pending)} to ask`] : []),
    ...(failures > 0 ? [`${formatCount(failures)} failed`] : []),
  ]
  return parts.join(', ')
}

const columns: readonly Column[] = [
  { title: 'run', least: 16 },
  // Whole, on several lines if needed: models of one family differ in a few characters anywhere in their names.
  { title: 'model', least: 14 },
  { title: 'tasks', least: 12, isCut: true },
  { title: 'docs', align: 'right', drop: 5 },
  { title: 'answered', align: 'right', drop: 3 },
  { title: 'metric', least: 11, drop: 1 },
  { title: 'score', align: 'right' },
  { title: 'state', least: 10 },
  { title: 'judged', drop: 4 },
  { title: 'created', drop: 6 },
]

/** One line for each run, the newest last, in the order that `last` and `last~1` count. */
export function runList(listed: readonly ListedRun[], paint: Paint): string[] {
  if (listed.length === 0) return ['no runs yet']
  const hasTags = listed.some(({ tags }) => tags.length > 0)
  const rows = listed.map(({ run, tags, counts, judgements, stopped }) => [
    runLabel(run),
    listedModel(run),
    tasksLabel(run),
    formatCount(counts.docs),
    percent(counts.answered, counts.items),
    ...scoreCells(judgements),
    runState({ counts, ...present({ stopped }) }),
    judgements.some(({ finishedAt }) => finishedAt !== undefined) ? `@${judgements.length}` : '',
    dateTime(run.createdAt),
    ...(hasTags ? [clip(tags.join(', '), 40)] : []),
  ])
  return table(hasTags ? [...columns, { title: 'tags', least: 10, drop: 2 }] : columns, rows, paint)
}

function scoreCells(judgements: readonly Judgement[]): readonly [string, string] {
  const first = firstScore(judgements)
  if (first === undefined) return ['', '–']
  return [
    first.isOnly ? metricLabel(first.aggregate) : `${first.aggregate.task} ${metricLabel(first.aggregate)}`,
    formatDecimal(first.aggregate.value),
  ]
}

/** The details of one run. */
export function runPage({ run, tags, counts, judgements, batches, stopped }: ListedRun, paint: Paint): string[] {
  const failed = Object.entries(counts.failed).map(([name, count]) => `${name} ${formatCount(count)}`)
  const { version, node, commit, config } = run.provenance
  const { title, note } = readRunAbout(run)
  return pairs(
    [
      ['run', run.name],
      ['id', run.id],
      ...(title === undefined ? [] : [['name', oneLine(title)] as const]),
      ...(note === undefined ? [] : [['note', oneLine(note)] as const]),
      ...(tags.length === 0 ? [] : [['tags', tags.join(', ')] as const]),
      ['created', dateTime(run.createdAt)],
      ['state', countsState(counts)],
      ...(stopped === undefined ? [] : [['stopped', stoppedText(stopped)] as const]),
      ['model', modelLabel(run)],
      ...Object.entries(run.asked.model.files ?? {}).map(([name, digest]) => [`  ${name}`, digest] as const),
      ['code', `${codeLabel(run)}   ${run.asked.code}`],
      ['program', `${version}${commit === undefined ? '' : ` (${commit})`}, Node ${node}`],
      ...run.asked.tasks.flatMap(({ name, identity, dataset }) => [
        ['task', `${name}   ${identity}`] as const,
        ['  dataset', `${dataset.path}${dataset.split === undefined ? '' : `, ${dataset.split}`}`] as const,
      ]),
      ['selection', JSON.stringify(run.asked.selection)],
      ['docs', formatCount(counts.docs)],
      ...listStops(judgements),
      ['answered', `${formatCount(counts.answered)} of ${formatQuantity(counts.items, 'item')}`],
      ['failed', failed.length === 0 ? '0' : failed.join(', ')],
      ...batches.map(
        batch =>
          [
            `batch ${batch.id ?? batch.name}`,
            `${formatQuantity(batch.open, 'request')}, ${batchState(batch)}`,
          ] as const,
      ),
      ...judgements.map(judgement => [`judged @${judgement.number}`, judgementState(judgement)] as const),
      ['config', JSON.stringify(config)],
    ],
    paint,
  )
}

const listStops = (judgements: readonly Judgement[]): readonly (readonly [string, string])[] =>
  (judgements.findLast(({ aggregates }) => aggregates !== undefined)?.aggregates ?? []).flatMap(aggregate =>
    aggregate.stopping === undefined
      ? []
      : [['enough', `${aggregate.task}: ${describeStopping({ ...aggregate, stopping: aggregate.stopping })}`]],
  )

const judgementState = ({ createdAt, finishedAt }: Judgement): string =>
  `${dateTime(createdAt)}${finishedAt === undefined ? ', not finished' : ''}`
