import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import { ownValue } from '../../../base/values/named-values.js'
import { without as omitKey } from '../../../base/values/without.js'
import type { JsonObject, StoredScoring } from '../../../cache/records.js'
import { metricKey } from '../metrics/evaluate/index.js'
import { definitionIn, shortName } from './compile-context.js'
import { isMetric, loadJudges, withJudgePlugins, type JudgeRegistry } from './registry.js'
import { defaultMetrics, scoringConfig, type TaskFunction } from './scoring-spec.js'

/**
 * Loads the metrics, filters and aggregations that a task's configuration names, built in or exported by plugins.
 * Errors in the configuration are reported by `makeScorer`.
 */
export async function loadTaskJudges(
  task: { readonly config: JsonObject; readonly outputType: string },
  exported: readonly unknown[],
): Promise<JudgeRegistry> {
  const judges = await loadJudges(namesIn(task))
  return withJudgePlugins(judges, exported).registry
}

/**
 * Lists the names of the metrics in the configuration that may ask the judge model: those whose definition says so, and
 * all functions of the task's own.
 */
export function listAskingMetrics(
  { metric_list: entries }: JsonObject,
  {
    registry,
    functions = {},
  }: { readonly registry: JudgeRegistry; readonly functions?: Readonly<Record<string, unknown>> },
): readonly string[] {
  if (!isList(entries)) return []
  return entries.flatMap(entry => {
    if (!isObject(entry) || typeof entry['metric'] !== 'string') return []
    const { metric, name } = entry
    const own = ownValue(functions, metric)
    const definition = definitionIn(own as TaskFunction | undefined, isMetric)
    const mayAsk = own !== undefined && definition === undefined
    if (!mayAsk && (definition ?? registry.metrics.get(metric))?.asksJudge !== true) return []
    return [typeof name === 'string' ? name : own === undefined ? metric : shortName(metric)]
  })
}

/** A judge that an entry of `metric_list` names, as written. */
export interface NamedByEntry {
  /** The name of the metric's values. */
  readonly metric: string
  readonly judge: Json
  /** The entry's position in the list. */
  readonly index: number
}

/** Lists the judges that a task's configuration names. Functions of the task take an argument of that name themselves. */
export const listEntryJudges = ({
  config: { metric_list: entries },
  functions = {},
}: Pick<StoredScoring, 'config' | 'functions'>): readonly NamedByEntry[] =>
  (isList(entries) ? entries : []).flatMap((entry, index) => {
    if (!isObject(entry) || typeof entry['metric'] !== 'string' || entry['judge'] === undefined) return []
    const { metric, name, judge } = entry
    return Object.hasOwn(functions, metric) ? [] : [{ metric: typeof name === 'string' ? name : metric, judge, index }]
  })

/** Returns the configuration without the judges that it names, which scores' keys have by their identities. */
export function withoutEntryJudges(config: JsonObject, { metrics }: JudgeRegistry): JsonObject {
  const { metric_list: entries } = config
  if (!isList(entries)) return config
  const asksJudge = ({ metric }: JsonObject): boolean =>
    typeof metric === 'string' && metrics.get(metric)?.asksJudge === true
  const withoutJudge = (entry: Json): Json => (isObject(entry) && asksJudge(entry) ? omitKey(entry, 'judge') : entry)
  return { ...config, metric_list: entries.map(withoutJudge) }
}

function namesIn({ config, outputType }: { readonly config: JsonObject; readonly outputType: string }) {
  const parsed = scoringConfig.safeParse(config)
  // If the configuration does not match the schema, the definitions are looked up by every text in it. `makeScorer`
  // can then still report all other errors.
  if (!parsed.success) return whatever([...textsIn(config), ...defaultMetrics(outputType).map(metricKey)])
  const { metric_list: entries = defaultMetrics(outputType), filter_list: pipelines = [] } = parsed.data
  return {
    // An optional metric without its resource becomes `bypass`.
    metrics: ['bypass', ...entries.map(metricKey)],
    filters: ['take_first', ...pipelines.flatMap(({ filter }) => filter.map(step => step.function))],
    aggregations: entries.flatMap(({ aggregation }) => aggregation ?? []),
  }
}

const whatever = (names: readonly string[]) => ({
  metrics: ['bypass', ...names].flatMap(metric => [metric, metricKey({ metric, hf_evaluate: true })]),
  filters: ['take_first', ...names],
  aggregations: names,
})

function* textsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) yield* textsIn(item as Json)
}
