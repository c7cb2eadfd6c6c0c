import { ownValue } from '../../base/named-values.js'
import { join } from 'node:path'
import { PipelineError } from '../../base/errors.js'
import type { Config } from '../config/config-schema.js'
import { unusedKeysIn } from '../config/unused-keys.js'
import { readConfigFile } from '../config/config-file.js'
import { variablesOf } from '../config/config-env.js'
import { evalSettings, surroundings } from '../config/eval-settings.js'
import { secretTexts } from '../config/secrets.js'
import { evaluate } from '../evaluate.js'
import type { EvalSettings } from '../settings.js'
import { isProxySet } from '../../stages/model/backends/http/proxy-variables.js'
import { fetchByProxy } from './fetch-by-proxy.js'
import type { DefineCommand, Tools } from './command-table.js'
import { displayed } from './evaluation-display.js'
import { showPlan } from './plan-display.js'
import { unusedNote } from './unused-flags.js'
import { variantLine } from './variant-line.js'
import { listTasks, listWords } from './task-list.js'
import {
  withEvaluation,
  withJudge,
  withOutput,
  withResultFiles,
  type EvaluationFlags,
  type OutputFlags,
} from './evaluation-options.js'

const help = `
Examples:
  pipeline eval --config examples/quickstart.yaml
  pipeline eval --model openai --model-args model=gpt-x,base_url=$URL --tasks mytask --include-path . --limit 20
  pipeline eval --model openai --model-args model=gpt-4.1-mini --tasks chartqa --plan
  pipeline eval --model openai --model-args model=gpt-4.1-mini --tasks chartqa --max-cost 5 --max-time 2h

The same line again is the same run: it goes on where it was, or there is nothing to do. Ctrl-C keeps all answers.
In a configuration file, a path that begins with ./ or ../ is meant from the folder of that file.
Exit codes: 0 complete; 1 refused; 2 incomplete; 3 not everything could be judged; 130 interrupted.`

export const defineEval: DefineCommand = (command, tools, end) =>
  void withResultFiles(withOutput(withJudge(withEvaluation(command))))
    .addHelpText('after', help)
    .action(async (flags: EvaluationFlags) => {
      if (await listInstead(flags, tools)) return
      const { settings, output } = await readSettings(flags, tools)
      const stages = { input: true, model: true, judge: flags.predictOnly !== true }
      if (flags.plan === true) {
        end(await showPlan(settings, { ...flags, isJudged: stages.judge }, tools))
        return
      }
      const variant = variantLine(settings)
      end(
        await displayed(
          {
            store: settings.store,
            stages,
            flags: output,
            ...(variant === undefined ? {} : { variant }),
            work: hooks => evaluate(settings, hooks, stages),
          },
          tools,
        ),
      )
    })

/** `--tasks list` and its relatives, as lmms-eval has them, list names and evaluate nothing. */
export async function listInstead(flags: EvaluationFlags, tools: Tools): Promise<boolean> {
  const [word = '', ...others] = flags.tasks ?? []
  const kind = others.length === 0 ? ownValue(listWords, word) : undefined
  if (kind === undefined) return false
  const { store } = surroundings(flags, {}, tools.env)
  await listTasks(kind, { flags, cacheDir: join(store, 'code') }, tools)
  return true
}

/** What the flags and their configuration file ask for. From here on no secret of theirs can be printed. */
export async function readSettings(
  flags: EvaluationFlags,
  { env, terminal }: Tools,
): Promise<{ readonly settings: EvalSettings; readonly output: OutputFlags }> {
  const config: Config = flags.config === undefined ? {} : await readConfigFile(flags.config)
  const variables = variablesOf(config.env, env)
  // Backends and downloads look there, in this process and in those that it starts.
  Object.assign(process.env, variables)
  if (isProxySet(variables)) await fetchByProxy(process.env)
  terminal.mask(secretTexts(variables))
  const settings = evalSettings(flags, config, { ...env, ...variables })
  terminal.mask([...secretTexts(settings.modelArgs), ...secretTexts(settings.judgeArgs)])
  const outputPath = flags.outputPath ?? config.output_path
  const logSamples = flags.logSamples ?? config.log_samples ?? false
  if (logSamples && outputPath === undefined) {
    throw new PipelineError('usage', '--log-samples: also give --output-path DIR, the folder to write to')
  }
  const unused = unusedNote({ ...flags, ...unusedKeysIn(config) })
  if (unused !== undefined && flags.quiet !== true) terminal.tell(`note: ${unused}`)
  return { settings, output: { ...flags, logSamples, ...(outputPath === undefined ? {} : { outputPath }) } }
}
