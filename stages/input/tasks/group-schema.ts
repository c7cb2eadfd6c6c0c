import { z } from 'zod'
import { isFunctionRef, type FunctionRef } from './function-ref.js'
import { expecting } from './schema.js'

/** One number of a group, made of a metric of its tasks. */
const aggregateRule = z.strictObject({
  metric: expecting('text', z.string()),
  aggregation: z
    .union([z.literal('mean'), z.custom<FunctionRef>(isFunctionRef)], 'expected mean or !function')
    .default('mean'),
  weight_by_size: z.boolean().default(false),
  /** Names of filter pipelines; all that the tasks have where it is not given. */
  filter_list: z
    .union([z.string().transform(name => [name]), z.array(z.string())], 'expected a text or a list of texts')
    .optional(),
})

/** The keys of a group file that are its own. All others are put over the keys of its tasks. */
export const groupSchema = z.strictObject({
  group: expecting('text', z.string().min(1)),
  group_alias: expecting('text', z.string()).nullish(),
  task: expecting(
    'a list of tasks: names, or keys and values',
    z.array(
      z.union([z.string(), z.record(z.string(), z.unknown())], 'expected the name of a task, or keys and values'),
    ),
  ),
  aggregate_metric_list: expecting(
    'a list of {metric, aggregation, weight_by_size, filter_list}',
    // One alone may stand without a list, as in lm-evaluation-harness.
    z.preprocess(
      given => (typeof given === 'object' && given !== null && 'metric' in given ? [given] : given),
      z.array(aggregateRule).nullish(),
    ),
  ).optional(),
  metadata: z.unknown().optional(),
})

export type GroupConfig = z.output<typeof groupSchema>

export const groupKeys: readonly string[] = Object.keys(groupSchema.shape)

/** The places of numbers that would take the place of earlier ones: of the same metric after the same filters. */
export function doubledRules({ aggregate_metric_list: rules }: GroupConfig): readonly number[] {
  const isDoubled = (index: number): boolean =>
    rules?.slice(0, index).some(before => {
      const now = rules[index]
      const { metric, filter_list: filters } = before
      if (now?.metric !== metric) return false
      return filters === undefined || now.filter_list?.some(name => filters.includes(name)) !== false
    }) === true
  return [...(rules ?? []).keys()].filter(isDoubled)
}
