import { resolve } from 'node:path'
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors.js'
import type { FileDigest } from '../../../../cache/digest.js'
import type { ModelIdentity } from '../../../../cache/records.js'
import {
  affectsOutput,
  defineBackend,
  transport,
  type BackendContext,
  type BackendDefinition,
} from '../../define-backend.js'
import type { ModelArgs } from '../../model-args.js'
import { firstSet, type Env } from '../http/endpoint.js'
import { defineCompletionsBackend } from '../openai/define-completions-backend.js'
import { untilAttached } from './attach-engine.js'
import { flagArgs, flagWords, type Flags } from './flags.js'
import { freePort } from './free-port.js'
import { engineWords, launchArgs, startOnly } from './launch-arguments.js'
import { launchEngine, type EngineStart } from './launch-engine.js'
import { definedOnly, secretsOf } from './program-environment.js'
import { servedModel, type ServedModel } from './served-model.js'

/** A serving engine: how it is attached, and how it is started. */
export interface Engine {
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly accepts: BackendDefinition['accepts']
  readonly concurrency: BackendDefinition['concurrency']
  /** The environment variable with the address of one that runs. */
  readonly baseUrlVariable: string
  /** The environment variable with the key: one that the program itself reads, where it reads any. */
  readonly keyVariable: string
  /** An address as it is written. */
  readonly example: string
  /** Answers 200 when requests are served, 503 while the model is loaded. */
  readonly healthPath: string
  /** The program's own words, before all flags. */
  readonly program: readonly [string, ...string[]]
  /** How the program is installed. */
  readonly install: string
  readonly flags: Flags
  /** What of the arguments is written in another way than as flags of their own: given back as values of the flags. */
  readonly rewrite?: (args: ModelArgs, concurrency: number | undefined) => ModelArgs
  /** The words that name the model and where to listen. */
  readonly serve: (place: ServingPlace) => readonly string[]
}

/** What the program is told of the model, and where it is to listen. */
export interface ServingPlace {
  readonly model: ServedModel
  /** Path or Hub name. */
  readonly source: string
  /** What requests call it. */
  readonly name: string
  readonly port: string
}

const seconds = 1000
const launchSeconds = 1800

const engineModelArg = affectsOutput(
  z.string().min(1).describe('folder, file or Hub name of the model; attached: the name that the server knows it by'),
)

/** What lmms-eval calls some arguments. */
const otherNames = {
  batch_size: transport(z.number().int().min(1).optional().describe('as num_concurrent')),
  max_frame_num: affectsOutput(z.number().int().min(1).max(4096).optional().describe('as max_frames')),
}

/**
 * A backend of an engine that speaks the OpenAI protocol: attached at `base_url`, where it is whoever answers there, as
 * with `openai`; else started when there is something to ask, and then it is the model, its files, and the flags that
 * can change an answer.
 */
export function defineEngine(engine: Engine) {
  const chat = defineCompletionsBackend({
    aliases: engine.aliases,
    summary: engine.summary,
    endpoint: {
      backend: engine.id,
      baseUrlVariables: [engine.baseUrlVariable],
      keyVariables: [engine.keyVariable],
      example: engine.example,
    },
    accepts: engine.accepts,
  })
  const known = { ...chat.args, model: engineModelArg, ...launchArgs, ...otherNames }
  // Those of all engines stand first.
  const args: typeof known = { ...known, ...flagArgs(engine.flags), ...known }
  return defineBackend<typeof known>({
    ...chat,
    args,
    concurrency: engine.concurrency,
    async identify(given, context) {
      const attached = attachedAt(engine, given, context.env)
      if (attached === undefined) {
        const { identity } = await launchable(engine, given, context)
        const asked = await chat.identify(asChat(given, engine.example), context)
        return launchedIdentity(identity, asked, given.model_version)
      }
      refuseStartOnly(engine, given)
      return chat.identify(asChat(given, attached), context)
    },
    async open(given, context) {
      const attached = attachedAt(engine, given, context.env)
      if (attached !== undefined) {
        await untilAttached(engine, { baseUrl: attached, seconds: given.startup_timeout }, context)
        return chat.open(asChat(given, attached), context)
      }
      const start = await engineStart(engine, given, context)
      return launchEngine(start, context, () => chat.open(asChat(given, `${start.origin}/v1`), context))
    },
  })
}

