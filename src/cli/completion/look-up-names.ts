/** Names of models, tasks, runs and tags for the completion of a line. */
import { isFolderSync } from '../../../base/files/path-kinds.js'
import { codeFolder, findWorkFolder } from '../../../cache/location.js'
import { builtinTasks } from '../../../stages/input/tasks/resolve-tasks.js'
import { indexFolders } from '../../../stages/input/tasks/finding/task-index.js'
import { listBackends } from '../../../stages/model/registry.js'
import { surroundings } from '../../config/eval-settings.js'
import { modelLabel, tasksLabel } from '../../present/text/results/run-header.js'
import { readRunAbout } from '../../reading/runs/run-about.js'
import type { Tools } from '../command.js'
import { withOpenStore } from '../open-run.js'
import type { NameKind, NameLookup, Suggestion } from './suggest.js'

/** Runs that are suggested: the newest. */
const mostRuns = 50

/** Looks up names in the store and the folders that the line names. Trouble with them leaves the names out: a line is being typed. */
export const makeNameLookup =
  (tools: Tools): NameLookup =>
  async (kind, flags) => {
    try {
      return await readers[kind](tools, flags)
    } catch {
      return []
    }
  }

type Reader = (tools: Tools, flags: Readonly<Record<string, string>>) => Promise<readonly Suggestion[]>

const readers: Readonly<Record<NameKind, Reader>> = {
  models: readModels,
  tasks: readTasks,
  runs: readRuns,
  tags: readTags,
}

const around = ({ env, folder }: Tools, flags: Readonly<Record<string, string>>) => {
  const { '--store': store, '--include-path': includePath } = flags
  const folders = [...(folder.defaults?.config.include_path ?? []), ...(includePath === undefined ? [] : [includePath])]
  return surroundings({ ...(store !== undefined && { store }), includePath: folders }, {}, env)
}

function readModels({ folder }: Tools): Promise<readonly Suggestion[]> {
  const folderModels = [...(folder.defaults?.models ?? [])].map(([word, { value }]) => ({
    word,
    about: String(value['model']),
  }))
  return Promise.resolve([
    ...folderModels,
    ...listBackends([]).map(({ id, summary }) => ({ word: id, about: summary })),
  ])
}

async function readTasks(tools: Tools, flags: Readonly<Record<string, string>>): Promise<readonly Suggestion[]> {
  const { store, includePaths } = around(tools, flags)
  const index = await indexFolders([builtinTasks, ...includePaths], { cacheDir: codeFolder(findWorkFolder(store)) })
  return [...new Set([...index.tasks.keys(), ...index.groups.keys(), ...index.tags.keys()])]
    .sort()
    .map(word => ({ word }))
}

async function readRuns(tools: Tools, flags: Readonly<Record<string, string>>): Promise<readonly Suggestion[]> {
  const { store: dir } = around(tools, flags)
  // A store is not made for a line that is being typed.
  if (!isFolderSync(findWorkFolder(dir))) return []
  const { runs } = await withOpenStore({ dir, terminal: tools.terminal }, 'read', store =>
    store.runs.page({ limit: mostRuns }),
  )
  return [
    { word: 'last', about: 'the newest run' },
    ...runs.flatMap(run => {
      const { title } = readRunAbout(run)
      const own = { word: run.name, about: title ?? `${modelLabel(run)} on ${tasksLabel(run)}` }
      // A `--name` also names the run. Names with blanks are left out, because they need quotes.
      return title === undefined || !/^\S+$/.test(title) ? [own] : [own, { word: title, about: run.name }]
    }),
  ]
}

async function readTags(tools: Tools, flags: Readonly<Record<string, string>>): Promise<readonly Suggestion[]> {
  const { store: dir } = around(tools, flags)
  if (!isFolderSync(findWorkFolder(dir))) return []
  const tags = await withOpenStore({ dir, terminal: tools.terminal }, 'read', store => store.runs.tags())
  return [...new Set([...tags.values()].flat())].sort().map(word => ({ word }))
}
