import { importBundle } from '../../../cache/bundle/import.js'
import type { ImportOutcome, OnConflict } from '../../../cache/bundle/portable.js'
import { counted, grouped } from '../../report/layout/numbers.js'
import type { DefineCommand, Tools } from '../command.js'
import { withOutput, withStore, type OutputFlags } from '../flags/evaluation-options.js'
import { oneOf } from '../../config/option-values.js'
import { storePlace, withOpenStore } from '../open-run.js'

const help = `
Example:
  pipeline import run-a.pipeline run-b.pipeline

Importing twice, or in another order, ends in the same store. A file with a flipped byte is refused.`

interface ImportFlags extends OutputFlags {
  readonly store?: string
  readonly onConflict: OnConflict
}

export const defineImport: DefineCommand = (command, tools) =>
  void withOutput(withStore(command))
    .argument('<file...>', 'files that pipeline export wrote')
    .option(
      '--on-conflict <what>',
      'where a key has another content here: "refuse" the file, or "keep-ours"',
      oneOf('--on-conflict', ['refuse', 'keep-ours']),
      'refuse',
    )
    .addHelpText('after', help)
    .action((files: readonly string[], flags: ImportFlags) => importFiles(files, flags, tools))

async function importFiles(files: readonly string[], flags: ImportFlags, tools: Tools): Promise<void> {
  const { terminal } = tools
  const outcomes: ImportOutcome[] = []
  await withOpenStore(storePlace(flags, tools), 'write', async store => {
    for (const file of files) {
      const outcome = await importBundle(store, file, { onConflict: flags.onConflict })
      outcomes.push(outcome)
      if (flags.quiet !== true && flags.json !== true) terminal.print(lines(outcome))
    }
  })
  if (flags.json === true) terminal.printData(JSON.stringify(outcomes.map(forPrograms), undefined, 2))
}

function lines({ run, isNew, added, present, conflicts }: ImportOutcome): string[] {
  const state = isNew ? 'new' : 'known'
  return [
    `${run.name} (${state}): ${counted(added.responses, 'answer')} and ${counted(added.scores, 'score')} added, ${grouped(present.responses)} and ${grouped(present.scores)} were here`,
    ...(conflicts.length === 0 ? [] : [`  ${counted(conflicts.length, 'conflict')}: what was here stays`]),
  ]
}

const forPrograms = ({ run, isNew, added, present, conflicts }: ImportOutcome) => ({
  run: run.name,
  id: run.id,
  is_new: isNew,
  added,
  present,
  conflicts,
})
