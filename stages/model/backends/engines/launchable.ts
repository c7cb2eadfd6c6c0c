import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import type { FileDigest } from '../../../../cache/digest.js'
import type { ModelIdentity } from '../../../../cache/records.js'
import { affectsOutput, type ModelArgs, transport } from '../../backend-args.js'
import type { BackendContext } from '../../define-backend.js'
import type { Env } from '../http/wire/proxy.js'
import { type Engine, flagWords } from './engine.js'
import { servedModel, type ServedModel } from './served-model.js'

/** The arguments of every engine that concern its start. */
export interface LaunchArguments extends ModelArgs {
  readonly model: string
  readonly base_url?: string | undefined
  readonly api_key?: string | undefined
  readonly model_version?: string | undefined
  readonly executable?: readonly string[] | undefined
  readonly engine_args: readonly string[]
  readonly port?: number | undefined
  readonly startup_timeout?: number | undefined
  readonly shutdown_timeout: number
  readonly log_file?: string | undefined
}

/** The identity and the command line, without the address to listen at. */
interface Launchable {
  readonly model: ServedModel
  /** The words of the flags. */
  readonly words: readonly string[]
  readonly identity: ModelIdentity
}

/** @throws PipelineError if the model is missing, or if a flag must not be set */
export async function launchable(
  engine: Engine,
  modelArgs: LaunchArguments,
  context: BackendContext,
): Promise<Launchable> {
  const further = engineWords(modelArgs.engine_args, engine.id)
  const model = await servedModel(modelArgs.model, engine.id)
  const rewritten = engine.rewrite?.(modelArgs, context.concurrency) ?? modelArgs
  const { words } = await flagWords(engine.flags, rewritten)
  const said = await flagWords(engine.flags, modelArgs)
  const files = { ...(model.type === 'files' ? model.files : {}), ...said.files }
  const isNamed = modelArgs.model_version !== undefined
  const digests = isNamed ? {} : await computeDigests(files, path => context.fileDigest(path))
  const output = [...said.output, ...further]
  return {
    model,
    words: [...words, ...further],
    identity: {
      backend: engine.id,
      args: {
        ...(model.type === 'name' || isNamed ? { model: modelArgs.model } : {}),
        ...(output.length === 0 ? {} : { flags: output }),
      },
      ...(Object.keys(digests).length === 0 ? {} : { files: digests }),
    },
  }
}

async function computeDigests(
  files: Readonly<Record<string, string>>,
  digest: (path: string) => Promise<FileDigest>,
): Promise<Record<string, FileDigest>> {
  const entries = Object.entries(files).map(async ([name, path]) => [name, await digest(path)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** Adds to the identity how the model is asked, but not its address. */
export function launchedIdentity(
  launched: ModelIdentity,
  chatIdentity: ModelIdentity,
  version: string | undefined,
): ModelIdentity {
  const rest = Object.entries(chatIdentity.args).filter(([name]) => name !== 'model' && name !== 'base_url')
  const args = { ...Object.fromEntries(rest), ...launched.args }
  return version === undefined ? { ...launched, args } : { backend: chatIdentity.backend, args }
}

/** The arguments of every engine that can be started. */

export const launchArgs = {
  executable: transport(
    z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('the program to start, in place of the one on the PATH; several words as a list'),
    { names: 'command' },
  ),
  engine_args: affectsOutput(
    z
      .array(z.string())
      .default([])
      .describe('further flags of the program, as one text or as a list of words: "--swap-space 8"'),
    { names: 'command' },
  ),
  port: transport(
    z.number().int().min(1).max(65_535).optional().describe('where it is to listen; a free port if not given'),
  ),
  startup_timeout: transport(
    z.number().positive().max(86_400).optional().describe('seconds until it must be ready (default 1800; attached 30)'),
  ),
  shutdown_timeout: transport(
    z.number().min(0).max(3600).default(10).describe('seconds that it may take to end before it is killed'),
  ),
  log_file: transport(
    z.string().min(1).optional().describe('where its output goes; a new file in logs/ of the store if not given'),
    { names: 'path' },
  ),
}

/** Arguments that have no effect on a running server. */
export const startOnly = ['executable', 'engine_args', 'port', 'log_file'] as const

/** Flags that must not be given by `engine_args`. */
const ownFlags: Readonly<Record<string, string>> = {
  '--port': 'give port=',
  '--server-port': 'give port=',
  '--host': 'it listens on this machine alone',
  '--server-name': 'it listens on this machine alone',
  '--api-key': 'a command line is seen by everybody: give api_key=, or set its variable',
  '--api-keys': 'a command line is seen by everybody: give api_key=, or set its variable',
}

/**
 * Splits `engine_args` into words. A text that begins with a flag may hold several.
 *
 * @throws PipelineError for flags that the pipeline sets
 */
function engineWords(texts: readonly string[], engine: string): readonly string[] {
  const words = texts.flatMap(text => (text.trim().startsWith('-') ? text.trim().split(/\s+/) : [text]))
  for (const word of words) {
    const [flag = ''] = word.split('=')
    const reason = ownFlags[flag]
    if (reason !== undefined)
      throw new PipelineError('config', `model ${engine}: engine_args must not set ${flag}: ${reason}`)
  }
  return words
}

/**
 * Checks that a program can be started, without starting it. It is a path, or a name on the PATH.
 *
 * @throws PipelineError if it is missing or not executable
 */
export async function refuseMissingProgram(
  program: string,
  { name, hint, env }: { readonly name: string; readonly hint: string; readonly env: Env },
): Promise<void> {
  const paths = program.includes('/')
    ? [program]
    : (env['PATH'] ?? '').split(delimiter).map(folder => join(folder === '' ? '.' : folder, program))
  const problems = await Promise.all(paths.map(whyNot))
  if (problems.includes(undefined)) return
  const forbidden = problems.find(problem => problem !== 'missing')
  const reason = forbidden ?? `there is no program "${program}"${program.includes('/') ? '' : ' on the PATH'}`
  throw new PipelineError('engine', `${name} cannot be started: ${reason}. ${hint}`)
}

async function whyNot(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return 'missing'
  } catch {
    return 'missing'
  }
  try {
    await access(path, constants.X_OK)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
