import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { explainedError, openStore as openStoreAt } from '../../../cache/open.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type {
  Aggregate,
  ChatMessage,
  Failure,
  JudgeRecord,
  Judgement,
  ResponseBody,
  ScoreBody,
} from '../../../cache/records.js'
import type { Sample, Store } from '../../../cache/store.js'
import { isTaskValue, type TaskValue } from '../../../stages/input/tasks/task-value.js'
import { chooseOutcome, type SampleOutcome } from '../../../cache/facts/sample-facts.js'
import { storedStop } from '../../cost/spending.js'
import type { EvalOutcome } from '../../config/settings.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { makeSampleFilter, type SampleConditions } from '../../reading/samples/sample-filter.js'
import { sampleKinds, type SampleKind } from '../../reading/samples/sample-kinds.js'
import { sampleTest, type SampleTest } from '../../reading/samples/sample-tests.js'
import { checkOptions, fields, type OptionFields } from '../options/check-options.js'
import type { OpenedStore } from '../options/evaluate-options.js'
import type { MetricsOf } from '../values/tasks.js'

/** A doc with its answers and scores. */
export interface ScoredDoc {
  readonly task: string
  /** The doc's index in the task's dataset, after `process_docs`. */
  readonly index: number
  readonly id: string
  /** Target, choices and other fields of the doc for scoring. */
  readonly record: JudgeRecord
  /** In the order of choices, then samples. */
  readonly answers: readonly ResponseBody[]
  readonly score: ScoreBody
}

/** A doc of a run, with any outcome. */
export interface RunSample {
  readonly task: string
  /** The doc's index in the task's dataset. */
  readonly index: number
  readonly id: string
  /** The doc's fields without its media. */
  readonly doc: JudgeRecord['doc']
  readonly target: Json
  readonly choices?: readonly string[]
  /** The messages that were shown to the model. Empty if no request could be created. */
  readonly messages: readonly ChatMessage[]
  /** The first answer, if there is one. */
  readonly text?: string
  /** In the order of choices, then repeats. */
  readonly answers: readonly ResponseBody[]
  /** Values by metric. Empty if the doc has no score. */
  readonly values: Readonly<Record<string, Json>>
  /** The filtered answer, by pipeline. */
  readonly extracted: Readonly<Record<string, Json>>
  readonly outcome: SampleOutcome
  /** The reason why the answer could not be parsed or scored. */
  readonly reason?: string
  readonly failures: readonly Failure[]
}

/** Conditions that select docs. A doc must meet all of them. */
export interface SampleQuery extends SampleConditions {
  /** `wrong` selects scored docs that were parsed and are below the maximum of their first metric. @default 'all' */
  readonly only?: SampleKind
  /** The run of the same store that `flipped`, `improved` and `worsened` compare with: a name, an id, or `last~1`. */
  readonly against?: string
  /** @default all tasks */
  readonly task?: string | TaskValue
}

const queryFields = {
  only: fields.choice(sampleKinds),
  against: fields.text,
  task: z
    .union([z.string(), z.custom(isTaskValue)])
    .describe('a task or its name')
    .optional(),
  docs: fields.text,
  where: fields.texts('conditions FIELD=VALUE'),
  score: fields.texts('conditions on a metric'),
  answer: fields.text,
} satisfies OptionFields<SampleQuery>

/** A metric's number for a task. `value` is null if no doc has a score. */
export type MetricResult = Pick<
  Aggregate,
  'value' | 'stderr' | 'interval' | 'intervalMethod' | 'n' | 'total' | 'unparsed' | 'higherIsBetter'
> &
  Pick<Partial<Aggregate>, 'bounds' | 'note' | 'error'>

/** The numbers of one task. */
export interface TaskResult<Metric extends string = string> {
  readonly task: string
  /** The values by name, for the first filter pipeline. Numbers for all pipelines are in `aggregates`. */
  readonly metrics: Readonly<Record<Metric, MetricResult>>
  /** All numbers of the task, including its breakdown. */
  readonly aggregates: readonly Aggregate[]
}

type Tasks = readonly (string | TaskValue)[]

/** The outcome of an evaluation. */
export interface EvaluatedRun<Given extends Tasks = Tasks> extends EvalOutcome {
  /** The folder of the store that the run is in. */
  readonly store: string
  /**
   * Returns the numbers of a task, named as in the call of `evaluate`.
   *
   * @throws PipelineError if the run has no such task, or no finished judgement
   */
  of<One extends Given[number]>(task: One): TaskResult<MetricsOf<One>>
  /** Iterates over docs in the order of the dataset. They are read from the store as needed; you can iterate any number of times. */
  samples(query?: SampleQuery): AsyncIterable<RunSample>
  /**
   * Iterates over the scored docs of a task, or of all tasks, in the order of the dataset. They are read from the store as needed; you can iterate
   * any number of times. Docs without a score are in `failures`.
   *
   * @throws PipelineError if the run has no such task
   */
  scores(task?: string): AsyncIterable<ScoredDoc>
}

