/** The number of a task's docs, as a run that read all of them left it in the store. */
import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { sha256 } from '../../../cache/digest.js'
import type { Run, RunSelection } from '../../../cache/records.js'
import type { RunCounts, Store } from '../../../cache/store.js'
import { functionText, isFunctionRef } from '../../../stages/input/tasks/function-ref.js'
import type { TaskKeys } from './task-summary.js'

/** The keys that decide which docs a task has. */
const sizing = ['dataset_path', 'dataset_name', 'dataset_kwargs', 'test_split', 'validation_split', 'process_docs']

/** Names the store's value for a task's size. It depends on the keys that select the task's data. */
export function nameTaskSize(task: string, keys: TaskKeys): string {
  const chosen = sizing.map(key => {
    const value = keys[key]
    return isFunctionRef(value) ? functionText(value) : ((value ?? null) as Json)
  })
  return `task size ${sha256(canonicalJson([task, JSON.parse(JSON.stringify(chosen)) as Json]))}`
}

/** Reads the number of a task's docs. Undefined before a run has read them all. */
export async function readTaskSize(
  { values }: Pick<Store, 'values'>,
  task: string,
  keys: TaskKeys,
): Promise<number | undefined> {
  const docs = await values.get(nameTaskSize(task, keys))
  return typeof docs === 'number' ? docs : undefined
}

/** The keys of a selection that leave docs out. */
const choosing = [
  'limit',
  'offset',
  'subset',
  'samples',
  'docs',
  'shard',
  'stop_when',
] as const satisfies readonly (keyof RunSelection)[]

/** Stores the sizes of the tasks of a run that has read all docs. */
export async function rememberTaskSizes(
  store: Pick<Store, 'values'>,
  { asked }: Run,
  {
    tasks,
    counts,
  }: { readonly tasks: readonly { readonly name: string; readonly config: object }[]; readonly counts: RunCounts },
): Promise<void> {
  if (!counts.inputFinished || choosing.some(key => asked.selection[key] !== undefined)) return
  for (const [index, { name, config }] of tasks.entries()) {
    const docs = counts.docsByTask[index]
    const keys = config as TaskKeys
    if (docs === undefined || docs === 0 || (await readTaskSize(store, name, keys)) === docs) continue
    await store.values.set(nameTaskSize(name, keys), docs)
  }
}