const asChat = <T extends { readonly max_frames: number; readonly max_frame_num?: number | undefined }>(
  given: T,
  baseUrl: string,
): T & { readonly base_url: string } => ({
  ...given,
  base_url: baseUrl,
  max_frames: given.max_frame_num ?? given.max_frames,
})

interface LaunchArguments extends ModelArgs {
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

/** The address of an engine that runs; `/v1` may be left out. Undefined where one is to be started. */
function attachedAt({ baseUrlVariable }: Engine, { base_url: given }: LaunchArguments, env: Env): string | undefined {
  const address = given ?? firstSet(env[baseUrlVariable])
  if (address === undefined || !URL.canParse(address)) return address
  const url = new URL(address)
  return url.pathname === '/' && url.search === '' ? `${url.origin}/v1` : address
}

function refuseStartOnly({ id, flags, baseUrlVariable }: Engine, given: LaunchArguments): void {
  const names = [...Object.keys(flags), ...startOnly].filter(name => {
    const value = given[name]
    return value !== undefined && !(Array.isArray(value) && value.length === 0)
  })
  if (names.length === 0) return
  const address = given.base_url === undefined ? `$${baseUrlVariable}` : 'base_url'
  throw new PipelineError(
    'config',
    `model ${id}: ${names.join(', ')} can be chosen only where the engine is started here. With ${address} it runs already: start it with these, and leave them out.`,
  )
}

/** Who answers, and the command line, apart from where it listens. */
interface Launchable {
  readonly model: ServedModel
  /** Of the flags. */
  readonly words: readonly string[]
  readonly identity: ModelIdentity
}

async function launchable(engine: Engine, given: LaunchArguments, context: BackendContext): Promise<Launchable> {
  const further = engineWords(given.engine_args, engine.id)
  const model = await servedModel(given.model, engine.id)
  const rewritten = engine.rewrite?.(given, context.concurrency) ?? given
  const { words } = await flagWords(engine.flags, rewritten)
  const said = await flagWords(engine.flags, given)
  const files = { ...(model.type === 'files' ? model.files : {}), ...said.files }
  const isNamed = given.model_version !== undefined
  const digests = isNamed ? {} : await digestsOf(files, path => context.fileDigest(path))
  const output = [...said.output, ...further]
  return {
    model,
    words: [...words, ...further],
    identity: {
      backend: engine.id,
      args: {
        ...(model.type === 'name' || isNamed ? { model: given.model } : {}),
        ...(output.length === 0 ? {} : { flags: output }),
      },
      ...(Object.keys(digests).length === 0 ? {} : { files: digests }),
    },
  }
}

async function digestsOf(
  files: Readonly<Record<string, string>>,
  digest: (path: string) => Promise<FileDigest>,
): Promise<Record<string, FileDigest>> {
  const entries = Object.entries(files).map(async ([name, path]) => [name, await digest(path)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** How it is asked is who answers, too; where, is not. */
function launchedIdentity(launched: ModelIdentity, asked: ModelIdentity, version: string | undefined): ModelIdentity {
  const rest = Object.entries(asked.args).filter(([name]) => name !== 'model' && name !== 'base_url')
  const args = { ...Object.fromEntries(rest), ...launched.args }
  return version === undefined ? { ...launched, args } : { backend: asked.backend, args }
}

async function engineStart(engine: Engine, given: LaunchArguments, context: BackendContext): Promise<EngineStart> {
  const { model, words: flags } = await launchable(engine, given, context)
  const port = given.port ?? (await freePort())
  const [program, ...words] = engine.program
  const [executable = program, ...before] = given.executable ?? []
  const key = firstSet(given.api_key)
  const env = { ...context.env, ...(key === undefined ? {} : { [engine.keyVariable]: key }) }
  const source = model.type === 'files' ? model.path : model.name
  const place = { model, source, name: given.model, port: String(port) }
  const logFile = given.log_file ?? context.logFile?.(engine.id)
  if (logFile === undefined) throw new PipelineError('config', `model ${engine.id}: give log_file=PATH`)
  return {
    name: engine.id,
    command: [executable, ...before, ...words, ...engine.serve(place), ...flags],
    env: definedOnly(env),
    secrets: secretsOf(env),
    logFile: resolve(logFile),
    origin: `http://127.0.0.1:${port}`,
    healthPath: engine.healthPath,
    startupMs: (given.startup_timeout ?? launchSeconds) * seconds,
    graceMs: given.shutdown_timeout * seconds,
    installHint: `Install it (${engine.install}), give executable=PATH, or attach one that runs with base_url=${engine.example}`,
  }
}
