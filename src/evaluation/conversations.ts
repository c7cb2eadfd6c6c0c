import { messageOf, PipelineError } from '../../base/errors/errors.js'
import type { TaskKey } from '../../cache/digest.js'
import type { Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { MediumError } from '../../stages/input/media/medium-error.js'
import type { Prompting } from '../../stages/input/prompting.js'
import { findFollowFunction, isMultiTurn } from '../../stages/input/rounds/round-rules.js'
import { leadRounds } from '../../stages/input/rounds/lead-rounds.js'
import { shownText, type Task } from '../../stages/input/tasks/task.js'
import { AttemptError, type Model } from '../../stages/model/model.js'
import type { AskTask } from '../../stages/model/rounds/task-rounds.js'
import { withRounds } from '../../stages/model/rounds/with-rounds.js'
import { auxiliaryRun } from '../model/auxiliary-run.js'
import { inferenceBy } from '../model/model-plan.js'
import type { Plan } from './plan.js'

/** Wraps the model of a run so that it also answers conversations. Their rounds are items of an auxiliary run. */
export function withConversations(
  model: Model,
  {
    store,
    run,
    plan,
  }: {
    readonly store: Store
    readonly run: Run
    readonly plan: Plan
  },
): Model {
  const led = plan.tasks.filter(isMultiTurn)
  if (led.length === 0 && plan.tools === undefined) return model
  const { identity, code, codes } = plan.model
  const { clock, stamp } = inferenceBy(plan.model, run)
  let rounds: Promise<Run> | undefined
  return withRounds(model, {
    store,
    run: () => (rounds ??= roundsRun(store, run, plan)),
    identity,
    codes: { code: code.key, codes: Object.fromEntries(Object.entries(codes).map(([type, { key }]) => [type, key])) },
    clock,
    stamp,
    askTask: leader(led, { store, prompting: plan.prompting }),
    ...(plan.tools && { tools: plan.tools }),
  })
}

async function roundsRun(store: Store, run: Run, plan: Plan): Promise<Run> {
  const { asked, provenance } = auxiliaryRun(run, plan.model, { doing: 'rounds of', rounds: { of: run.id } })
  return (await store.runs.create(asked, provenance, [{ kind: 'code', ...plan.model.code }])).run
}

/** Finds the task whose code a conversation names, and calls its function. */
function leader(
  tasks: readonly Task[],
  { store, prompting }: { readonly store: Store; readonly prompting: Prompting },
): AskTask {
  const byCode = new Map<TaskKey, { readonly task: Task; readonly lead: ReturnType<typeof leadRounds> }>()
  for (const task of tasks) {
    const follow = findFollowFunction(task, prompting)
    if (follow !== undefined)
      byCode.set(follow.by.key, { task, lead: leadRounds(task, follow, { store: store.media, prompting }) })
  }
  return async (follow, { info, ...state }) => {
    const entry = byCode.get(follow.by)
    if (entry === undefined)
      throw new AttemptError('invalid_request', 'the code that led this conversation is not here any more', {
        isRetryable: false,
      })
    try {
      return await entry.lead(follow, { ...state, info })
    } catch (error) {
      if (error instanceof PipelineError) throw error
      const failure = error instanceof MediumError ? 'media' : 'invalid_request'
      const message = `${entry.task.name}: ${shownText(entry.task, messageOf(error))}`
      throw new AttemptError(failure, message, { isRetryable: false, cause: error })
    }
  }
}
