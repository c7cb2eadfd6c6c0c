import type { FileDigest } from '../../../../cache/digest.js'
import type { ModelIdentity } from '../../../../cache/records.js'
import type { BackendContext } from '../../define-backend.js'
import type { ModelArgs } from '../../model-args.js'
import type { Engine } from './engine.js'
import { flagWords } from './flags.js'
import { engineWords } from './launch-arguments.js'
import { servedModel, type ServedModel } from './served-model.js'

/** The arguments that every engine has, as far as its start is about them. */
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

/** Who answers, and the command line, apart from where it listens. */
export interface Launchable {
  readonly model: ServedModel
  /** Of the flags. */
  readonly words: readonly string[]
  readonly identity: ModelIdentity
}

/** @throws PipelineError where the model is not there, or a flag is not to be set. */
export async function launchable(engine: Engine, given: LaunchArguments, context: BackendContext): Promise<Launchable> {
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
export function launchedIdentity(
  launched: ModelIdentity,
  asked: ModelIdentity,
  version: string | undefined,
): ModelIdentity {
  const rest = Object.entries(asked.args).filter(([name]) => name !== 'model' && name !== 'base_url')
  const args = { ...Object.fromEntries(rest), ...launched.args }
  return version === undefined ? { ...launched, args } : { backend: asked.backend, args }
}
