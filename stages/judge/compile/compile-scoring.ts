/**
 * Compiles a task's scoring configuration to functions. All errors in it are reported at once, before any work
 * starts.
 */
import { ownValue } from '../../../base/values/named-values.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { schemaMistakes } from '../../../base/errors/schema-mistakes.js'
import { callLimited } from '../../../base/time/time-limit.js'
import { findPythonFunction } from '../../../cache/code/python/python-function.js'
import type { JsonObject } from '../../../cache/records.js'
import { definitionIn } from './compile-context.js'
import { compileAggregation, type CompiledAggregation } from './compile-context.js'
import {
  parseArguments,
  convertIssuePath,
  formatConfigPath,
  reportDuplicates,
  shortName,
  type Context,
} from './compile-context.js'
import { argumentsOfEvaluate } from '../metrics/evaluate/arguments.js'
import { evaluateNames, metricKey } from '../metrics/evaluate/index.js'
import { withOwnNumber } from '../metrics/evaluate/arguments.js'
import type { MetricContext, MetricDefinition, MetricInput, ValuePool, Verdict } from '../define/define-metric.js'
import { noJudge, type PanelJudge } from '../define/judge-model.js'
import type { Combination } from '../judges/panel.js'
import { pythonMetric } from '../python/python-scoring.js'
import type { SampleRule } from './over-samples.js'
import { reportMissingSamples } from './sample-counts.js'
import { isMetric, unknownName, type JudgeRegistry } from './registry.js'
import {
  defaultMetrics,
  givesLogprobs,
  scoringConfig,
  type ConfigPath,
  type MetricEntry,
  type MetricFunction,
  type ScoringConfig,
  type ScoringSpec,
} from './scoring-spec.js'
import { type FilterPipeline, compilePipeline, mayTakeLong, formatCall } from './compile-pipeline.js'

export interface CompiledMetric {
  readonly name: string
  readonly higherIsBetter: boolean
  readonly range?: readonly [number, number]
  readonly aggregation: CompiledAggregation
  /** True if its aggregate is the mean of its values. */
  readonly isMean: boolean
  /** True if the metric may take long for some texts. */
  readonly needsTimeLimit: boolean
  readonly samples?: SampleRule
  /** What it reads of an answer, for votes over samples. Absent if it reads the whole text. */
  readonly readAnswer?: (input: Pick<MetricInput, 'text' | 'record' | 'parity'>) => string | undefined
  /** Names of the filter pipelines after which it is computed. All if absent. */
  readonly after?: readonly string[]
  /** True if a value of `null` means that the metric does not apply to the doc, which then has no value of it. */
  readonly mayAbstain?: boolean
  /** The aggregation of values that it returns by other names. Absent if it returns a single value. */
  readonly namedAggregation?: CompiledAggregation
  /** The judge models of this metric, instead of the task's. Several are a panel, and `combine` merges their values. */
  readonly judges?: readonly PanelJudge[]
  readonly combine?: Combination | ValuePool
  /** Absent if `process_results` computes the values. */
  readonly judge?: (input: MetricInput, context: MetricContext) => Verdict | Json | Promise<Verdict | Json>
}

export interface CompiledScoring {
  readonly config: ScoringConfig
  readonly pipelines: readonly FilterPipeline[]
  readonly metrics: readonly CompiledMetric[]
  /** True if it includes users' code, or code that may take long for some texts. */
  readonly needsTimeLimit: boolean
}

/** Compiles the rules. @throws PipelineError with one line for each unknown name, wrong argument and mismatch. */
export function compileScoring(spec: ScoringSpec, registry: JudgeRegistry): CompiledScoring {
  const problems: string[] = []
  const context: Context = {
    spec,
    registry,
    report: (path, message) => void problems.push(`${formatConfigPath(spec, path)}: ${message}`),
  }
  const config = readConfig(context)
  if (config === undefined) throw new PipelineError('config', problems)
  const isWhole = problems.length === 0
  const entries = config.metric_list ?? defaultMetrics(spec.outputType)
  const metrics: CompiledMetric[] = []
  for (const [i, entry] of entries.entries())
    metrics.push(...compileMetric(entry, ['metric_list', i], { ...context, before: metrics }))
  reportDuplicates(
    metrics.map(metric => metric.name),
    'metric_list',
    context,
  )
  const list = config.filter_list ?? [{ name: 'none', filter: [{ function: 'take_first' }] }]
  const pipelines = list.map(({ name, filter }, i) => compilePipeline(name, filter, { at: i, context }))
  reportDuplicates(
    list.map(({ name }) => name),
    'filter_list',
    context,
  )
  if (isWhole) reportUnknownPipelines(config, list, context)
  reportMissingSamples(entries, list, context)
  // A metric and its aggregation may read the same argument, and would report the same mistake twice.
  if (problems.length > 0) throw new PipelineError('config', [...new Set(problems)])
  const needsTimeLimit = [...metrics, ...pipelines].some(part => part.needsTimeLimit)
  return { config, pipelines, metrics, needsTimeLimit }
}

