import { expect, test } from 'vitest'
import { isSampled } from '../../../cache/facts/sampled.js'

const plain = { args: {} }

test.each([
  [{}, plain, false],
  [{ temperature: 0 }, plain, false],
  [{ temperature: 0, do_sample: true }, plain, false],
  [{ do_sample: false }, plain, false],
  [{ do_sample: true }, plain, true],
  [{ temperature: 0.2 }, plain, true],
  // Servers get the temperature, whatever do_sample says.
  [{ temperature: 0.2, do_sample: false }, plain, true],
  [{ temperature: 0 }, { args: { omit: ['temperature'] } }, true],
  [{}, { args: { omit: ['seed'] } }, false],
  [{}, { args: { extra_body: { temperature: 0.7 } } }, true],
  [{}, { args: { omit: ['temperature'], extra_body: { temperature: 0 } } }, false],
] as const)('decides whether %j of a model %j samples: %s', (generation, model, sampled) => {
  expect(isSampled(generation, model as Parameters<typeof isSampled>[1])).toBe(sampled)
})
