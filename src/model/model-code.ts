import { option } from '../../base/errors/option-words.js'
import { PipelineError } from '../../base/errors/errors.js'
import { buildInfo } from '../../cache/code/build-info.js'
import { codeManifest } from '../../cache/code/code-manifest.js'
import { revisionManifest } from '../../cache/code/code-revisions.js'
import type { CodeKey } from '../../cache/digest.js'
import { codeKey, type Keyed } from '../../cache/keys.js'
import type { CodeManifest, RequestType } from '../../cache/records.js'
import type { AnyBackend, BackendCode } from '../../stages/model/define-backend.js'
import type { EvalSettings } from '../config/settings.js'
import type { Plugins } from './plugins.js'

/** The settings that identify the code of a model. */
type CodeSettings = Pick<EvalSettings, 'codeKey' | 'codeVersion'>

/** Returns the manifest of a backend's code that can change answers. @throws PipelineError */
export async function backendCode(
  backend: AnyBackend,
  { codeKey: by, codeVersion }: CodeSettings,
  plugins: Plugins,
): Promise<CodeManifest> {
  if (codeVersion !== undefined) return { files: {}, version: codeVersion }
  if (by === 'commit') return { files: {}, version: builtCommit() }
  const closure = plugins.closures.get(backend)
  if (closure === undefined) return builtInCode(backend.code, by)
  const { packages } = await codeManifest({ files: [], packages: backend.code.packages ?? [] })
  return { files: closure, ...(packages === undefined ? {} : { packages }) }
}

/** The keys of the code of request types that do not use the backend's default code. */
export async function codesApart(
  backend: AnyBackend,
  { codeKey: by, codeVersion }: CodeSettings,
  { closures }: Plugins,
): Promise<Partial<Record<RequestType, Keyed<CodeKey>>>> {
  if (codeVersion !== undefined || by === 'commit' || closures.has(backend)) return {}
  const codes = Object.entries(backend.apart ?? {}).map(
    async ([type, { code }]) => [type, codeKey(await builtInCode(code, by))] as const,
  )
  return Object.fromEntries(await Promise.all(codes))
}

function builtInCode({ revision, ...code }: BackendCode, by: CodeSettings['codeKey']): Promise<CodeManifest> {
  return by === 'files' || revision === undefined ? codeManifest(code) : revisionManifest({ ...code, revision })
}

function builtCommit(): string {
  const { commit, dirty } = buildInfo()
  if (commit === undefined)
    throw new PipelineError(
      'usage',
      `${option('codeKey', 'commit')}: this program was not built from a git checkout. Name the version yourself with ${option('codeVersion')}.`,
    )
  return dirty === true ? `${commit}+changes` : commit
}
