import { setTimeout } from 'node:timers/promises'
import type { Emit } from '../../cache/events.js'
import type { Run } from '../../cache/records.js'
import type { Holder, Store } from '../../cache/store.js'
import type { Task } from './tasks/task.js'

/** Milliseconds between checks of another reader's progress. */
const shortestWait = 50
const longestWait = 2_000
/** Milliseconds after which a note says who is waited for. Living readers renew their lease more often than this. */
const tellAfter = 20_000

/**
 * Takes the lease on a task's docs, and waits while another process holds it. Returns `false` where the docs are
 * complete or `drain` is aborted.
 */
export async function leaseOrWait({
  store,
  run,
  taskIndex,
  task,
  drain,
  emit,
}: {
  readonly store: Pick<Store, 'docs'>
  readonly run: Run
  readonly taskIndex: number
  readonly task: Task
  readonly drain: AbortSignal
  readonly emit: Emit
}): Promise<boolean> {
  let waited = 0
  for (let wait = shortestWait; !drain.aborted; wait = Math.min(longestWait, 2 * wait)) {
    if ((await store.docs.progress(run, taskIndex)).finished) return false
    const reader = await store.docs.lease(run, taskIndex)
    if (reader === true) return !(await store.docs.progress(run, taskIndex)).finished
    if (waited < tellAfter && waited + wait >= tellAfter) emit({ type: 'note', text: waitsFor(reader, task) })
    waited += wait
    await setTimeout(wait, undefined, { signal: drain }).catch((error: unknown) => {
      if (!drain.aborted) throw error
    })
  }
  return false
}

function waitsFor({ host, pid, isHere, silentMs }: Holder, { name }: Task): string {
  const who = `process ${pid}${isHere ? '' : ` on ${host}`}`
  const silent =
    silentMs < tellAfter
      ? ''
      : ` It was not heard of for ${Math.round(silentMs / 1_000)} s; at 60 s its place is taken.`
  return `task ${name}: ${who} reads its docs, and this one waits for it.${silent}`
}
