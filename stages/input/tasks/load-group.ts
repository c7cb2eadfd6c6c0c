import { dirname } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import type { StoredFunctions } from '../../../cache/records.js'
import { isFunctionRef } from './function-ref.js'
import type { LoadOptions } from './load-task.js'
import { loadTaskCode, storedFunctions } from './task-code.js'
import type { GroupSource } from './finding/task-tree.js'

/** One number of a group, computed from a metric of its tasks. */
export interface GroupRule {
  readonly metric: string
  /** `mean`, or `!function utils.name`. */
  readonly aggregation: string
  readonly weightBySize: boolean
  /** Names of filter pipelines; by default all that the tasks have. */
  readonly filters?: readonly string[]
}

/** A named group: its members and the numbers computed of them. Plain data except for `at`. */
export interface TaskGroup {
  readonly name: string
  /** The name shown in tables. */
  readonly alias?: string
  /** Names of its tasks and groups, in order. */
  readonly members: readonly string[]
  readonly rules: readonly GroupRule[]
  readonly version?: number | string
  /** The code of its functions, in the form of a task's `scoring`. */
  readonly code: StoredFunctions
  readonly at: (path: readonly PropertyKey[]) => string
}

/** @throws PipelineError with everything that is wrong with the group's own functions. */
export async function loadGroup(source: GroupSource, options: LoadOptions): Promise<TaskGroup> {
  const { config, yaml } = source
  const values = { aggregate_metric_list: yaml.values['aggregate_metric_list'] }
  const code = await loadTaskCode({ ...yaml, values }, options)
  if (code.problems.length > 0) throw new PipelineError('config', code.problems)
  const { storeReference, stored } = storedFunctions(code, dirname(yaml.file))
  const rules = (config.aggregate_metric_list ?? []).map(rule => ({
    metric: rule.metric,
    aggregation: isFunctionRef(rule.aggregation) ? storeReference(rule.aggregation) : rule.aggregation,
    weightBySize: rule.weight_by_size,
    ...(rule.filter_list === undefined ? {} : { filters: rule.filter_list }),
  }))
  const version = readVersion(config.metadata)
  return {
    name: source.name,
    ...(typeof config.group_alias === 'string' ? { alias: config.group_alias } : {}),
    members: source.members.map(node => (node.type === 'task' ? node.task.name : node.group.name)),
    rules,
    ...(version === undefined ? {} : { version }),
    code: stored(),
    at: path => yaml.at(path),
  }
}

function readVersion(metadata: unknown): number | string | undefined {
  if (typeof metadata !== 'object' || metadata === null || !('version' in metadata)) return undefined
  return typeof metadata.version === 'number' || typeof metadata.version === 'string' ? metadata.version : undefined
}
