import { differs, firstOf, type Context, type TaskRow } from './golden-row.js'

export function configProblem({ expected }: TaskRow, { task: { config } }: Context): string | undefined {
  const { metric_list: entries = [] } = config
  const metrics = entries.map(nameOf)
  const filters = config.filter_list === undefined ? ['none'] : config.filter_list.map(({ name }) => name)
  const directions = Object.fromEntries(entries.map(entry => [nameOf(entry), entry['higher_is_better'] ?? null]))
  const { load_dataset_calls: calls } = expected as {
    readonly load_dataset_calls: readonly { readonly path?: string; readonly name?: string | null }[]
  }
  const dataset = calls.find(call => call.path !== undefined)
  return firstOf([
    differs('output_type', config.output_type, expected['output_type']),
    config.output_type === 'generate_until'
      ? differs(
          'generation_kwargs',
          normalKwargs(config.generation_kwargs),
          normalKwargs(expected['generation_kwargs']),
        )
      : undefined,
    differs('metrics', [...metrics].sort(), Object.keys(expected['metrics'] as object).sort()),
    differs('higher_is_better', directions, expected['higher_is_better']),
    differs(
      'filters',
      filters,
      (expected['filters'] as readonly { readonly name: string }[]).map(({ name }) => name),
    ),
    differs('repeats', config.repeats, expected['repeats']),
    dataset === undefined ? undefined : differs('dataset_path', config.dataset_path, dataset.path),
    dataset === undefined ? undefined : differs('dataset_name', config.dataset_name ?? null, dataset.name ?? null),
  ])
}

export const nameOf = ({ name, metric }: Readonly<Record<string, unknown>>): string => (name ?? metric) as string

/** Returns `until` as a list. */
function normalKwargs(value: unknown): unknown {
  const { until, ...others } = value as { readonly until?: string | readonly string[] }
  return { ...others, ...(until === undefined ? {} : { until: typeof until === 'string' ? [until] : until }) }
}
