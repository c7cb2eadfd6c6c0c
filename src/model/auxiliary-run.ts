import { canonicalJson } from '../../base/values/canonical-json.js'
import { sha256 } from '../../cache/digest.js'
import type { RunSpec, Run } from '../../cache/records.js'
import type { ModelPlan } from './model-plan.js'

/** The spec of the run that holds the requests of a judge or of rounds, for another run. */
export function auxiliaryRun(
  run: Run,
  { identity, code }: Pick<ModelPlan, 'identity' | 'code'>,
  { doing, ...mark }: { readonly doing: string } & Pick<RunSpec, 'judge' | 'rounds'>,
): { readonly asked: RunSpec; readonly provenance: Run['provenance'] } {
  return {
    asked: {
      tasks: [
        {
          name: `${doing} ${run.name}`,
          identity: sha256<'task'>(canonicalJson(doing)),
          dataset: { path: '', files: {} },
        },
      ],
      model: identity,
      code: code.key,
      selection: {},
      ...mark,
    },
    provenance: { ...run.provenance, config: {}, scoring: {} },
  }
}
