/** Expands an experiment, one mapping with models, variants and generation settings, to its runs. */
import { z } from 'zod'
import { schemaMistakes, pathText } from '../../../base/errors/schema-mistakes.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { makeInnerMapping, mergeMappings, type ConfigMapping } from './config-mapping.js'

/** A run of an experiment. */
export interface ExperimentRun {
  readonly mapping: ConfigMapping
  /** The run's combination: `MODEL/VARIANT/GENERATION`. Parts that the experiment does not vary are left out. */
  readonly cell: string
}

export interface Experiment {
  readonly runs: readonly ExperimentRun[]
  /** The mistakes, each with `file:line:column`. */
  readonly problems: readonly string[]
}

const keysOfRuns = z
  .record(z.string().min(1), z.record(z.string(), z.unknown()).nullable())
  .describe('names, each with keys of a run')
const names = z
  .union([z.string(), z.array(z.string())])
  .transform(value => (typeof value === 'string' ? [value] : value))
const exclusion = z.strictObject({
  model: names.optional(),
  variant: names.optional(),
  generation: names.optional(),
  task: names.optional(),
})

/** The keys of an experiment. All others are keys of each of its runs. */
const experimentSchema = z.strictObject({
  experiment: z.string().min(1).optional(),
  models: keysOfRuns.optional(),
  variants: keysOfRuns.optional(),
  generation: keysOfRuns.optional(),
  exclude: z.array(exclusion).describe('a list of combinations, such as {model: mini, task: mme}').optional(),
})

type ExperimentKeys = z.output<typeof experimentSchema>
const experimentKeys: readonly string[] = Object.keys(experimentSchema.shape)

/** Tells whether a mapping has keys of an experiment. */
export const isExperiment = ({ value }: ConfigMapping): boolean => experimentKeys.some(key => key in value)

/** A choice of one axis: its name, and the keys that it adds to a run, with the path at which they stand. */
interface Choice {
  readonly name: string
  readonly layer: ConfigMapping
}

/**
 * Combines each model with each variant and each generation setting. A run has the keys of the experiment, its generation setting, its variant and
 * its model. Later ones win. Arguments (`model_args`, `gen_kwargs` and other mappings) are merged key by key.
 *
 * @param fallback the name if the experiment has none
 */
export function expandExperiment(mapping: ConfigMapping, fallback: string): Experiment {
  const own = Object.fromEntries(
    experimentKeys.flatMap(key => (key in mapping.value ? [[key, mapping.value[key]]] : [])),
  )
  const parsed = experimentSchema.safeParse(own)
  if (!parsed.success) {
    const mistakes = schemaMistakes(parsed.error.issues, own, { expected: ([key]) => describeKey(key) })
    return {
      runs: [],
      problems: mistakes.map(({ path, text }) => `${mapping.placeOf(path)}  ${pathText(path)}: ${text}`),
    }
  }
  const { experiment = fallback, models, variants, generation, exclude = [] } = parsed.data
  const base: ConfigMapping = {
    ...mapping,
    value: Object.fromEntries(Object.entries(mapping.value).filter(([key]) => !experimentKeys.includes(key))),
  }
  const problems = [...checkExclusions(parsed.data, mapping), ...checkAxes(parsed.data, mapping)]
  if (problems.length > 0) return { runs: [], problems }
  const runs = listChoices(mapping, 'models', models).flatMap(model =>
    listChoices(mapping, 'variants', variants).flatMap(variant =>
      listChoices(mapping, 'generation', generation).flatMap(setting => {
        const merged = mergeMappings(
          [base, setting, variant, model].flatMap(layer =>
            layer === undefined ? [] : 'layer' in layer ? layer.layer : layer,
          ),
          mapping,
        )
        const excluded = exclude.filter(
          rule => matches(rule.model, model) && matches(rule.variant, variant) && matches(rule.generation, setting),
        )
        const remaining = withoutTasks(merged, excluded)
        if (remaining === undefined) return []
        const cell = [model, variant, setting].flatMap(choice => choice?.name ?? []).join('/')
        return [{ cell, mapping: withNames(remaining, { experiment, cell, model: model?.name }) }]
      }),
    ),
  )
  if (runs.length > 0) return { runs, problems: [] }
  return { runs, problems: [`${mapping.placeOf(['exclude'])}  exclude: nothing is left of the experiment`] }
}

const describeKey = (key: PropertyKey | undefined): string | undefined =>
  Object.entries(experimentSchema.shape)
    .find(([name]) => name === key)?.[1]
    .unwrap().description

