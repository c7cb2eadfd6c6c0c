import { PipelineError } from '../../base/errors.js'
import type { CodeKeyKind, JsonObject } from '../../cache/records.js'
import type { Parity } from '../../stages/judge/parity.js'
import type { DispatchOrder } from '../../stages/model/schedule/loop/dispatch-order.js'
import type { EvalSettings, JudgeSettings, Surroundings } from '../evaluation/settings.js'
import { parseArguments, typedArguments } from './argument-string.js'
import { batchSettings, type BatchFlags } from './batches.js'
import type { Config } from './config-schema.js'
import { hedgeSettings, type HedgeFlag } from './hedge.js'
import { limitSettings, type LimitFlags } from './limits.js'
import { selectionSettings, type SelectionFlags } from './selection.js'
import { systemInstruction } from './system-instruction.js'
import { toolSettings, withServerPath, type ToolFlags } from './tool-servers.js'

/** The flags of an evaluation, as typed; values are checked already. Absent where the flag was not given. */
export interface EvalFlags extends SelectionFlags, LimitFlags, BatchFlags, ToolFlags {
  readonly model?: string
  readonly modelArgs?: readonly string[]
  readonly tasks?: readonly string[]
  readonly genKwargs?: readonly string[]
  readonly numFewshot?: number
  readonly fewshotAsMultiturn?: boolean
  readonly fewshotSeed?: number
  /** As lmms-eval calls that one. */
  readonly seed?: number
  readonly systemInstruction?: string
  readonly repeats?: number
  /** As lmms-eval also calls these. */
  readonly numSamples?: number
  /** As lmms-eval calls `maxTokensTotal`. */
  readonly maxTokens?: number
  readonly forceSimple?: boolean
  readonly concurrency?: number | 'adaptive'
  readonly maxConcurrency?: number
  readonly order?: DispatchOrder
  readonly hedge?: HedgeFlag
  readonly retryFailed?: boolean
  readonly newRun?: boolean
  readonly fresh?: boolean
  readonly codeKey?: CodeKeyKind
  readonly codeVersion?: string
  readonly config?: string
  readonly store?: string
  readonly includePath?: readonly string[]
  readonly plugin?: readonly string[]
  readonly judgeModel?: string
  readonly judgeArgs?: readonly string[]
  readonly parity?: Parity
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * One evaluation out of flags, configuration file and environment. A flag wins over the file, the file over the
 * environment; arguments of the model and generation kwargs are merged name by name.
 *
 * @throws PipelineError where model or tasks are missing, or arguments can't be read.
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
      ...typedArguments(parseArguments(flags.genKwargs ?? [], '--gen-kwargs'), '--gen-kwargs'),
    },
    ...judgeSettings(flags, config),
    ...selectionSettings(flags, config),
    ...limitSettings(
      { ...optional('maxTokensTotal', flags.maxTokens), ...flags },
      { ...optional('max_tokens_total', config.max_tokens), ...config },
    ),
    ...batchSettings(flags, config),
    ...withServerPath(toolSettings(flags, config), server),
    ...optional('concurrency', flags.concurrency ?? config.concurrency),
    ...optional('maxConcurrency', flags.maxConcurrency ?? config.max_concurrency),
    ...optional('order', flags.order ?? config.order),
    ...hedgeSettings(flags.hedge, config.hedge),
    ...prompting(flags, config),
    retryFailed: flags.retryFailed ?? config.retry_failed ?? false,
    newRun: flags.newRun ?? config.new_run ?? false,
    fresh: flags.fresh ?? config.fresh ?? false,
    codeKey: flags.codeKey ?? config.code_key ?? 'revision',
    ...optional('codeVersion', flags.codeVersion ?? config.code_version),
    ...optional('configFile', flags.config),
  }
}

/** Store and extensions, of any command. */
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
  }
}

/** How any command scores: the judge model, and whose numbers are wanted. */
export function judgeSettings(
  flags: Pick<EvalFlags, 'judgeModel' | 'judgeArgs' | 'parity'>,
  config: Config,
): JudgeSettings {
  const args = {
    ...fromConfig(config.judge_args, 'judge_args'),
    ...parseArguments(flags.judgeArgs ?? [], '--judge-args'),
  }
  return {
    ...optional('judgeModel', flags.judgeModel ?? config.judge_model),
    ...optional('parity', flags.parity ?? config.parity),
    ...(Object.keys(args).length === 0 ? {} : { judgeArgs: args }),
  }
}

function prompting(
  flags: EvalFlags,
  config: Config,
): Pick<
  EvalSettings,
  'numFewshot' | 'fewshotAsMultiturn' | 'fewshotSeed' | 'systemInstruction' | 'repeats' | 'forceSimple'
> {
  const system = flags.systemInstruction ?? config.system_instruction
  return {
    ...optional('numFewshot', flags.numFewshot ?? config.num_fewshot),
    ...optional('fewshotAsMultiturn', flags.fewshotAsMultiturn ?? config.fewshot_as_multiturn),
    ...optional('fewshotSeed', flags.fewshotSeed ?? flags.seed ?? config.fewshot_seed ?? config.seed),
    ...optional('systemInstruction', system === undefined || system === '' ? undefined : systemInstruction(system)),
    ...optional('repeats', flags.repeats ?? flags.numSamples ?? config.repeats),
    ...optional('forceSimple', flags.forceSimple ?? config.force_simple),
  }
}

function requireBoth(model: string | undefined, tasks: readonly string[]): void {
  const problems = [
    ...(model === undefined ? ['no model is named: give --model NAME   (pipeline models list)'] : []),
    ...(tasks.length === 0 ? ['no task is named: give --tasks NAME[,NAME]   (pipeline tasks list)'] : []),
  ]
  if (problems.length > 0) throw new PipelineError('usage', problems)
}

const fromConfig = (given: Config['model_args'], key: string): JsonObject =>
  typeof given === 'string' ? parseArguments([given], key) : (given ?? {})

const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

/** A field that is left out where there is nothing to say. */
function optional<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  // A computed name gives an index signature; there is one name, and it is this one.
  return (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, Value>>
}
