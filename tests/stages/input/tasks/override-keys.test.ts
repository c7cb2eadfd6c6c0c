import { expect, test } from 'vitest'
import { overrideKeys, refuseUnusedOverrides } from '../../../../stages/input/tasks/override-keys.js'

const sources = [
  { name: 'mme', layers: ['/tasks/mme.yaml'] },
  { name: 'pope', layers: ['/tasks/pope.yaml'] },
]

test('a name overrides a pattern, and paths are relative to the task file', () => {
  const [mme, pope] = overrideKeys(sources, { 'm*': { num_fewshot: 1 }, mme: { num_fewshot: 2 } })
  expect(mme?.layers).toMatchObject([
    { values: { num_fewshot: 2 }, file: '/tasks/mme.yaml' },
    { values: { num_fewshot: 1 }, file: '/tasks/mme.yaml' },
    '/tasks/mme.yaml',
  ])
  expect(pope).toBe(sources[1])
})

test('rejects an override that matches no task of the run, with the nearest name', () => {
  expect(() => refuseUnusedOverrides({ popo: {}, 'p*': {} }, sources)).toThrow(
    'override: no task of the run is called "popo". Did you mean "pope"?',
  )
  refuseUnusedOverrides({ 'p*': {} }, sources)
})
