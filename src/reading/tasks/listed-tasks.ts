/** The names that `--tasks` takes, with the facts that task files tell. No data is read, and no code of tasks is loaded. */
import { relative, sep } from 'node:path'
import type { Store } from '../../../cache/store.js'
import { extractTaskFile, type TaskIndex } from '../../../stages/input/tasks/finding/task-index.js'
import { resolveYaml } from '../../../stages/input/tasks/yaml/resolve-yaml.js'
import { readTaskSize } from './task-size.js'
import { summarizeTask, type TaskKeys, type TaskSummary } from './task-summary.js'

/** A task, a group or a tag. */
export interface ListedTask extends Partial<TaskSummary> {
  readonly name: string
  readonly kind: 'task' | 'group' | 'tag'
  /** The file of a task or group. */
  readonly file?: string
  /** The names of a group's or tag's members. */
  readonly members?: readonly string[]
  /** `null` if the data is not local and no run has read it. */
  readonly docs?: number | null
}

/** Lists all names of an index, sorted. */
export const listNames = ({ tasks, groups, tags }: TaskIndex): readonly ListedTask[] =>
  [
    ...[...tasks].map(([name, task]): ListedTask => ({ name, kind: 'task', file: extractTaskFile(task) })),
    ...[...groups].map(([name, { file, members }]): ListedTask => ({ name, kind: 'group', file, members })),
    ...[...tags].map(([name, members]): ListedTask => ({ name, kind: 'tag', members })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))

/** Reads the keys of tasks by name, resolved. A task written in code, or whose file has mistakes, is left out: it is named when it is loaded. */
export async function readTaskKeys(
  { tasks }: TaskIndex,
  names: readonly string[],
): Promise<ReadonlyMap<string, TaskKeys>> {
  const entries = await Promise.all(
    names.map(async name => {
      const file = tasks.get(name)
      const keys =
        typeof file === 'string'
          ? await resolveYaml(file).then(
              ({ values }) => values,
              () => undefined,
            )
          : undefined
      return [name, keys] as const
    }),
  )
  return new Map(entries.flatMap(([name, keys]) => (keys === undefined ? [] : [[name, keys] as const])))
}

/** Adds summaries, and sizes that earlier runs left in a store. @param store undefined if there is none */
export const addSummaries = (
  rows: readonly ListedTask[],
  keysByName: ReadonlyMap<string, TaskKeys>,
  store: Pick<Store, 'values'> | undefined,
): Promise<readonly ListedTask[]> =>
  Promise.all(
    rows.map(async row => {
      const keys = row.kind === 'task' ? keysByName.get(row.name) : undefined
      if (keys === undefined) return row
      const docs = store === undefined ? undefined : await readTaskSize(store, row.name, keys)
      return { ...row, docs: docs ?? null, ...summarizeTask(keys) }
    }),
  )

/** Returns the benchmark of a task: the folder of its file below one of the folders of tasks. Undefined for a file directly in such a folder. */
export function findBenchmark(file: string, folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    const [first, ...inner] = relative(folder, file).split(sep)
    if (first !== undefined && first !== '..' && inner.length > 0) return first
  }
  return undefined
}
