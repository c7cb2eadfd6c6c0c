import { delimiter } from 'node:path'
import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import type { MetricDefinition, MetricResource } from '../define/define-metric.js'
import { metricKey } from '../metrics/evaluate/index.js'
import { withChineseTable } from '../text/chinese/zhconv-of-environment.js'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Adds the paths of external resources to a task's scoring rules: those that the entries name, else those from the
 * environment. An `optional` entry without its resource becomes `bypass`, so that the benchmark's other metrics can
 * still be computed.
 *
 * @param metrics the definitions of the metrics that the rules name
 * @throws PipelineError if a path can't be used
 */
export function withResources(
  config: JsonObject,
  metrics: ReadonlyMap<string, MetricDefinition>,
  env: Environment,
): JsonObject {
  const rules = withChineseTable(config, env)
  const { metric_list: entries } = rules
  if (!isList(entries)) return rules
  const addResources = (entry: Json): Json => {
    if (!isObject(entry)) return entry
    const { resources = [] } = metrics.get(readMetricKey(entry)) ?? {}
    return resources.length === 0 ? entry : withEach(entry, resources, env)
  }
  return { ...rules, metric_list: entries.map(addResources) }
}

const readMetricKey = ({ metric, hf_evaluate: isOfEvaluate }: JsonObject): string =>
  typeof metric === 'string' ? metricKey({ metric, hf_evaluate: isOfEvaluate === true }) : ''

function withEach(
  { optional, ...entry }: JsonObject,
  resources: readonly MetricResource[],
  env: Environment,
): JsonObject {
  let placed: JsonObject = entry
  for (const resource of resources) {
    const resourcePath = findResourcePath(resource, entry, env)
    if (resourcePath !== undefined)
      placed = {
        ...placed,
        [resource.argument]: resourcePath.path,
        ...resource.inspect(resourcePath.path, resourcePath.said),
      }
    else if (optional === true && isAbsent(entry[resource.argument])) return leftOut(entry, resource)
  }
  return placed
}

function findResourcePath(
  { argument, variable, isSearchPath = false }: MetricResource,
  entry: JsonObject,
  env: Environment,
): { readonly path: string; readonly said: string } | undefined {
  const own = entry[argument]
  if (typeof own === 'string' && own !== '') return { path: own, said: `metric ${readMetricKey(entry)}, ${argument}` }
  const variableValue = env[variable] ?? ''
  const path = isSearchPath ? variableValue.split(delimiter)[0] : variableValue
  return path === undefined || path === '' || !isAbsent(own) ? undefined : { path, said: variable }
}

const isAbsent = (own: Json | undefined): boolean => own === undefined || own === ''

const leftOut = (entry: JsonObject, { variable, what }: MetricResource): JsonObject => ({
  metric: 'bypass',
  name: entry['name'] ?? entry['metric'],
  higher_is_better: entry['higher_is_better'] ?? true,
  note: `left out: ${variable} does not say where ${what}`,
})
