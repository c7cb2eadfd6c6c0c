import { present } from '../../../base/values/present.js'
import { ownValue } from '../../../base/values/named-values.js'
import { codeFolder, findWorkFolder } from '../../../cache/location.js'
import { surroundings } from '../../config/eval-settings.js'
import { isComplete } from '../../../cache/facts/run-state.js'
import { evaluate } from '../../evaluation/evaluate.js'
import type { Hooks } from '../../config/settings.js'
import type { DefineCommand, Tools } from '../command.js'
import { runWithDisplay } from '../display/evaluation-display.js'
import type { ExitCode } from '../exit-code.js'
import { showPlan } from '../display/plan-display.js'
import { evaluateEach, type AskedRun } from './runs/run-list.js'
import { detachEvaluation } from '../processes/detach-run.js'
import { followParent, LocalWorkers } from '../processes/local-workers.js'
import { makeJoined, refuseUnshared, withProcesses, type ProcessFlags } from '../processes/shared-run.js'
import { placeFiles } from '../flags/place-files.js'
import { variantLine } from '../flags/variant-line.js'
import { listTasks, listWords } from './tasks/task-list.js'
import {
  withEvaluation,
  withJudge,
  withOutput,
  withResultFiles,
  withTracking,
  type EvaluationFlags,
} from '../flags/evaluation-options.js'

const help = `
Examples:
  pipeline eval --config examples/quickstart.yaml
  pipeline eval colours.yaml
  pipeline eval --model openai --model-args model=gpt-x,base_url=$URL --tasks mytask --include-path . --limit 20
  pipeline eval colours.task.ts --model openai --model-args model=gpt-4.1-mini --limit 20
  pipeline eval --model openai --model-args model=gpt-4.1-mini --tasks chartqa --plan
  pipeline eval --model openai --model-args model=gpt-4.1-mini --tasks chartqa --max-cost 5 --max-time 2h
  pipeline eval --config local.yaml --workers 4
  pipeline eval --config nightly.yaml --store postgres://db/evals?media=/shared/evals --detach --workers 16
  pipeline eval --config nightly.yaml --baseline last --gate '*.* not worse'

The same command line continues the same run, or prints its results if it is complete. Ctrl-C keeps all answers.
In a configuration file, a path that begins with ./ or ../ starts at the folder of that file.
Exit codes: 0 complete; 1 refused; 2 incomplete; 3 not everything could be judged; 4 a gate does not hold; 130 interrupted.`

/** Defines `pipeline eval`. */
export const defineEval: DefineCommand = (command, tools, end) =>
  void withProcesses(withTracking(withResultFiles(withOutput(withJudge(withEvaluation(command))))))
    .argument('[files...]', 'a configuration file, or files and folders of tasks')
    .addHelpText('after', help)
    .action(async (files: readonly string[], typed: EvalLineFlags) => {
      const flags = placeFiles(files, typed)
      if (await listInstead(flags, tools)) return
      end(
        await evaluateEach(flags, tools, {
          options: command.options,
          evaluateOne: (run, inner) => evaluateRun(run, flags, inner),
        }),
      )
    })

type EvalLineFlags = EvaluationFlags & ProcessFlags

async function evaluateRun(evaluation: AskedRun, flags: EvalLineFlags, tools: Tools): Promise<ExitCode> {
  if (flags.plan === true)
    return showPlan(
      evaluation.settings,
      { ...flags, isJudged: !evaluation.isPredictOnly, onPlan: evaluation.onPlan },
      tools,
    )
  if (flags.join !== undefined) {
    followParent()
    return evaluateAlone(makeJoined(evaluation, flags.join), 1, tools)
  }
  refuseUnshared(evaluation, flags)
  const { workers = 1 } = flags
  return flags.detach === true
    ? detachEvaluation(evaluation, workers, tools)
    : evaluateAlone(evaluation, workers, tools)
}

/** Evaluates in this process. With `--workers`, further processes of this machine share the work. */
function evaluateAlone(
  { settings, output, isPredictOnly, isListed, destinations, onRun, cell }: AskedRun,
  workers: number,
  tools: Tools,
): Promise<ExitCode> {
  const stages = { input: true, model: true, judge: !isPredictOnly }
  const variant = isListed ? undefined : variantLine(settings)
  return runWithDisplay(
    {
      store: settings.store,
      stages,
      flags: output,
      tracking: { destinations, ...(settings.python !== undefined && { python: settings.python }) },
      ...present({ variant, cell }),
      work: hooks =>
        shareWork({ hooks: { ...hooks, onRun: noteRun(hooks, onRun) }, workers, tools }, shared =>
          evaluate(settings, shared, stages),
        ),
    },
    tools,
  )
}

interface SharedWork {
  readonly hooks: Hooks
  /** The number of processes, including this one. */
  readonly workers: number
  readonly tools: Tools
}

/** Starts the other processes once the run is in the store and has work left, and waits for them at the end. */
async function shareWork<Result>(
  { hooks, workers, tools }: SharedWork,
  work: (hooks: Hooks) => Promise<Result>,
): Promise<Result> {
  if (workers === 1) return work(hooks)
  const { drain, stop } = hooks
  const others = new LocalWorkers({
    ...{ count: workers - 1, words: tools.words, drain, stop },
    tell: text => {
      hooks.emit({ type: 'note', text })
    },
  })
  const onRun: NonNullable<Hooks['onRun']> = (run, isNew, counts) => {
    hooks.onRun?.(run, isNew, counts)
    if (!isComplete(counts)) others.start(run.id)
  }
  let isFailed = true
  try {
    const result = await work({ ...hooks, onRun })
    isFailed = false
    return result
  } finally {
    await others.end({ isFailed })
  }
}

const noteRun =
  (hooks: Hooks, noted: AskedRun['onRun']): NonNullable<Hooks['onRun']> =>
  (run, ...others) => {
    noted?.(run)
    hooks.onRun?.(run, ...others)
  }

/** Lists names instead of evaluating if lmms-eval's `--tasks list` or a variant of it is used. */
export async function listInstead(flags: EvaluationFlags, tools: Tools): Promise<boolean> {
  const [word = '', ...others] = flags.tasks ?? []
  const kind = others.length === 0 ? ownValue(listWords, word) : undefined
  if (kind === undefined) return false
  const { store } = surroundings(flags, {}, tools.env)
  await listTasks(kind, { flags, cacheDir: codeFolder(findWorkFolder(store)) }, tools)
  return true
}
