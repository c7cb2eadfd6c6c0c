import { present } from '../../base/values/present.js'
import type { RunSelection } from '../../cache/records.js'
import type { Prompting } from '../../stages/input/prompting.js'
import { modelNames } from '../../stages/model/registry.js'
import type { Plugins } from '../model/plugins.js'

/** Builds the prompting of a run's docs from its selection. `model` is the backend's id or an alias. */
export function makePrompting(selection: RunSelection, model: string, plugins: Pick<Plugins, 'backends'>): Prompting {
  const { prompt_form: form, num_fewshot: numFewshot, fewshot_seed: seed, fewshot_as_multiturn: asTurns } = selection
  const { system_instruction: system, repeats, shows_target: showsTarget } = selection
  return {
    models: modelNames(model, plugins.backends),
    ...present({ form, numFewshot, seed, asTurns, system, repeats, showsTarget }),
  }
}
