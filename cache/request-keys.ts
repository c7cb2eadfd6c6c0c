import { canonicalJson } from '../base/values/canonical-json.js'
import type { CodeKey, ConfigKey, InputKey, ResponseKey } from './digest.js'
import { configKey, inputKey, responseKey, type Keyed } from './keys.js'
import type { RunSpec, GenerationKwargs, Input } from './records.js'

/** The keys of one request of a run. */
export interface RequestKeys {
  readonly input: Keyed<InputKey>
  readonly config: Keyed<ConfigKey>
  readonly code: CodeKey
  readonly response: ResponseKey
  readonly sample: number
}

interface KeyableRequest {
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample: number
}

/** Returns a function that computes the keys of a run's requests. */
export function requestKeys(spec: Pick<RunSpec, 'model' | 'code' | 'codes'>): (request: KeyableRequest) => RequestKeys {
  const configs = configKeys(spec)
  return request => {
    const { sample } = request
    const input = inputKey(request.input)
    const code = spec.codes?.[request.input.type] ?? spec.code
    // Generation kwargs do not change a likelihood, so they are not in its key.
    const config = configs(request.input.type.startsWith('loglikelihood') ? noGeneration : request.generation)
    const response = responseKey({ input: input.key, config: config.key, code, sample })
    return { input, config, code, response, sample }
  }
}

const noGeneration: GenerationKwargs = {}

/** Caches config keys by generation kwargs, since the docs of a task share one or two of them. */
function configKeys({ model }: Pick<RunSpec, 'model'>): (generation: GenerationKwargs) => Keyed<ConfigKey> {
  const byObject = new Map<GenerationKwargs, Keyed<ConfigKey>>()
  const byText = new Map<string, Keyed<ConfigKey>>()
  return generation => {
    const cachedConfig = byObject.get(generation)
    if (cachedConfig !== undefined) return cachedConfig
    const text = canonicalJson(generation)
    const config = byText.get(text) ?? configKey(model, generation)
    byText.set(text, config)
    byObject.set(generation, config)
    return config
  }
}
