import { isObject } from '../../base/values/canonical-json.js'
import type { GenerationKwargs, ModelIdentity } from '../records.js'

/**
 * Tells whether the same request can get different answers, because the model draws tokens at random. Such answers are
 * not shared between docs. A missing temperature means 0 in keys.
 */
export function isSampled(generation: GenerationKwargs, model: Pick<ModelIdentity, 'args'>): boolean {
  const { temperature, do_sample: draws } = generation
  if (temperature !== undefined) return temperature > 0 || samplesByItself(model)
  return draws === true || samplesByItself(model)
}

/** Tells whether the model's arguments remove or replace the request's temperature. */
function samplesByItself({ args }: Pick<ModelIdentity, 'args'>): boolean {
  const { omit, extra_body: extra } = args
  if (isObject(extra) && typeof extra['temperature'] === 'number') return extra['temperature'] > 0
  return Array.isArray(omit) && omit.includes('temperature')
}
