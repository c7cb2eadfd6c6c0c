import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { wildcard } from '../../../base/text/wildcard.js'
import { prepareTask } from '../../../stages/input/prepare-task.js'
import { builtinTasks, resolveTasks } from '../../../stages/input/tasks/resolve-tasks.js'
import { fileOf, indexFolders, type TaskIndex } from '../../../stages/input/tasks/task-index.js'
import { surroundings } from '../../config/eval-settings.js'
import { table, type Column } from '../../report/layout/table.js'
import type { Tools } from '../command.js'

/** What is listed: everything, one kind of names, or tasks with how many docs they have. */
export type ListKind = 'all' | 'tasks' | 'groups' | 'tags' | 'counted'

/** As a value of `--tasks`, the words of lmms-eval's command line. */
export const listWords: Readonly<Record<string, ListKind>> = {
  list: 'all',
  list_subtasks: 'tasks',
  list_groups: 'groups',
  list_tags: 'tags',
  list_with_num: 'counted',
}

export interface ListFlags {
  readonly store?: string
  readonly includePath?: readonly string[]
  readonly json?: boolean
  readonly quiet?: boolean
}

interface Row {
  readonly name: string
  readonly kind: 'task' | 'group' | 'tag'
  readonly place: string
  /** `null` where its data are not at hand. */
  readonly docs?: number | null
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
  const named = rowsOf(index)
    .filter(row => isMeant.test(row.name) && (kind === 'all' || row.kind === kindOf[kind]))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const rows = kind === 'counted' ? await withCounts(named, { includePaths, cacheDir }) : named
  if (flags.json === true) terminal.printData(JSON.stringify(rows, undefined, 2))
  else terminal.print(table(columnsOf(kind), rows.map(cells), terminal.paint.out))
}

const kindOf = { tasks: 'task', counted: 'task', groups: 'group', tags: 'tag' } as const

const rowsOf = ({ tasks, groups, tags }: TaskIndex): readonly Row[] => [
  ...[...tasks].map(([name, task]): Row => ({ name, kind: 'task', place: shownPath(fileOf(task)) })),
  ...[...groups].map(([name, { members }]): Row => ({ name, kind: 'group', place: members.join(', ') })),
  ...[...tags].map(([name, members]): Row => ({ name, kind: 'tag', place: members.join(', ') })),
]

const columnsOf = (kind: ListKind): readonly Column[] => [
  { title: 'name', least: 20 },
  { title: 'kind' },
  ...(kind === 'counted' ? [{ title: 'docs', align: 'right' } as const] : []),
  { title: 'where', least: 20 },
]

const cells = ({ name, kind, place, docs }: Row): readonly string[] => [
  name,
  kind,
  ...(docs === undefined ? [] : [docs === null ? '–' : String(docs)]),
  place,
]

/** Nothing is downloaded to count it. */
function withCounts(
  rows: readonly Row[],
  { includePaths, cacheDir }: { readonly includePaths: readonly string[]; readonly cacheDir: string },
): Promise<readonly Row[]> {
  return Promise.all(
    rows.map(async (row): Promise<Row> => {
      try {
        const [task] = await resolveTasks([row.name], { includePaths, cacheDir, emit: () => undefined })
        if (task === undefined) return { ...row, docs: null }
        const prepared = await prepareTask(task)
        return { ...row, docs: prepared.count ?? (await counted(prepared.docs())) }
      } catch (error) {
        if (!(error instanceof PipelineError)) throw error
        return { ...row, docs: null }
      }
    }),
  )
}

async function counted(docs: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  const each = docs[Symbol.asyncIterator]()
  while ((await each.next()).done !== true) count += 1
  return count
}
