import type { ModelRequest } from './model.js'

/**
 * Makes the request of a lease. Sample n is sent with the seed that the task asks for plus n: a server that honours seeds
 * would draw the same answer for all samples.
 */
export function makeModelRequest({ input, generation, sample }: ModelRequest): ModelRequest {
  const { seed } = generation
  const isNumbered = typeof seed === 'number' && seed >= 0 && sample > 0
  return { input, generation: isNumbered ? { ...generation, seed: seed + sample } : generation, sample }
}