/** Reads the configuration. Invalid values are reported and removed, so that errors in the rest are found too. */
function readConfig({ spec, report }: Context): ScoringConfig | undefined {
  const parsed = scoringConfig.safeParse(spec.config, { reportInput: true })
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  for (const mistake of schemaMistakes(issues, spec.config)) report(convertIssuePath(mistake), mistake.text)
  const rest = issues.reduce<unknown>((config, issue) => withoutValue(config, convertIssuePath(issue)), spec.config)
  const again = scoringConfig.safeParse(rest)
  if (again.success) return again.data
  // A required value may be missing now, so the top-level key that holds it is removed.
  const without = again.error.issues.reduce<unknown>((config, { path }) => withoutValue(config, path.slice(0, 1)), rest)
  return scoringConfig.safeParse(without).data
}

function withoutValue(value: unknown, [step, ...further]: readonly PropertyKey[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value
  const isInside = further.length > 0
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === step && isInside ? withoutValue(item, further) : item))
  const entries = Object.entries(value).filter(([key]) => key !== step || isInside)
  return Object.fromEntries(entries.map(([key, item]) => [key, key === step ? withoutValue(item, further) : item]))
}

interface MetricsContext extends Context {
  /** The metrics earlier in the list. */
  readonly before: readonly CompiledMetric[]
}

function compileMetric(entry: MetricEntry, path: ConfigPath, context: MetricsContext): readonly CompiledMetric[] {
  const { metric: reference, hf_evaluate: isOfEvaluate, name, aggregation, ...further } = entry
  const { higher_is_better: higherIsBetter, samples, after, may_abstain: mayAbstain, ...ownArgs } = further
  const { spec, registry, report } = context
  const callee = ownValue(spec.functions, reference)
  const defined = definitionIn(callee, isMetric)
  const ownFunction = defined === undefined ? callee : undefined
  const definition = defined ?? (ownFunction === undefined ? registry.metrics.get(metricKey(entry)) : undefined)
  if (ownFunction === undefined && definition === undefined && spec.processResults === undefined) {
    report([...path, 'metric'], unknownMetric(entry, registry))
    return []
  }
  const rest = isOfEvaluate === true && callee === undefined ? argumentsOfEvaluate(reference, ownArgs) : ownArgs
  const aggregated = aggregation ?? definition?.aggregation ?? 'mean'
  const aggregate = compileAggregation(aggregated, rest, { path, context })
  if (aggregate === undefined) {
    if (spec.processResults === undefined && ownFunction === undefined && definition !== undefined)
      parseArguments(definition, rest, { path, context })
    return []
  }
  const valuesName = name ?? (callee === undefined ? reference : shortName(reference))
  const judges = spec.judges?.get(valuesName)
  const common = {
    name: valuesName,
    ...(judges && {
      judges,
      combine: definition?.pool ?? (rest['combine'] === 'mean' ? ('mean' as const) : ('majority' as const)),
    }),
    higherIsBetter: higherIsBetter ?? definition?.higherIsBetter ?? true,
    aggregation: aggregate,
    isMean: aggregated === 'mean',
    needsTimeLimit: spec.processResults !== undefined || ownFunction !== undefined || mayTakeLong(definition, rest),
    ...(samples !== undefined && { samples }),
    ...(after !== undefined && { after }),
  }
  if (spec.processResults !== undefined) {
    const range = readRange(rest['range'], path, report) ?? definition?.range
    return [{ ...common, ...(range && { range }) }]
  }
  if (ownFunction !== undefined) {
    const python = findPythonFunction(ownFunction)
    const judge = python === undefined ? (ownFunction as MetricFunction) : pythonMetric(python, spec.media)
    const namedAggregation = python && compileAggregation('mean', {}, { path, context })
    const further = { ...(mayAbstain === true && { mayAbstain }), ...(namedAggregation && { namedAggregation }) }
    return [{ ...common, ...further, judge: (input, context) => judge(input, rest as JsonObject, context) }]
  }
  if (definition === undefined) return []
  const isPlain = isOfEvaluate === true && aggregate.of === 'numbers'
  return bindMetric(isPlain ? withOwnNumber(definition) : definition, { common, rest, path, context })
}

