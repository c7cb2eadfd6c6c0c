import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import type { Store } from '../../cache/store.js'
import { isMultiTurn } from '../../stages/input/rounds/round-rules.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { AnyBackend } from '../../stages/model/define-backend.js'
import type { BatchOptions } from '../../stages/model/infer-options.js'
import { allBackends } from '../../stages/model/built-in-backends.js'
import type { BatchSettings } from '../config/options/sending-options.js'
import type { ToolSettings } from '../config/values/tool-servers.js'
import { backendRequestType, type BatchPlan } from './model-plan.js'

/** Seconds between two looks at a batch, at most. */
const defaultPoll = 60

/** Options for batches. Batches of an earlier start are collected even if this command submits none. */
export function batchesBy(
  plan: BatchPlan | undefined,
  settings: BatchSettings,
  store: Store,
): { readonly batch?: BatchOptions } {
  if (plan === undefined) return {}
  const { batch = false, batchRequests = Infinity, poll = defaultPoll, wait = true } = settings
  return {
    batch: {
      store: store.batches,
      open: plan.open,
      most: { requests: Math.min(plan.most.requests, batchRequests), bytes: plan.most.bytes },
      submits: batch,
      waits: wait,
      pollMs: poll * 1000,
    },
  }
}

/** Rejects `--batch` if the model has no batch API for the tasks' requests. @throws PipelineError */
export async function refuseBatches(
  { batch, mcp, tools }: BatchSettings & ToolSettings,
  backend: AnyBackend,
  tasks: readonly Task[],
): Promise<void> {
  if (batch !== true) return
  const lane = backend.batch
  if (lane === undefined) {
    const able = (await allBackends()).filter(other => other.batch !== undefined)
    const names = able.map(({ id }) => id).join(', ')
    throw new PipelineError(
      'usage',
      `${option('batch')}: model ${backend.id} has no batch API (these have one: ${names})`,
    )
  }
  if (mcp !== undefined || tools !== undefined)
    throw new PipelineError(
      'usage',
      `${option('batch')}: tools are called between rounds, which a batch does not have (${option('mcp')}, ${option('tools')})`,
    )
  const problems = tasks.flatMap(task => {
    if (isMultiTurn(task))
      return [`${option('batch')}: task ${task.name} asks in several rounds, which a batch does not have`]
    const type = backendRequestType(task)
    return lane.requests.includes(type)
      ? []
      : [
          `${option('batch')}: task ${task.name} needs ${type}, which can't be asked in a batch (only ${lane.requests.join(', ')})`,
        ]
  })
  if (problems.length > 0) throw new PipelineError('usage', problems)
}
