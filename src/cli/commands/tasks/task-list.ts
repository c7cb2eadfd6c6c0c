import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { wildcard } from '../../../../base/text/wildcard.js'
import { prepareTask } from '../../../../stages/input/prepare-task.js'
import { builtinTasks, resolveTasks } from '../../../../stages/input/tasks/resolve-tasks.js'
import { resolveYaml } from '../../../../stages/input/tasks/yaml/resolve-yaml.js'
import { extractTaskFile, indexFolders, type TaskIndex } from '../../../../stages/input/tasks/finding/task-index.js'
import { holdsStore } from '../../../../cache/open.js'
import type { CodeOptions } from '../../../../cache/code/code-runtime.js'
import { makeGroupSettings, type FlagsOf } from '../../../config/option.js'
import { pythonOptions } from '../../../config/options/subject-options.js'
import { withRuntime } from '../../../evaluation/code-runtime.js'
import { surroundings } from '../../../config/eval-settings.js'
import { withOpenStore, type StoreLocation } from '../../open-run.js'
import { readTaskSize } from '../../../reading/tasks/task-size.js'
import { summarizeTask, type TaskKeys } from '../../../reading/tasks/task-summary.js'
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

interface Row {
  readonly name: string
  readonly kind: 'task' | 'group' | 'tag'
  readonly location: string
  /** `null` if the data is not local and no run has read it. */
  readonly docs?: number | null
  readonly modality?: string
  readonly metrics?: readonly string[]
  readonly source?: string
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
  const matchingRows = listRows(index)
    .filter(row => isMeant.test(row.name) && (kind === 'all' || row.kind === kindOf[kind]))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const rows =
    kind === 'counted'
      ? await withRuntime({ ...makeGroupSettings(pythonOptions, flags, {}), includePaths, env }, runtime =>
          withCounts(matchingRows, { includePaths, cacheDir, runtime }),
        )
      : await withSummaries(index, matchingRows, { dir: surroundings(flags, {}, env).store, terminal })
  if (flags.json === true) terminal.printData(JSON.stringify(rows, undefined, 2))
  else terminal.print(table(listColumns(kind), rows.map(cells(kind)), terminal.paint.out))
}

const kindOf = { tasks: 'task', counted: 'task', groups: 'group', tags: 'tag' } as const

const listRows = ({ tasks, groups, tags }: TaskIndex): readonly Row[] => [
  ...[...tasks].map(([name, task]): Row => ({ name, kind: 'task', location: shownPath(extractTaskFile(task)) })),
  ...[...groups].map(([name, { members }]): Row => ({ name, kind: 'group', location: members.join(', ') })),
  ...[...tags].map(([name, members]): Row => ({ name, kind: 'tag', location: members.join(', ') })),
]

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

/** Adds summaries from the task files and sizes stored by earlier runs. It reads no data and no code. */
async function withSummaries(
  { tasks }: TaskIndex,
  rows: readonly Row[],
  location: StoreLocation,
): Promise<readonly Row[]> {
  const keys = await Promise.all(
    rows.map(async ({ name, kind }) => {
      const file = kind === 'task' ? tasks.get(name) : undefined
      // A file with mistakes is named when its task is loaded.
      return typeof file === 'string'
        ? resolveYaml(file).then(
            ({ values }) => values,
            () => undefined,
          )
        : undefined
    }),
  )
  const sizes = await readSizes(location, rows, keys)
  return rows.map((row, index) => {
    const own = keys[index]
    return own === undefined ? row : { ...row, docs: sizes[index] ?? null, ...summarizeTask(own) }
  })
}

async function readSizes(
  location: StoreLocation,
  rows: readonly Row[],
  keys: readonly (TaskKeys | undefined)[],
): Promise<readonly (number | undefined)[]> {
  if (!(await holdsStore(location.dir).catch(() => false))) return []
  return withOpenStore(location, 'read', async store =>
    Promise.all(
      rows.map(async ({ name }, index) => {
        const own = keys[index]
        return own === undefined ? undefined : await readTaskSize(store, name, own)
      }),
    ),
  )
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
