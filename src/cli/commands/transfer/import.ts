import { command as formatCommand } from '../../../../base/errors/option-words.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import { shellWord } from '../../../../base/text/shell-word.js'
import { present } from '../../../../base/values/present.js'
import { importBundle } from '../../../../cache/bundle/import.js'
import { onConflicts, type OnConflict } from '../../../../cache/bundle/portable.js'
import { landLog, type LandedRun } from '../../../exchange/land-log.js'
import { logTools, findReader } from '../../../exchange/readers.js'
import { renamedLog, type NewNames } from '../../../exchange/renamed-log.js'
import { importJson } from '../../../present/json/import-json.js'
import { importLines } from '../../../present/text/import-lines.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withOutput, withStore, type OutputFlags } from '../../flags/evaluation-options.js'
import { boundHeapGrowth, growthOfImports } from '../../this-process/heap-growth.js'
import { makeWordReader } from '../../../config/values/option-values.js'
import { locateStore, withOpenStore } from '../../open-run.js'

const help = `
Examples:
  pipeline import run-a.pipeline run-b.pipeline
  pipeline import --from lmms-eval logs/20261122_072312_results.json
  pipeline import capitals.eval --task my_capitals --metric choice=acc
  pipeline import --tasks promptfooconfig.yaml --name colours

A log of another tool becomes a run, with its answers and scores. Its answers are never used for requests of other runs.
Importing a file twice changes nothing, and the order of files does not matter. A damaged file is rejected.`

interface ImportFlags extends OutputFlags {
  readonly store?: string
  readonly onConflict: OnConflict
  readonly from?: string
  readonly tasks?: string
  readonly dir?: string
  readonly name?: string
  readonly task?: readonly string[]
  readonly metric?: readonly string[]
}

/** Defines `pipeline import`. */
export const defineImport: DefineCommand = (command, tools) =>
  void withOutput(withStore(command))
    .argument('[path...]', 'files that pipeline export wrote, or logs of other tools')
    .option('--tasks <file>', "write tasks from promptfoo's tests (YAML) or samples of OpenAI's evals (JSONL)")
    .option('--dir <folder>', 'with --tasks: where the folder of the tasks is made   (default: here)')
    .option('--name <name>', "with --tasks: the name of the folder and its tasks   (default: the file's name)")
    .option(
      '--from <tool>',
      `the tool that wrote the logs: ${logTools().join(', ')}   (default: recognised by the files)`,
      makeWordReader('--from', logTools()),
    )
    .option('--task <name=new>', 'name a task of the logs NEW; NEW alone where the log has one task; repeatable', every)
    .option('--metric <name=new>', 'name a metric of the logs NEW; NAME is metric or metric,filter; repeatable', every)
    .option(
      '--on-conflict <what>',
      'where a key has another content here: "refuse" the file, or "keep-ours"',
      makeWordReader('--on-conflict', onConflicts),
      'refuse',
    )
    .addHelpText('after', help)
    .action((files: readonly string[], flags: ImportFlags) =>
      flags.tasks === undefined ? importFiles(files, flags, tools) : writeTasks(flags.tasks, { files, flags }, tools),
    )

const every = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

async function importFiles(files: readonly string[], flags: ImportFlags, tools: Tools): Promise<void> {
  const { terminal } = tools
  if (files.length === 0) throw new PipelineError('usage', 'import: name a file, or a file of tests with --tasks FILE')
  if (flags.dir !== undefined || flags.name !== undefined)
    throw new PipelineError('usage', 'import: --dir and --name need --tasks FILE')
  const outcomes: object[] = []
  const tell = (text: readonly string[], outcome: object): void => {
    outcomes.push(outcome)
    if (flags.quiet !== true && flags.json !== true) terminal.print([...text])
  }
  const names = newNames(flags)
  boundHeapGrowth(growthOfImports)
  await withOpenStore(locateStore(flags, tools), 'write', async store => {
    const { onConflict } = flags
    for (const file of files) {
      const reader = await findReader(file, flags.from)
      if (reader === undefined) {
        if (flags.task !== undefined || flags.metric !== undefined) throw nothingToRename(file)
        const outcome = await importBundle(store, file, { onConflict })
        const isScored = (await store.judgements.list(outcome.run)).length > 0
        const next = isScored
          ? []
          : [`  no scores are in it: score it with   ${formatCommand('judge', [outcome.run.name])}`]
        tell([...importLines(outcome), ...next], importJson(outcome))
        continue
      }
      for (const landed of await landLog(store, renamedLog(await reader.open(file), names), { onConflict }))
        tell(landedLines(landed), {
          ...importJson(landed.outcome),
          tool: landed.tool,
          differences: landed.differences,
          notes: landed.notes,
        })
    }
  })
  if (flags.json === true) terminal.printData(JSON.stringify(outcomes, undefined, 2))
}

async function writeTasks(
  file: string,
  { files, flags }: { readonly files: readonly string[]; readonly flags: ImportFlags },
  { terminal }: Tools,
): Promise<void> {
  if (files.length > 0)
    throw new PipelineError('usage', `import: --tasks writes tasks alone. Leave out ${files.join(' ')}`)
  const { importTasks } = await import('../../../authoring/foreign-tasks/import-tasks.js')
  const importedTasks = await importTasks(file, present({ dir: flags.dir, name: flags.name }))
  const { folder, tasks, docs, left } = importedTasks
  if (flags.json === true) {
    terminal.printData(JSON.stringify(importedTasks, undefined, 2))
    return
  }
  if (left.length > 0)
    terminal.tell([`${formatQuantity(left.length, 'part')} not translated:`, ...left.map(text => `  ${text}`)])
  if (flags.quiet === true) return
  terminal.print([`written  ${shownPath(folder)}: ${tasks.join(', ')} with ${formatQuantity(docs, 'doc')}`])
  terminal.tell(`try it:  pipeline tasks validate ${shellWord(shownPath(folder))} --docs 3`)
}

/** Parses `OLD=NEW`. The last `=` separates, because names of HELM contain `=`. */
function newNames({ task = [], metric = [] }: ImportFlags): NewNames {
  const [only] = task
  const isOnly = task.length === 1 && only !== undefined && !only.includes('=')
  return {
    tasks: isOnly ? checkNewName('--task', only) : parsePairs('--task', task),
    metrics: parsePairs('--metric', metric),
  }
}

const parsePairs = (flag: string, texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map(text => {
      const at = text.lastIndexOf('=')
      if (at <= 0) throw new PipelineError('usage', `${flag} ${text}: expected NAME=NEW, such as ${flag} old=new`)
      return [text.slice(0, at), checkNewName(flag, text.slice(at + 1))]
    }),
  )

function checkNewName(flag: string, name: string): string {
  if (name.trim() === '') throw new PipelineError('usage', `${flag}: the new name is empty. Write NAME=NEW.`)
  return name
}

const nothingToRename = (file: string): PipelineError =>
  new PipelineError(
    'usage',
    `${file} is a file of pipeline export: --task and --metric rename logs of other tools only. Leave them out.`,
  )

const landedLines = ({ outcome, tool, differences, notes }: LandedRun): string[] => [
  ...importLines(outcome),
  ...notes.map(note => `  ${note}`),
  ...differences.map(
    ({ task, metric, reported, ours }) =>
      `  ${task}: ${tool} reports ${reported} for ${metric}, and the mean of its samples is ${ours}`,
  ),
]
