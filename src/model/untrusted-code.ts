import { ownValue } from '../../base/named-values.js'
import { PipelineError } from '../../base/errors.js'
import type { Run } from '../../cache/records.js'
import type { StoredScoring } from '../judging/scoring.js'
import type { RejudgeSettings } from '../evaluation/settings.js'

/** As of tasks: a group's own code that came from elsewhere. */
export function refuseForeignGroups(
  { provenance: { groups = {} } }: Run,
  { settings, isForeign }: { readonly settings: RejudgeSettings; readonly isForeign: boolean },
): void {
  if (!isForeign || settings.trustBundle) return
  const own = Object.keys(groups).filter(name =>
    JSON.stringify(ownValue(groups, name)?.['code'] ?? {}).includes('"source"'),
  )
  if (own.length === 0) return
  throw new PipelineError(
    'config',
    `group ${own.join(', ')} is scored by code of its own, which came with the run: run it with --trust-bundle.`,
  )
}

/** Code that came in a file from elsewhere runs only when it is said that it may. */
export function refuseUntrustedCode(
  name: string,
  stored: StoredScoring,
  { settings, isForeign }: { readonly settings: RejudgeSettings; readonly isForeign: boolean },
): void {
  const isUsers = Object.values(stored.code ?? {}).some(code => 'source' in code)
  if (!isUsers || settings.trustBundle) return
  if (!isForeign && stored.closure === undefined) return
  throw new PipelineError(
    'config',
    `task ${name} is scored by code of its own, which is not here. Give its folder with --include-path, or run the code that came with the run with --trust-bundle.`,
  )
}
