import { ownValue } from '../../../base/values/named-values.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { hiddenError } from '../../../base/errors/hidden-error.js'
import { didYouMean } from '../../../base/text/suggest.js'
import type { CodeOptions } from '../../../cache/code/code-runtime.js'
import { findPythonFunction } from '../../../cache/code/python/python-function.js'
import { loadStoredFunctions } from '../../../cache/code/stored-code.js'
import type { Run, RunGroup, RunProvenance } from '../../../cache/records.js'
import type { TaskGroup } from '../../../stages/input/tasks/load-group.js'
import type { GroupFunction, GroupSpec } from '../../../stages/judge/group-aggregates.js'
import { plain } from '../../../stages/judge/python/python-scoring.js'
import type { Scorer } from '../../../stages/judge/scorer.js'

/** The groups as part of the run spec. */
export const askedGroups = (groups: readonly TaskGroup[]): { readonly groups?: readonly RunGroup[] } =>
  groups.length === 0
    ? {}
    : {
        groups: groups.map(({ name, alias, members, rules, version, code }) => ({
          name,
          ...(alias === undefined ? {} : { alias }),
          members,
          rules,
          ...(version === undefined ? {} : { version }),
          ...(code.closure === undefined ? {} : { closure: code.closure }),
        })),
      }

/** The code of groups' functions, stored with the run. */
export const groupCode = (groups: readonly TaskGroup[]): Pick<RunProvenance, 'groups'> => {
  const own = groups.filter(({ code }) => Object.keys(code).length > 0)
  return own.length === 0 ? {} : { groups: Object.fromEntries(own.map(({ name, code }) => [name, code])) }
}

/** Compiles a run's groups for aggregation. */
export async function groupSpecs(
  { asked, provenance }: Pick<Run, 'asked' | 'provenance'>,
  options: CodeOptions,
): Promise<readonly GroupSpec[]> {
  const groups = asked.groups ?? []
  return Promise.all(
    groups.map(async ({ name, rules }) => {
      const functions = await loadStoredFunctions(ownValue(provenance.groups, name) ?? {}, options)
      return {
        name,
        tasks: tasksIn(name, groups),
        rules: rules.map(({ metric, aggregation, weightBySize, filters }) => {
          const combine = hideErrors(groupFunction(ownValue(functions, aggregation)), options)
          return { metric, weightBySize, ...(filters && { filters }), ...(combine && { combine }) }
        }),
      }
    }),
  )
}

/** Wraps a group's function to hide secrets in its errors, which are stored. */
function hideErrors(combine: GroupFunction | undefined, { runtime }: CodeOptions): GroupFunction | undefined {
  if (combine === undefined || runtime === undefined) return combine
  return async (...args) => {
    try {
      return await combine(...args)
    } catch (error) {
      throw hiddenError(error, runtime.hide)
    }
  }
}

/** A function in Python is called as in lm-evaluation-harness: `f(values, sizes, weight_by_size)`. */
function groupFunction(callee: unknown): GroupFunction | undefined {
  const python = findPythonFunction(callee)
  if (python === undefined) return callee as GroupFunction | undefined
  return async (values, sizes, weightBySize) => {
    const value = plain(await python.call([values, sizes, weightBySize], { label: python.name }))
    if (value === null || typeof value === 'number') return value
    throw new Error(`the group's function gives ${JSON.stringify(value)}, which is no number`)
  }
}

/** All tasks of a group and of the groups in it, without duplicates. */
function tasksIn(name: string, groups: readonly Pick<RunGroup, 'name' | 'members'>[]): readonly string[] {
  const members = groups.find(group => group.name === name)?.members ?? []
  return [
    ...new Set(
      members.flatMap(member => (groups.some(group => group.name === member) ? tasksIn(member, groups) : [member])),
    ),
  ]
}

/** @throws PipelineError if a group aggregates a metric that none of its tasks has */
export function refuseIdleRules(groups: readonly TaskGroup[], scorers: readonly Scorer[]): void {
  const problems = groups.flatMap(group => {
    const tasks = tasksIn(group.name, groups)
    const aggregates = scorers
      .filter(({ task }) => tasks.includes(task))
      .flatMap(scorer => scorer.aggregator().finish({ docs: 0 }))
    return group.rules.flatMap(({ metric, filters }, at) => {
      const locate = (key: string): string =>
        `${group.at(['aggregate_metric_list', at, key])}  aggregate_metric_list.${at}.${key}`
      const names = [...new Set(aggregates.map(aggregate => aggregate.metric))]
      if (!names.includes(metric))
        return [
          `${locate('metric')}: no task of ${group.name} has "${metric}" (they have ${names.join(', ')}).${didYouMean(metric, names)}`,
        ]
      const pipelines = [
        ...new Set(aggregates.filter(aggregate => aggregate.metric === metric).map(aggregate => aggregate.filter)),
      ]
      return (filters ?? [])
        .filter(filter => !pipelines.includes(filter))
        .map(
          filter =>
            `${locate('filter_list')}: no task of ${group.name} has the filter "${filter}" (they have ${pipelines.join(', ')})`,
        )
    })
  })
  if (problems.length > 0) throw new PipelineError('config', problems)
}
