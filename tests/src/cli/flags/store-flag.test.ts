import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { storeFlag } from '../../../../src/cli/flags/store-flag.js'

test('a command that is printed names the store only where it would look into another one', () => {
  expect(storeFlag('.pipeline', {})).toBe('')
  expect(storeFlag(resolve('.pipeline'), {})).toBe('')
  expect(storeFlag('there', {})).toBe(' --store there')
  expect(storeFlag('there', { PIPELINE_STORE: resolve('there') })).toBe('')
  expect(storeFlag('.pipeline', { PIPELINE_STORE: 'there' })).toBe(' --store .pipeline')
})

test('the store is named as it is typed in the working directory, in quotes where a shell needs them', () => {
  expect(storeFlag(resolve('runs/store'), {})).toBe(' --store runs/store')
  expect(storeFlag('/data/store', {})).toBe(' --store /data/store')
  expect(storeFlag("my 'own'", {})).toBe(` --store 'my '\\''own'\\'''`)
})
