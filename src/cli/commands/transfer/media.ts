import { readFile } from 'node:fs/promises'
import { PipelineError, messageOf } from '../../../../base/errors/errors.js'
import { formatManifest, formatManifestComparison } from '../../../present/text/manifest-lines.js'
import type { Hooks } from '../../../config/settings.js'
import { previewMedia } from '../../../preview/preview-media.js'
import { compareManifests } from '../../../reading/media/compare-manifests.js'
import { parseManifest, type MediaManifest } from '../../../reading/media/manifest.js'
import { readMediaManifest } from '../../../reading/media/read-manifest.js'
import type { DefineCommand, Tools } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withEvaluation, withOutput, type EvaluationFlags } from '../../flags/evaluation-options.js'
import { withInterruption } from '../../this-process/interruption.js'
import { openRun, locateStore, withOpenStore } from '../../open-run.js'
import { withVariables } from '../../this-process/process-variables.js'
import { readRuns } from '../runs/run-list.js'

const help = `
Examples:
  pipeline media manifest last --json > media.json
  pipeline media manifest last --compare media.json
  pipeline media manifest --tasks videomme --model openai --model-args model=m,nframes=8 --limit 20 --json

The manifest of a run is read from the store. With --tasks or --config in place of a run, the command lists what an evaluation with
these flags would show, and decodes its videos. No request is sent either way. With --compare, the exit code is 4 if something differs.`

interface ManifestFlags extends EvaluationFlags {
  readonly compare?: string
}

/** Defines `pipeline media`. */
export const defineMedia: DefineCommand = (command, tools, end) => {
  command.addHelpText('after', help)
  withOutput(withEvaluation(command.command('manifest')))
    .description('list the media and frames that a run showed, or would show, with digests, times and sizes')
    .argument('[run]', 'name, end of its id, or last')
    .option('--compare <file>', 'compare with a manifest of another run, machine or tool (JSON)')
    .addHelpText('after', help)
    .action(async (reference: string | undefined, flags: ManifestFlags) => {
      const { terminal } = tools
      const other = flags.compare === undefined ? undefined : await readManifestFile(flags.compare)
      const manifest = await makeManifest(reference, flags, tools)
      const comparison = other && compareManifests(manifest, other)
      if (flags.json === true) terminal.printData(JSON.stringify(comparison ?? manifest, undefined, 2))
      else if (comparison === undefined) terminal.print(formatManifest(manifest, terminal.paint.out))
      else terminal.print(formatManifestComparison(comparison, terminal.paint.out))
      end(exitCode({ isGateFailed: (comparison?.differences.length ?? 0) > 0 }))
    })
}

/** @throws PipelineError (usage) if neither a run nor a task is named, or both */
async function makeManifest(reference: string | undefined, flags: ManifestFlags, tools: Tools): Promise<MediaManifest> {
  const isOfTask = flags.tasks !== undefined || flags.config !== undefined
  if (isOfTask === (reference !== undefined))
    throw new PipelineError(
      'usage',
      'media manifest: name a run (pipeline media manifest last), or tasks and a model (--tasks, --model), not both',
    )
  if (reference === undefined) return foretellManifest(flags, tools)
  return withOpenStore(locateStore(flags, tools), 'read', async store =>
    readMediaManifest(store, await openRun(store, reference)),
  )
}

/** Lists the media that a run with these flags would send. */
async function foretellManifest(flags: ManifestFlags, tools: Tools): Promise<MediaManifest> {
  const [run, ...others] = await readRuns(flags, tools)
  if (run === undefined || others.length > 0)
    throw new PipelineError(
      'usage',
      'media manifest: the configuration file is of several runs. Name one task and model',
    )
  const { terminal } = tools
  const tell = (text: string): void => {
    if (flags.quiet !== true) terminal.tell(`note: ${text}`)
  }
  const emit: Hooks['emit'] = event => {
    if (event.type === 'note') tell(event.text)
  }
  return withInterruption(
    tools,
    ({ drain, stop }) => withVariables(run.variables, () => previewMedia(run.settings, { drain, stop, emit })),
    tell,
  )
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
