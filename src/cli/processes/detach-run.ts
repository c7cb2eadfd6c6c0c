import { shellWord } from '../../../base/text/shell-word.js'
import { formatQuantity } from '../../../base/text/numbers.js'
import { createRun } from '../../evaluation/evaluate.js'
import { runOverview } from '../../reading/progress/run-overview.js'
import { secretTexts } from '../../config/secrets.js'
import { detachRun, keysOfLine, type SubmittedRun } from '../../service/jobs/detach-run.js'
import type { Hooks } from '../../config/settings.js'
import { waitingBy, withOpenStoreAt } from '../../evaluation/with-store.js'
import type { Tools } from '../command.js'
import type { AskedRun } from '../commands/runs/run-list.js'
import { exitCode, type ExitCode } from '../exit-code.js'
import { storeFlag } from '../flags/store-flag.js'
import { listenForInterruption } from '../this-process/interruption.js'

/** Creates the run of a command line, and leaves its work to workers. */
export async function detachEvaluation(
  { settings, output, isPredictOnly, variables }: AskedRun,
  workers: number,
  tools: Tools,
): Promise<ExitCode> {
  const { terminal, env } = tools
  const tell = (line: string): void => {
    if (output.quiet !== true) terminal.tell(line)
  }
  const interruption = listenForInterruption(tell, () => undefined, tools.leave)
  const hooks: Hooks = {
    emit: event => {
      if (event.type !== 'note') return
      if (event.isUrgent === true) terminal.tell(`note: ${event.text}`)
      else tell(`note: ${event.text}`)
    },
    drain: interruption.drain,
    stop: interruption.stop,
  }
  try {
    const lines = await withOpenStoreAt(settings.store, { waiting: waitingBy(hooks) }, async store => {
      const stages = { input: true, model: true, judge: !isPredictOnly }
      const { run, config } = await createRun(store, settings, { hooks, stages })
      const flag = storeFlag(settings.store, env)
      const { state } = await runOverview(store, run)
      const isDone = state === 'complete'
      const submitted = isDone
        ? undefined
        : await detachRun(
            store,
            { run, config, workers, keys: keysOfLine(settings, { isPredictOnly }) },
            { cwd: process.cwd(), env: settings.env },
          )
      if (output.json === true)
        terminal.printData(
          JSON.stringify({ run: run.name, id: run.id, jobs: submitted?.jobs.map(({ id }) => id) ?? [] }),
        )
      else terminal.print(run.name)
      return submitted === undefined
        ? [`run ${run.name} is complete: nothing is left for workers`, `results:  pipeline report ${run.name}${flag}`]
        : describeSubmitted(submitted, { location: store.location, reference: `${run.name}${flag}` })
    })
    for (const line of lines) tell(line)
    const hidden = [settings.modelArgs, settings.judgeArgs].flatMap(args => secretTexts(args)).length
    if (hidden > 0)
      tell(
        'note: secrets of the line are not stored. Give them to the workers: in their environment, or with pipeline worker --model-args api_key=…',
      )
    const names = Object.keys(variables ?? {})
    if (names.length > 0)
      tell(`note: env of the file (${names.join(', ')}) is not sent to workers: set it where they start`)
  } finally {
    interruption.release()
  }
  return exitCode({})
}

function describeSubmitted(
  { jobs, dirs, urls }: SubmittedRun,
  { location, reference }: { readonly location: string; readonly reference: string },
): readonly string[] {
  const allow = [
    ...dirs.map(dir => ` --allow-dir ${shellWord(dir)}`),
    ...urls.map(url => ` --allow-url ${shellWord(url)}`),
  ]
  return [
    `${formatQuantity(jobs.length, 'job')} in the queue of the store`,
    `work:     pipeline worker --store ${shellWord(location)}${allow.join('')}`,
    `watch:    pipeline runs watch ${reference}`,
    `results:  pipeline report ${reference}`,
  ]
}