/** @param given an open store to read from, which stays open. Without it, the store is opened for each reading */
export function evaluatedRun<Given extends Tasks>(
  outcome: EvalOutcome,
  { dir, given }: { readonly dir: string; readonly given?: OpenedStore },
): EvaluatedRun<Given> {
  const names = outcome.run.asked.tasks.map(({ name }) => name)
  const checkTaskName = (task: string | TaskValue): string => {
    const name = nameIn(task, names)
    if (name !== undefined) return name
    const text = typeof task === 'string' ? task : task.name
    throw new PipelineError('usage', `run ${outcome.run.name} has no task "${text}".${didYouMean(text, names)}`)
  }
  const opened = { run: outcome.run, ...(outcome.judgement && { judgement: outcome.judgement }) }
  /** @param choose makes the test that the samples must pass */
  async function* read(
    choose?: (store: Store) => Promise<SampleTest>,
  ): AsyncGenerator<{ readonly name: string; readonly sample: Sample }> {
    const store = given ?? (await openStoreAt(dir, { access: 'read' }))
    try {
      const isChosen = await choose?.(store)
      for await (const sample of store.judgements.samples(outcome.run, outcome.judgement))
        if (isChosen?.(sample) !== false) yield { name: names[sample.task] ?? '', sample }
    } catch (error) {
      throw await explainedError(dir, error)
    } finally {
      if (given === undefined) await store.close()
    }
  }
  return {
    ...outcome,
    ...(outcome.stopped && { stopped: storedStop(outcome.stopped) }),
    store: dir,
    of: task => taskResult(outcome, checkTaskName(task), task),
    async *samples(query = {}) {
      checkOptions(query, queryFields)
      const { only = 'all', against, task, ...conditions } = query
      const wanted = task === undefined ? undefined : checkTaskName(task)
      const filter = makeSampleFilter(opened, conditions)
      const test = async (store: Store): Promise<SampleTest> => {
        const isOfKind = await sampleTest(
          store,
          opened,
          only,
          against === undefined ? undefined : await openRun(store, against),
        )
        return sample => filter.passes(sample) && isOfKind(sample)
      }
      for await (const { name, sample } of read(test))
        if (wanted === undefined || name === wanted) yield runSample(name, sample)
      filter.checkNames()
    },
    async *scores(task) {
      const wanted = task === undefined ? undefined : checkTaskName(task)
      for await (const { name, sample } of read()) {
        const { index, id, record, items, score } = sample
        if (score === undefined || (wanted !== undefined && name !== wanted)) continue
        yield { task: name, index, id, record, answers: items.flatMap(({ response }) => response?.body ?? []), score }
      }
    },
  }
}

/** Finds the name of a task from its value or name. The name of a file with one task means that task. */
function nameIn(task: string | TaskValue, names: readonly string[]): string | undefined {
  const name = isTaskValue(task) ? task.name : (/\.[cm]?[jt]s#(.+)$/.exec(task)?.[1] ?? task)
  const [only] = names
  return names.find(candidate => candidate === name) ?? (names.length === 1 && /[\\/.]/.test(name) ? only : undefined)
}

function taskResult<One extends string | TaskValue>(
  { run, judgement }: Pick<EvalOutcome, 'run'> & { readonly judgement?: Judgement },
  name: string,
  task: One,
): TaskResult<MetricsOf<One>> {
  if (judgement?.aggregates === undefined)
    throw new PipelineError(
      'usage',
      `run ${run.name} has no numbers: it is not judged to its end. Score it: judge(run)`,
    )
  const own = judgement.aggregates.filter(aggregate => aggregate.task === name && aggregate.of === undefined)
  const metrics: Record<string, MetricResult> = {}
  // A metric without any value has no aggregate, but is listed all the same.
  for (const metric of isTaskValue(task) ? metricsIn(task) : []) metrics[metric] = noNumber(own[0]?.total ?? 0)
  for (const aggregate of own.filter(({ group }) => group === undefined).reverse()) {
    metrics[aggregate.metric] = aggregate
    if (aggregate.filter !== 'none') metrics[`${aggregate.metric},${aggregate.filter}`] = aggregate
  }
  return { task: name, metrics: metrics as Readonly<Record<MetricsOf<One>, MetricResult>>, aggregates: own }
}

const metricsIn = ({ keys }: TaskValue): readonly string[] =>
  (keys['metric_list'] as readonly { readonly name: string }[]).map(({ name }) => name)

const noNumber = (total: number): MetricResult => ({
  value: null,
  stderr: null,
  interval: null,
  intervalMethod: 'none',
  n: 0,
  total,
  unparsed: 0,
  higherIsBetter: true,
})

function runSample(task: string, { index, id, record, items, score }: Sample): RunSample {
  const answers = items.flatMap(({ response }) => response?.body ?? [])
  const failures = items.flatMap(({ failure }) => failure ?? [])
  const [first] = answers
  return {
    task,
    index,
    id,
    doc: record.doc,
    target: record.target,
    ...(record.choices === undefined ? {} : { choices: record.choices }),
    messages: items[0]?.request?.input.messages ?? [],
    ...(first === undefined ? {} : { text: first.text }),
    answers,
    values: score?.values ?? {},
    extracted: score?.extracted ?? {},
    outcome: chooseOutcome(score, failures.length > 0),
    ...(score?.reason === undefined ? {} : { reason: score.reason }),
    failures,
  }
}
