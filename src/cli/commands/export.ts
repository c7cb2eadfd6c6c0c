import { stat } from 'node:fs/promises'
import { shownPath } from '../../../base/files/shown-path.js'
import { exportRun } from '../../../cache/bundle/export.js'
import { grouped, size } from '../../report/layout/numbers.js'
import type { DefineCommand, Tools } from '../command.js'
import { withOutput, withStore, type OutputFlags } from '../flags/evaluation-options.js'
import { openRun, storeDir, withOpenStore } from '../open-run.js'

const help = `
Examples:
  pipeline export last -o run.pipeline
  pipeline export last -o run.pipeline --media

The file holds inputs, answers and scores: pipeline judge FILE and pipeline import FILE work where there is neither
dataset nor model.`

interface ExportFlags extends OutputFlags {
  readonly store?: string
  readonly output: string
  readonly media?: boolean
}

export const defineExport: DefineCommand = (command, tools) =>
  void withOutput(withStore(command))
    .argument('<run>', 'name, end of its id, or last')
    .requiredOption('-o, --output <file>', 'the file to write')
    .option('--media', 'put the media in, too')
    .addHelpText('after', help)
    .action((reference: string, flags: ExportFlags) =>
      exportToFile(
        { store: storeDir(flags, tools), reference, file: flags.output, withMedia: flags.media === true, flags },
        tools,
      ),
    )

/** Writes a run to a file and says what is in it. A run that is not complete is told to be partial. */
export async function exportToFile(
  asked: { store: string; reference: string; file: string; withMedia: boolean; flags?: OutputFlags },
  { terminal }: Tools,
): Promise<void> {
  const manifest = await withOpenStore({ dir: asked.store, terminal }, 'read', async store => {
    const { run } = await openRun(store, asked.reference)
    return exportRun(store, run, { file: asked.file, media: asked.withMedia })
  })
  const { size: bytes } = await stat(asked.file)
  if (asked.flags?.json === true) {
    const { partial, pending, media, parts, run } = manifest
    terminal.print(
      JSON.stringify({ file: asked.file, bytes, run: run.name, partial, pending, media, parts }, undefined, 2),
    )
    return
  }
  if (manifest.partial) {
    terminal.tell(`note: ${manifest.run.name} is partial: ${grouped(manifest.pending)} of its items are pending`)
  }
  if (asked.flags?.quiet === true) return
  const media = asked.withMedia ? `${grouped(manifest.media)} media` : 'no media'
  terminal.tell(`${manifest.run.name} exported to ${shownPath(asked.file)} (${size(bytes)}, ${media})`)
}