/** Lists the choices of an axis. An axis that is not there has the single choice of adding nothing. */
function listChoices(
  mapping: ConfigMapping,
  axis: 'models' | 'variants' | 'generation',
  choices: ExperimentKeys['models'],
): readonly (Choice | undefined)[] {
  if (choices === undefined) return [undefined]
  return Object.entries(choices).map(([name, keys]) => ({
    name,
    layer:
      axis === 'generation'
        ? makeInnerMapping(mapping, { gen_kwargs: keys ?? {} }, ([, ...inner]) => [axis, name, ...inner])
        : makeInnerMapping(mapping, keys ?? {}, path => [axis, name, ...path]),
  }))
}

const matches = (wanted: readonly string[] | undefined, choice: Choice | undefined): boolean =>
  wanted === undefined || (choice !== undefined && wanted.includes(choice.name))

/** Names the run after the experiment and its combination, unless the file names it. */
function withNames(
  mapping: ConfigMapping,
  {
    experiment,
    cell,
    model,
  }: { readonly experiment: string; readonly cell: string; readonly model: string | undefined },
): ConfigMapping {
  const nameKeys = {
    name: cell === '' ? experiment : `${experiment}/${cell}`,
    ...(model !== undefined && { model_name: model }),
  }
  return { ...mapping, value: { ...nameKeys, ...mapping.value } }
}

/** Leaves out excluded tasks. Returns undefined if no task is left, or the combination is excluded as a whole. */
function withoutTasks(mapping: ConfigMapping, rules: ExperimentKeys['exclude'] & object): ConfigMapping | undefined {
  if (rules.length === 0) return mapping
  if (rules.some(({ task }) => task === undefined)) return undefined
  const excluded = rules.flatMap(({ task = [] }) => task)
  const tasks = listTasks(mapping.value).filter(task => !excluded.includes(task))
  return tasks.length === 0 ? undefined : { ...mapping, value: { ...mapping.value, tasks } }
}

function listTasks({ tasks }: ConfigMapping['value']): readonly string[] {
  const entries: readonly unknown[] = Array.isArray(tasks) ? tasks : [tasks]
  return entries.flatMap(task => (typeof task === 'string' ? task.split(',').map(name => name.trim()) : []))
}

/** Names in exclusions that the experiment does not have, which would exclude nothing. */
function checkExclusions(
  { models, variants, generation, exclude = [] }: ExperimentKeys,
  mapping: ConfigMapping,
): string[] {
  const tasks = [mapping.value, ...Object.values({ ...models, ...variants })].flatMap(keys => listTasks(keys ?? {}))
  const namesByAxis = {
    model: Object.keys(models ?? {}),
    variant: Object.keys(variants ?? {}),
    generation: Object.keys(generation ?? {}),
    task: tasks,
  }
  return exclude.flatMap((rule, index) =>
    Object.entries(rule).flatMap(([axis, wanted]) =>
      (wanted ?? [])
        .filter(name => !namesByAxis[axis as keyof typeof namesByAxis].includes(name))
        .map(
          name =>
            `${mapping.placeOf(['exclude', index, axis])}  exclude.${index}.${axis}: the experiment has no ${axis} "${name}".${didYouMean(name, namesByAxis[axis as keyof typeof namesByAxis])}`,
        ),
    ),
  )
}

/** Finds empty axes, names that would be ambiguous in a run's name, and keys that must be set for all runs. */
function checkAxes(keys: ExperimentKeys, mapping: ConfigMapping): string[] {
  const axes = ['models', 'variants', 'generation'] as const
  return axes.flatMap(axis => {
    const choices = keys[axis]
    if (choices === undefined) return []
    if (Object.keys(choices).length === 0) return [`${mapping.placeOf([axis])}  ${axis}: give at least one`]
    return Object.entries(choices).flatMap(([name, own]) => [
      ...(name.includes('/') ? [`${mapping.placeOf([axis, name])}  ${axis}.${name}: a name cannot contain "/"`] : []),
      ...Object.keys(own ?? {})
        .filter(key => axis !== 'generation' && ofAll.includes(key))
        .map(key => `${mapping.placeOf([axis, name, key])}  ${axis}.${name}.${key}: is a key of the whole experiment`),
    ])
  })
}

/** Keys that cannot differ between the runs of an experiment, because one table shows all of them. */
const ofAll: readonly string[] = ['store', ...experimentKeys]
