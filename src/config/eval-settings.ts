import { PipelineError } from '../../base/errors/errors.js'
import { present } from '../../base/values/present.js'
import type { JsonObject } from '../../cache/records.js'
import type { Environment, EvalSettings, JudgeSettings, Surroundings } from './settings.js'
import { parseArguments, typedArguments, withLineBreaks } from './argument-string.js'
import type { Config } from './file/config-schema.js'
import { makeGroupSettings, type FlagsOf } from './option.js'
import { plainOptions } from './options.js'
import { judgeOptions } from './options/judge-options.js'
import type { lmmsOptions } from './options/line-options.js'
import type { JudgeChoices } from './values/judge-choices.js'
import { withServerPath } from './values/tool-servers.js'

/** The flags of an evaluation with checked values. A flag that was not given is absent. */
export interface EvalFlags extends FlagsOf<typeof plainOptions>, Omit<FlagsOf<typeof lmmsOptions>, 'seed'> {
  readonly model?: string
  readonly modelArgs?: readonly string[]
  readonly tasks?: readonly string[]
  readonly genKwargs?: readonly string[]
  /** lmms-eval's name of `fewshotSeed`. */
  readonly seed?: number | undefined
  /** lmms-eval's other name of `repeats`. */
  readonly numSamples?: number
  readonly config?: string
  /** `KEY=VALUE` overrides of the configuration file. */
  readonly set?: readonly string[]
  readonly store?: string
  readonly includePath?: readonly string[]
  readonly plugin?: readonly string[]
  readonly judgeArgs?: readonly string[]
  readonly judgeFor?: JudgeChoices
}

/**
 * Makes the settings of one evaluation from flags, configuration file and environment. A flag overrides the file, and the file the environment. Model
 * arguments and generation kwargs are merged name by name.
 *
 * @throws PipelineError if model or tasks are missing, or arguments cannot be parsed
 */
export function evalSettings(flags: EvalFlags, config: Config, env: Environment): EvalSettings {
  const model = flags.model ?? config.model
  const tasks = (flags.tasks ?? config.tasks ?? []).flatMap(commaSeparated)
  requireBoth(model, tasks)
  const { mcp_server_path: server, ...modelArgs } = {
    ...fromConfig(config.model_args, 'model_args'),
    ...parseArguments(flags.modelArgs ?? [], '--model-args'),
  }
  return {
    ...surroundings(flags, config, env),
    model: model ?? '',
    modelArgs,
    tasks,
    genKwargs: {
      ...typedArguments(fromConfig(config.gen_kwargs, 'gen_kwargs'), 'gen_kwargs'),
      ...withLineBreaks(typedArguments(parseArguments(flags.genKwargs ?? [], '--gen-kwargs'), '--gen-kwargs')),
    },
    retryFailed: false,
    newRun: false,
    fresh: false,
    codeKey: 'revision',
    ...withServerPath(makeGroupSettings(plainOptions, withAliases(flags), fileWithAliases(config)), server),
    ...judgeSettings(flags, config),
    ...present({ configFile: flags.config }),
  }
}

/** Settings of any command: the store, task folders and plugins. */
export function surroundings(
  flags: Pick<EvalFlags, 'store' | 'includePath' | 'plugin'>,
  config: Config,
  env: Environment,
): Surroundings {
  const fromEnvironment = env['PIPELINE_STORE']
  return {
    store: flags.store ?? config.store ?? (fromEnvironment === '' ? undefined : fromEnvironment) ?? '.pipeline',
    includePaths: [...(config.include_path ?? []), ...(flags.includePath ?? [])].flatMap(commaSeparated),
    plugins: [...(config.plugin ?? []), ...(flags.plugin ?? [])].flatMap(commaSeparated),
    env,
  }
}

/** Settings of any command that scores: judge models and parity. */
export function judgeSettings(
  flags: Pick<EvalFlags, 'judgeModel' | 'judgeArgs' | 'judgeFor' | 'judgeOverride' | 'parity'>,
  config: Config,
): JudgeSettings {
  const args = {
    ...fromConfig(config.judge_args, 'judge_args'),
    ...parseArguments(flags.judgeArgs ?? [], '--judge-args'),
  }
  const choices = { ...config.judge_for, ...flags.judgeFor }
  return {
    ...makeGroupSettings({ judgeModel, judgeOverride, parity }, flags, config),
    ...(Object.keys(args).length === 0 ? {} : { judgeArgs: args }),
    ...(Object.keys(choices).length === 0 ? {} : { judgeFor: choices }),
  }
}

/** Uses the values of lmms-eval's flags if ours are absent. */
const withAliases = ({ seed, numSamples, maxTokens, ...flags }: EvalFlags): EvalFlags => ({
  ...present({ fewshotSeed: seed, repeats: numSamples, maxTokensTotal: maxTokens }),
  ...flags,
})

const fileWithAliases = ({ seed, max_tokens: maxTokens, ...config }: Config): Config => ({
  fewshot_seed: seed,
  max_tokens_total: maxTokens,
  ...config,
})

function requireBoth(model: string | undefined, tasks: readonly string[]): void {
  const problems = [
    ...(model === undefined ? ['no model is named: give --model NAME   (pipeline models list)'] : []),
    ...(tasks.length === 0 ? ['no task is named: give --tasks NAME[,NAME]   (pipeline tasks list)'] : []),
  ]
  if (problems.length > 0) throw new PipelineError('usage', problems)
}

const fromConfig = (args: Config['model_args'], key: string): JsonObject =>
  typeof args === 'string' ? parseArguments([args], key) : (args ?? {})

/** Splits a comma-separated list. */
export const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

const { judgeModel, judgeOverride, parity } = judgeOptions
