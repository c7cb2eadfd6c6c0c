import type { JsonObject } from '../../cache/records.js'
import { metricKey } from './metrics/evaluate/index.js'
import { loadJudges, withJudgePlugins, type JudgeRegistry } from './registry.js'
import { defaultMetrics, scoringConfig } from './scoring-spec.js'

/**
 * The metrics, filters and aggregations that a task's configuration names, built in or exported by plugins; nothing else is
 * loaded. What is wrong with the configuration is said by `makeScorer`.
 */
export async function judgesOf(
  task: { readonly config: JsonObject; readonly outputType: string },
  exported: readonly unknown[],
): Promise<JudgeRegistry> {
  const parsed = scoringConfig.safeParse(task.config)
  const entries = parsed.data?.metric_list ?? defaultMetrics(task.outputType)
  const judges = await loadJudges({
    metrics: entries.map(metricKey),
    filters: [
      'take_first',
      ...(parsed.data?.filter_list ?? []).flatMap(({ filter }) => filter.map(step => step.function)),
    ],
    aggregations: entries.flatMap(({ aggregation }) => aggregation ?? []),
  })
  return withJudgePlugins(judges, exported).registry
}
