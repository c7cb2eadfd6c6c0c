/** The numbers and parameters of a run, by the names that trackers show. */
import { isObject, type Json } from '../../base/values/canonical-json.js'
import { without } from '../../base/values/without.js'
import type { Aggregate, Run } from '../../cache/records.js'
import { metricLabel } from '../reading/metric-label.js'
import { modelLabel } from '../present/text/results/run-header.js'

/** Numbers by name: `mme/acc`, `mme/acc/stderr`. They are finite. */
export type TrackedMetrics = ReadonlyMap<string, number>

/** Lists the numbers of a judgement and of the run's requests. A value that is missing or not finite is left out. */
export function collectMetrics(aggregates: readonly Aggregate[], results: Json): TrackedMetrics {
  const metrics = new Map<string, number>()
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'number' && Number.isFinite(value)) metrics.set(name, value)
  }
  for (const aggregate of aggregates) {
    const { task, group, value, stderr, interval, n, total, unparsed, empty } = aggregate
    const part = group === undefined ? '' : `/${group.field}=${group.label}`
    const name = `${task}/${metricLabel(aggregate)}${part}`
    add(name, value)
    add(`${name}/stderr`, stderr)
    add(`${name}/low`, interval?.[0])
    add(`${name}/high`, interval?.[1])
    add(`${name}/docs`, n)
    if (group !== undefined) continue
    add(`${name}/coverage`, total === 0 ? null : n / total)
    add(`${name}/unparsed`, unparsed)
    add(`${name}/empty`, empty)
  }
  for (const [name, path] of Object.entries(runNumbers)) add(`run/${name}`, readNumber(results, path))
  return metrics
}

/** Numbers of a run in its results JSON. */
const runNumbers = {
  docs: ['counts', 'docs'],
  answered: ['counts', 'answered'],
  pending: ['counts', 'pending'],
  failed: ['failures', 'length'],
  input_tokens: ['throughput', 'tokens', 'input'],
  output_tokens: ['throughput', 'tokens', 'output'],
  cost_usd: ['throughput', 'cost', 'usd'],
  busy_seconds: ['throughput', 'busy_ms'],
  requests_per_second: ['throughput', 'requests_per_second'],
  output_tokens_per_second: ['throughput', 'output_tokens_per_second'],
} as const

function readNumber(results: Json, path: readonly string[]): number | undefined {
  let value: unknown = results
  for (const name of path) value = isObject(value) ? value[name] : Array.isArray(value) ? value.length : undefined
  if (typeof value !== 'number') return undefined
  return path.at(-1) === 'busy_ms' ? value / 1_000 : value
}

/** Collects what a run was set to, as texts by name. Secrets are not among what is stored of it. */
export function collectParameters(run: Run): ReadonlyMap<string, string> {
  const config = without(run.provenance.config, 'cwd')
  const parameters = new Map<string, string>([
    ['model', modelLabel(run)],
    ['backend', run.asked.model.backend],
    ['tasks', run.asked.tasks.map(({ name }) => name).join(',')],
    ['version', run.provenance.version],
    ...(run.provenance.commit === undefined ? [] : [['commit', run.provenance.commit] as const]),
  ])
  const add = (name: string, value: unknown): void => {
    if (value === undefined) return
    if (isObject(value)) for (const [inner, innerValue] of Object.entries(value)) add(`${name}.${inner}`, innerValue)
    else if (!parameters.has(name)) parameters.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  for (const [name, value] of Object.entries(config)) add(name, value)
  return parameters
}
