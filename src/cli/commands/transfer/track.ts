import { PipelineError } from '../../../../base/errors/errors.js'
import { namedTrackers } from '../../../tracking/named-trackers.js'
import { readTracker } from '../../../config/options/track-options.js'
import { pythonOptions } from '../../../config/options/subject-options.js'
import { appendText } from '../../../config/values/option-values.js'
import { readDestinations } from '../../../tracking/destinations.js'
import { trackers } from '../../../tracking/trackers.js'
import type { TrackOutcome } from '../../../tracking/track-run.js'
import type { DefineCommand, Tools } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withOutput, withStore, type OutputFlags } from '../../flags/evaluation-options.js'
import { maskTrackers, sendTracked } from '../../flags/tracking.js'
import { withInterruption } from '../../this-process/interruption.js'
import { openRun, locateStore, withOpenStore } from '../../open-run.js'

const help = `
Examples:
  pipeline track last --to mlflow=http://127.0.0.1:5000
  pipeline track last --to mlflow=http://127.0.0.1:5000,experiment=vlm,samples=false
  pipeline track last --to wandb=my-project,mode=offline --to tensorboard=runs
  pipeline track last~1 last --to mlflow=http://127.0.0.1:5000

Trackers:
${trackers.map(({ id, summary, names }) => `  ${id.padEnd(12)} ${summary}\n${''.padEnd(15)}${names.join(', ')}`).join('\n')}

Results that the tracker has already are not sent again. Exit code 1: something could not be sent.`

interface TrackFlags extends OutputFlags {
  readonly store?: string
  readonly to?: readonly string[]
  readonly again?: boolean
  readonly python?: string
}

export const defineTrack: DefineCommand = (command, tools, end) =>
  void withOutput(withStore(command))
    .argument('<run...>', 'name, end of its id, or last; NAME@1 for its first judgement')
    .option('--to <name=…>', 'a tracker with its settings; may be repeated; else those of pipeline.yaml', appendText)
    .option('--again', 'also send results that the tracker has already')
    .option(pythonOptions.python.flag, "the Python that has the tracker's package; else $PIPELINE_PYTHON, else python3")
    .addHelpText('after', help)
    .action(async (references: readonly string[], flags: TrackFlags) => {
      end(exitCode({ isRefused: (await trackEach(references, flags, tools)).some(({ state }) => state === 'failed') }))
    })

async function trackEach(
  references: readonly string[],
  flags: TrackFlags,
  tools: Tools,
): Promise<readonly TrackOutcome[]> {
  const { terminal, env } = tools
  const trackers = flags.to?.map(readTracker) ?? namedTrackers({}, tools.folder.defaults?.config ?? {})
  if (trackers.length === 0)
    throw new PipelineError(
      'usage',
      "--to: name a tracker, such as --to mlflow=URL, or write track into the folder's pipeline.yaml",
    )
  maskTrackers(trackers, terminal)
  const tracking = {
    destinations: readDestinations(trackers, env, 'to'),
    again: flags.again === true,
    ...(flags.python !== undefined && { python: flags.python }),
  }
  const onFirst = (): void =>
    terminal.tell('interrupted: what was sent stays there, and the same command sends the rest')
  const send = ({ drain, stop }: { readonly drain: AbortSignal; readonly stop: AbortSignal }) =>
    withOpenStore(locateStore(flags, tools, { drain, stop }), 'read', async store => {
      const signal = AbortSignal.any([drain, stop])
      const runs = []
      for (const reference of references) runs.push(await openRun(store, reference))
      const allOutcomes: (TrackOutcome & { readonly run: string })[] = []
      for (const opened of runs) {
        const outcomes = await sendTracked(store, opened, tracking, { tools, flags, signal })
        allOutcomes.push(...outcomes.map(outcome => ({ run: opened.run.name, ...outcome })))
      }
      if (flags.json === true) terminal.printData(JSON.stringify(allOutcomes, undefined, 2))
      return allOutcomes
    })
  return withInterruption(tools, send, onFirst)
}
