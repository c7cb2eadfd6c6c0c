import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import { defineBackend } from '../../define-backend.js'
import { affectsOutput, transport } from '../../backend-args.js'
import { firstSet, withVersion } from '../http/protocol/endpoint.js'
import type { Env } from '../http/wire/proxy.js'
import { defineCompletionsBackend } from '../openai/completions/define-completions-backend.js'
import { untilAttached } from './health.js'
import { type Engine, flagArgs, installHint } from './engine.js'
import {
  launchable,
  launchArgs,
  type LaunchArguments,
  launchedIdentity,
  refuseMissingProgram,
  startOnly,
} from './launchable.js'

const engineModelArg = affectsOutput(
  z.string().min(1).describe('folder, file or Hub name of the model; attached: the name that the server knows it by'),
  { names: 'path or name' },
)

/** The names that lmms-eval uses for some arguments. */
const otherNames = {
  batch_size: transport(z.number().int().min(1).optional().describe('as num_concurrent')),
  max_frame_num: affectsOutput(z.number().int().min(1).max(4096).optional().describe('as max_frames')),
}

/**
 * Defines the backend of an engine with an OpenAI-compatible API. With `base_url` it attaches to a running server,
 * whose identity is made as for `openai`. Otherwise it starts the engine with the first request. The identity is then
 * the model, its files, and the flags that can change an answer.
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
  const declaredArgs = { ...chat.args, model: engineModelArg, ...launchArgs, ...otherNames }
  // The arguments of all engines are listed first.
  const args: typeof declaredArgs = { ...declaredArgs, ...flagArgs(engine.flags), ...declaredArgs }
  return defineBackend<typeof declaredArgs>({
    ...chat,
    args,
    concurrency: engine.concurrency,
    async identify(modelArgs, context) {
      const attached = attachedAt(engine, modelArgs, context.env)
      if (attached === undefined) {
        const { identity } = await launchable(engine, modelArgs, context)
        const chatIdentity = await chat.identify(asChat(modelArgs, engine.example), context)
        return launchedIdentity(identity, chatIdentity, modelArgs.model_version)
      }
      refuseStartOnly(engine, modelArgs)
      return chat.identify(asChat(modelArgs, attached), context)
    },
    startsProgram: (modelArgs, { env }) => attachedAt(engine, modelArgs, env) === undefined,
    async ready(modelArgs, { env }) {
      if (attachedAt(engine, modelArgs, env) !== undefined) return
      const [program = engine.program[0]] = modelArgs.executable ?? []
      await refuseMissingProgram(program, { name: engine.id, hint: installHint(engine), env })
    },
    async open(modelArgs, context) {
      const attached = attachedAt(engine, modelArgs, context.env)
      if (attached !== undefined) {
        const { startup_timeout: seconds, proxy } = modelArgs
        const toStart = modelArgs.base_url === undefined ? `unset ${engine.baseUrlVariable}` : 'leave base_url out'
        await untilAttached(engine, { baseUrl: attached, toStart, seconds, proxy }, context)
        return chat.open(asChat(modelArgs, attached), context)
      }
      // The code that starts programs is loaded only here, because identifying a model does not need it.
      const { engineStart } = await import('./launch-engine.js')
      const { launchEngine } = await import('./launch-engine.js')
      const start = await engineStart(engine, modelArgs, context)
      return launchEngine(start, context, () => chat.open(asChat(modelArgs, `${start.origin}/v1`), context))
    },
  })
}

const asChat = <T extends { readonly max_frames: number; readonly max_frame_num?: number | undefined }>(
  modelArgs: T,
  baseUrl: string,
): T & { readonly base_url: string } => ({
  ...modelArgs,
  base_url: baseUrl,
  max_frames: modelArgs.max_frame_num ?? modelArgs.max_frames,
})

/** Returns the address of a running engine. `/v1` may be left out. Undefined if an engine is to be started. */
function attachedAt({ baseUrlVariable }: Engine, { base_url: baseUrl }: LaunchArguments, env: Env): string | undefined {
  const address = baseUrl ?? firstSet(env[baseUrlVariable])
  return address === undefined ? undefined : withVersion(address)
}

function refuseStartOnly({ id, flags, baseUrlVariable }: Engine, modelArgs: LaunchArguments): void {
  const names = [...Object.keys(flags), ...startOnly].filter(name => {
    const value = modelArgs[name]
    return value !== undefined && !(Array.isArray(value) && value.length === 0)
  })
  if (names.length === 0) return
  const address = modelArgs.base_url === undefined ? `$${baseUrlVariable}` : 'base_url'
  throw new PipelineError(
    'config',
    `model ${id}: ${names.join(', ')} can be chosen only where the engine is started here. With ${address} it runs already: start it with these, and leave them out.`,
  )
}
