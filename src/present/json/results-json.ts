import { describeStopping } from '../../reading/stopping-text.js'
import { metricLabel } from '../../reading/metric-label.js'
import type { BaselineComparison } from '../../reading/comparing/baseline.js'
import type { Assessment } from '../../reading/gates/assess-run.js'
import { storedText } from '../../../base/errors/option-words.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import type { Aggregate, Judgement, Run, RunGroup } from '../../../cache/records.js'
import type { FailedItem, RunCounts } from '../../../cache/store.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { Stop } from '../../../stages/model/budget/budget.js'
import type { RunStats } from '../../../stages/model/stats/run-stats.js'
import { batchJson } from './batch-json.js'
import { throughputJson } from './throughput-json.js'

/** The results JSON of a run. */
export interface Results {
  readonly run: Run
  readonly counts: RunCounts
  readonly failures: readonly FailedItem[]
  readonly judgement?: Judgement
  /** The stats of the whole run. */
  readonly figures?: RunStats
  /** The run beside a baseline, and its gates. */
  readonly assessment?: Assessment | undefined
  /** The counts of this command's own work. */
  readonly session?: {
    readonly elapsedMs: number
    readonly asked: number
    readonly unanswered?: number
    readonly fromStore: number
    readonly stopped?: Stop
    readonly judgeStopped?: string
    readonly batches?: readonly ProviderBatch[]
  }
}

/**
 * Creates results JSON of `format` 1. Equal answers give equal `run`, `config`, `tasks`, `counts` and `versions`. `throughput`, `provenance` and
 * `session` depend on time and machine. Intervals are 95 %.
 */
export function resultsJson(results: Results): Json {
  const { run, counts, failures, judgement, figures: measured, assessment, session } = results
  const { cwd, ...config } = run.provenance.config
  const { version, node, commit, dirty } = run.provenance
  return {
    format: 1,
    run: { id: run.id, name: run.name, ...(judgement && { judgement: judgement.number }) },
    config,
    tasks: taskResults(run, judgement?.aggregates ?? [], assessment?.baseline),
    ...(run.asked.groups && {
      groups: groupResults(run.asked.groups, judgement?.aggregates ?? [], assessment?.baseline),
    }),
    ...assessmentJson(assessment),
    counts: {
      docs: counts.docs,
      items: counts.items,
      answered: counts.answered,
      pending: counts.pending,
      failed: counts.failed,
    },
    failures: failures.map(({ task, doc, choice, sample, failure }) => ({
      task,
      doc,
      choice,
      sample,
      class: failure.class,
      message: failure.message,
    })),
    ...(measured && { throughput: throughputJson(measured) }),
    versions: {
      pipeline: version,
      code: run.asked.code,
      model: { backend: run.asked.model.backend, args: run.asked.model.args, files: run.asked.model.files },
      tasks: Object.fromEntries(run.asked.tasks.map(task => [task.name, task.identity])),
    },
    provenance: {
      node,
      commit,
      dirty,
      cwd,
      created_at: new Date(run.createdAt).toISOString(),
      ...(measured?.served && { served: measured.served.map(({ model, answers }) => ({ model, answers })) }),
    },
    ...(session && {
      session: {
        elapsed_ms: Math.round(session.elapsedMs),
        asked: session.asked,
        ...(session.unanswered !== undefined && { unanswered: session.unanswered }),
        from_store: session.fromStore,
        ...(session.stopped && { stopped: stopJson(session.stopped) }),
        ...(session.judgeStopped !== undefined && { judge_stopped: session.judgeStopped }),
        ...(session.batches && { batches: session.batches.map(batchJson) }),
      },
    }),
  }
}

/** A reader tells by `access` what must be mended: `key`, `account`, `target` or `connection`. */
const stopJson = ({ why, limit, message, access }: Stop): Json => ({
  why,
  ...(limit && { limit }),
  message: storedText(message),
  ...(access && {
    access: access.about,
    ...(access.keyVariable !== undefined && { key_variable: access.keyVariable }),
  }),
})

function taskResults(run: Run, aggregates: readonly Aggregate[], baseline: BaselineComparison | undefined): Json {
  return Object.fromEntries(
    run.asked.tasks.map(({ name }) => {
      const own = aggregates.filter(({ task, of }) => task === name && of === undefined)
      const whole = own.filter(({ group }) => group === undefined)
      return [
        name,
        Object.fromEntries(
          whole.map(metric => [
            metricLabel(metric),
            { ...metricResult(metric, own), ...baselineJson(metric, baseline) },
          ]),
        ),
      ]
    }),
  )
}

/** Groups by name: alias, members, and metrics with the tasks they aggregate. */
function groupResults(
  groups: readonly RunGroup[],
  aggregates: readonly Aggregate[],
  baseline: BaselineComparison | undefined,
): Json {
  return Object.fromEntries(
    groups.map(({ name, alias, members, version }) => {
      const own = aggregates.filter(({ task, of }) => task === name && of !== undefined)
      const numbers = own.map(metric => [
        metricLabel(metric),
        { ...figures(metric), tasks: metric.of, ...baselineJson(metric, baseline) },
      ])
      return [
        name,
        {
          alias: alias ?? name,
          members,
          ...(version === undefined ? {} : { version }),
          metrics: Object.fromEntries(numbers) as Json,
        },
      ]
    }),
  )
}

function metricResult(metric: Aggregate, own: readonly Aggregate[]) {
  const groups = own.filter(
    ({ group, metric: name, filter }) => group !== undefined && name === metric.metric && filter === metric.filter,
  )
  return {
    ...figures(metric),
    ...(groups.length > 0 && {
      groups: groups.map(group => ({ field: group.group?.field, label: group.group?.label, ...figures(group) })),
    }),
  }
}

const figures = (aggregate: Aggregate) => ({
  value: aggregate.value,
  stderr: aggregate.stderr,
  interval: aggregate.interval,
  interval_method: aggregate.intervalMethod,
  higher_is_better: aggregate.higherIsBetter,
  n: aggregate.n,
  draws: aggregate.draws,
  media: aggregate.media,
  total: aggregate.total,
  coverage: aggregate.total === 0 ? null : aggregate.n / aggregate.total,
  unparsed: aggregate.unparsed,
  empty: aggregate.empty,
  cut: aggregate.cut,
  empty_cut: aggregate.emptyCut,
  endings: aggregate.endings,
  reasoned: aggregate.reasoned,
  reasoning_characters: aggregate.reasoningCharacters,
  bounds: aggregate.bounds,
  ...(aggregate.stopping && {
    stopping: { ...aggregate.stopping, text: describeStopping({ ...aggregate, stopping: aggregate.stopping }) },
  }),
  note: aggregate.note,
  error: aggregate.error,
  judges: aggregate.judges,
  panel: aggregate.panel,
})

/** The difference from the baseline's score, if there is one. */
function baselineJson(aggregate: Aggregate, baseline: BaselineComparison | undefined) {
  const row = baseline?.rows.find(({ task, metric }) => task === aggregate.task && metric === metricLabel(aggregate))
  if (row === undefined) return {}
  const { baseline: value, difference, interval, p, verdict, isPaired } = row
  return { baseline: { value, difference, interval, p, verdict, is_paired: isPaired } }
}

/** Creates the JSON of a baseline's name and of gates. */
export const assessmentJson = (assessment: Assessment | undefined) => ({
  ...(assessment?.baseline && { baseline: { name: assessment.baseline.label, notes: assessment.baseline.notes } }),
  ...(assessment !== undefined &&
    assessment.gates.length > 0 && { gates: assessment.gates.map(gate => ({ ...gate })) }),
})
