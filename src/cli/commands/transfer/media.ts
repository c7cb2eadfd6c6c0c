import { readFile } from 'node:fs/promises'
import { PipelineError, messageOf } from '../../../../base/errors/errors.js'
import { formatManifest, formatManifestComparison } from '../../../present/text/manifest-lines.js'
import { compareManifests } from '../../../reading/media/compare-manifests.js'
import { parseManifest, type MediaManifest } from '../../../reading/media/manifest.js'
import { readMediaManifest } from '../../../reading/media/read-manifest.js'
import type { DefineCommand } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { addSubcommand, type OutputFlags } from '../../flags/evaluation-options.js'
import { openRun, storePlace, withOpenStore } from '../../open-run.js'

const help = `
Examples:
  pipeline media manifest last --json > media.json
  pipeline media manifest last --compare media.json

Nothing is decoded, and no request is sent. With --compare, the exit code is 4 if something differs.`

interface ManifestFlags extends OutputFlags {
  readonly store?: string
  readonly compare?: string
}

/** Defines `pipeline media`. */
export const defineMedia: DefineCommand = (command, tools, end) => {
  command.addHelpText('after', help)
  addSubcommand(command, {
    name: 'manifest',
    summary: 'list the media and frames that a run showed, with digests, times and sizes',
    help,
  })
    .argument('<run>', 'name, end of its id, or last')
    .option('--compare <file>', 'compare with a manifest of another run, machine or tool (JSON)')
    .action(async (reference: string, flags: ManifestFlags) => {
      const { terminal } = tools
      const other = flags.compare === undefined ? undefined : await readManifestFile(flags.compare)
      const manifest = await withOpenStore(storePlace(flags, tools), 'read', async store =>
        readMediaManifest(store, await openRun(store, reference)),
      )
      const comparison = other && compareManifests(manifest, other)
      if (flags.json === true) terminal.printData(JSON.stringify(comparison ?? manifest, undefined, 2))
      else if (comparison === undefined) terminal.print(formatManifest(manifest, terminal.paint.out))
      else terminal.print(formatManifestComparison(comparison, terminal.paint.out))
      end(exitCode({ isGateFailed: (comparison?.differences.length ?? 0) > 0 }))
    })
}

async function readManifestFile(path: string): Promise<MediaManifest> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new PipelineError('usage', `--compare: ${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
  return parseManifest(text, path)
}
