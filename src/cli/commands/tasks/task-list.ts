import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { wildcard } from '../../../../base/text/wildcard.js'
import { prepareTask } from '../../../../stages/input/prepare-task.js'
import { builtinTasks, resolveTasks } from '../../../../stages/input/tasks/resolve-tasks.js'
import { indexFolders, type TaskIndex } from '../../../../stages/input/tasks/finding/task-index.js'
import { holdsStore } from '../../../../cache/open.js'
import type { CodeOptions } from '../../../../cache/code/code-runtime.js'
import { makeGroupSettings, type FlagsOf } from '../../../config/option.js'
import { pythonOptions } from '../../../config/options/subject-options.js'
import { withRuntime } from '../../../evaluation/code-runtime.js'
import { surroundings } from '../../../config/eval-settings.js'
import { addSummaries, listNames, readTaskKeys, type ListedTask } from '../../../reading/tasks/listed-tasks.js'
import { withOpenStore, type StoreLocation } from '../../open-run.js'
import { table, type Column } from '../../../present/text/layout/table.js'
import type { Tools } from '../../command.js'

/** The names to list: all of them, one kind of names, or tasks with their number of docs. */
export type ListKind = 'all' | 'tasks' | 'groups' | 'tags' | 'counted'

/** As a value of `--tasks`, the words of lmms-eval's command line. */
export const listWords: Readonly<Record<string, ListKind>> = {
  list: 'all',
  list_subtasks: 'tasks',
  list_groups: 'groups',
  list_tags: 'tags',
  list_with_num: 'counted',
}

export interface ListFlags extends FlagsOf<typeof pythonOptions> {
  readonly store?: string
  readonly includePath?: readonly string[]
  readonly json?: boolean
  readonly quiet?: boolean
}

interface Row extends Omit<ListedTask, 'file' | 'members'> {
  readonly location: string
}

/** Prints the names that `--tasks` takes. */
export async function listTasks(
  kind: ListKind,
  { pattern, flags, cacheDir }: { readonly pattern?: string; readonly flags: ListFlags; readonly cacheDir: string },
  { terminal, env }: Tools,
): Promise<void> {
  const { includePaths } = surroundings(flags, {}, env)
  const index = await indexFolders([builtinTasks, ...includePaths], { cacheDir })
  const ambiguous = [...index.ambiguous.values()].flatMap(({ problems }) => problems)
  if (flags.quiet !== true)
    terminal.tell([...index.notes, ...index.unloaded, ...ambiguous].map(note => `note: ${note}`))
  const isMeant = wildcard(pattern ?? '*')
  const matching = listNames(index).filter(
    row => isMeant.test(row.name) && (kind === 'all' || row.kind === kindOf[kind]),
  )
  const rows =
    kind === 'counted'
      ? await withRuntime({ ...makeGroupSettings(pythonOptions, flags, {}), includePaths, env }, runtime =>
          withCounts(matching.map(makeRow), { includePaths, cacheDir, runtime }),
        )
      : (await withSummaries(index, matching, { dir: surroundings(flags, {}, env).store, terminal })).map(makeRow)
  if (flags.json === true) terminal.printData(JSON.stringify(rows, undefined, 2))
  else terminal.print(table(listColumns(kind), rows.map(cells(kind)), terminal.paint.out))
}

const kindOf = { tasks: 'task', counted: 'task', groups: 'group', tags: 'tag' } as const

const makeRow = ({ file, members, ...row }: ListedTask): Row => ({
  ...row,
  location: members?.join(', ') ?? (file === undefined ? '' : shownPath(file)),
})

const listColumns = (kind: ListKind): readonly Column[] => [
  { title: 'name', least: 20 },
  { title: 'kind' },
  ...(kind === 'groups' || kind === 'tags' ? [] : [{ title: 'docs', align: 'right' } as const]),
  ...(kind === 'all' || kind === 'tasks'
    ? ([
        { title: 'modality', drop: 3 },
        { title: 'metric', least: 8, isCut: true, drop: 2 },
        { title: 'source', least: 10, isCut: true, drop: 4 },
      ] as const)
    : []),
  { title: 'where', least: 20, drop: 5 },
]

const cells =
  (kind: ListKind) =>
  ({ name, kind: its, location, docs, modality, metrics, source }: Row): readonly string[] => [
    name,
    its,
    ...(kind === 'groups' || kind === 'tags' ? [] : [its === 'task' ? formatSize(docs) : '']),
    ...(kind === 'all' || kind === 'tasks' ? [modality ?? '', (metrics ?? []).join(', '), source ?? ''] : []),
    location,
  ]

const formatSize = (docs: number | null | undefined): string =>
  docs === undefined || docs === null ? '—' : String(docs)

/** Adds summaries from the task files, and sizes that earlier runs left in the store. */
async function withSummaries(
  index: TaskIndex,
  rows: readonly ListedTask[],
  location: StoreLocation,
): Promise<readonly ListedTask[]> {
  const names = rows.flatMap(({ name, kind }) => (kind === 'task' ? [name] : []))
  const keys = await readTaskKeys(index, names)
  if (!(await holdsStore(location.dir).catch(() => false))) return addSummaries(rows, keys, undefined)
  return withOpenStore(location, 'read', store => addSummaries(rows, keys, store))
}

/** Nothing is downloaded to count it. */
function withCounts(
  rows: readonly Row[],
  options: CodeOptions & { readonly includePaths: readonly string[] },
): Promise<readonly Row[]> {
  return Promise.all(
    rows.map(async (row): Promise<Row> => {
      try {
        const [task] = await resolveTasks([row.name], { ...options, emit: () => undefined })
        if (task === undefined) return { ...row, docs: null }
        const prepared = await prepareTask(task)
        return { ...row, docs: prepared.count ?? (await countDocs(prepared.docs())) }
      } catch (error) {
        if (!(error instanceof PipelineError)) throw error
        return { ...row, docs: null }
      }
    }),
  )
}

async function countDocs(docs: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  const each = docs[Symbol.asyncIterator]()
  while ((await each.next()).done !== true) count += 1
  return count
}
