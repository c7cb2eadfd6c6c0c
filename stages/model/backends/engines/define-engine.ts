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
  const known = { ...chat.args, model: engineModelArg, ...launchArgs, ...otherNames }
  // The arguments of all engines are listed first.
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
    startsProgram: (given, { env }) => attachedAt(engine, given, env) === undefined,
    async ready(given, { env }) {
      if (attachedAt(engine, given, env) !== undefined) return
      const [program = engine.program[0]] = given.executable ?? []
      await refuseMissingProgram(program, { name: engine.id, hint: installHint(engine), env })
    },
    async open(given, context) {
      const attached = attachedAt(engine, given, context.env)
      if (attached !== undefined) {
        const { startup_timeout: seconds, proxy } = given
        const toStart = given.base_url === undefined ? `unset ${engine.baseUrlVariable}` : 'leave base_url out'
        await untilAttached(engine, { baseUrl: attached, toStart, seconds, proxy }, context)
        return chat.open(asChat(given, attached), context)
      }
      // The code that starts programs is loaded only here, because identifying a model does not need it.
      const { engineStart } = await import('./launch-engine.js')
      const { launchEngine } = await import('./launch-engine.js')
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

/** Returns the address of a running engine. `/v1` may be left out. Undefined if an engine is to be started. */
function attachedAt({ baseUrlVariable }: Engine, { base_url: given }: LaunchArguments, env: Env): string | undefined {
  const address = given ?? firstSet(env[baseUrlVariable])
  return address === undefined ? undefined : withVersion(address)
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