/** The lowest and highest value that code of the task gives, by the key `range`. */
function readRange(value: unknown, path: ConfigPath, report: Context['report']): readonly [number, number] | undefined {
  if (value === undefined) return undefined
  const [low, high, ...more] = Array.isArray(value) ? (value as readonly unknown[]) : []
  if (typeof low === 'number' && typeof high === 'number' && low < high && more.length === 0) return [low, high]
  report([...path, 'range'], 'expected the lowest and the highest value, such as [0, 1]')
  return undefined
}

function unknownMetric({ metric, hf_evaluate: isOfEvaluate }: MetricEntry, { names }: JudgeRegistry): string {
  if (isOfEvaluate !== true) return unknownName('metric', metric, names.metrics)
  const own = names.metrics.includes(metric) ? ' Without hf_evaluate it is a metric of this program.' : ''
  return `of the package evaluate there is ${unknownName('metric', metric, evaluateNames)}${own}`
}

function bindMetric(
  definition: MetricDefinition,
  {
    common,
    rest,
    path,
    context,
  }: {
    readonly common: Pick<
      CompiledMetric,
      | 'name'
      | 'higherIsBetter'
      | 'aggregation'
      | 'isMean'
      | 'needsTimeLimit'
      | 'samples'
      | 'after'
      | 'judges'
      | 'combine'
    >
    readonly rest: Readonly<Record<string, unknown>>
    readonly path: ConfigPath
    readonly context: MetricsContext
  },
): readonly CompiledMetric[] {
  const needed = definition.reads ?? 'text'
  const answerPart = givesLogprobs(context.spec.outputType) ? 'logprobs' : 'text'
  if (needed !== 'any' && needed !== answerPart) {
    const reads = needed === 'text' ? 'texts' : 'log-likelihoods'
    context.report(path, `${definition.id} judges ${reads}, which output_type ${context.spec.outputType} does not give`)
    return []
  }
  const args = parseArguments(definition, rest, { path, context })
  if (args === undefined) return []
  const { before } = context
  const names = before.map(({ name }) => name)
  const missing = definition.readsMetrics?.(args.value).filter(name => !names.includes(name)) ?? []
  for (const name of missing)
    context.report(
      path,
      `${definition.id} comes after the metrics that it reads: ${unknownName('metric', name, names)}`,
    )
  const metricRange =
    definition.findRange?.(args.value, name => before.find(earlierMetric => earlierMetric.name === name)?.range) ??
    definition.range
  const range = metricRange === undefined ? {} : { range: metricRange }
  const judge: CompiledMetric['judge'] = (input, { ask, findVerdict, programs }) =>
    definition.judge(input, args.value, {
      ask: definition.asksJudge === true ? ask : noJudge,
      programs,
      ...(findVerdict && { findVerdict }),
    })
  const { readAnswer: readOwn } = definition
  const readAnswer = readOwn && { readAnswer: (input: Parameters<typeof readOwn>[0]) => readOwn(input, args.value) }
  if (!common.needsTimeLimit) return [{ ...common, ...range, ...readAnswer, judge }]
  const call = formatCall(`metric ${common.name}`, rest)
  return [
    {
      ...common,
      ...range,
      ...readAnswer,
      judge: (input, metricContext) => callLimited(call, () => judge(input, metricContext)),
    },
  ]
}

function reportUnknownPipelines(
  { metric_list: metrics = [] }: ScoringConfig,
  pipelines: readonly { readonly name: string }[],
  { report }: Context,
): void {
  const pipelineNames = pipelines.map(({ name }) => name)
  metrics.forEach(({ after = [] }, i) => {
    for (const name of after)
      if (!pipelineNames.includes(name))
        report(['metric_list', i, 'after'], unknownName('pipeline of filters', name, pipelineNames))
  })
}

/** Returns whether a metric is computed after this pipeline. */
export const isAfter = ({ after }: Pick<CompiledMetric, 'after'>, { name }: Pick<FilterPipeline, 'name'>): boolean =>
  after?.includes(name) ?? true
