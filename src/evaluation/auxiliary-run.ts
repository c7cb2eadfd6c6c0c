import { canonicalJson } from '../../base/values/canonical-json.js'
import { sha256 } from '../../cache/digest.js'
import type { RunSpec, Run } from '../../cache/records.js'
import type { ModelPlan } from '../model/model-plan.js'

/** Tells whether a run holds the requests of a judge or of a conversation's rounds. `last` never means such a run. */
export const isAuxiliary = ({ asked }: { readonly asked?: Pick<RunSpec, 'judge' | 'rounds'> }): boolean =>
  asked?.judge !== undefined || asked?.rounds !== undefined

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
