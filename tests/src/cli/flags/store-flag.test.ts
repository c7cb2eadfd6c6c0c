import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { storeFlag } from '../../../../src/cli/flags/store-flag.js'

test('a printed command names the store only if it would use another one', () => {
  expect(storeFlag('.pipeline', {})).toBe('')
  expect(storeFlag(resolve('.pipeline'), {})).toBe('')
  expect(storeFlag('there', {})).toBe(' --store there')
  expect(storeFlag('there', { PIPELINE_STORE: resolve('there') })).toBe('')
  expect(storeFlag('.pipeline', { PIPELINE_STORE: 'there' })).toBe(' --store .pipeline')
})

test('prints the path of the store as typed, quoted if a shell needs it', () => {
  expect(storeFlag(resolve('runs/store'), {})).toBe(' --store runs/store')
  expect(storeFlag('/data/store', {})).toBe(' --store /data/store')
  expect(storeFlag("my 'own'", {})).toBe(` --store 'my '\\''own'\\'''`)
})
