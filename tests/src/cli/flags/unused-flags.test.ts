import { expect, test } from 'vitest'
import { configSchema } from '../../../../src/config/config-schema.js'
import { unusedKeysIn } from '../../../../src/config/unused-keys.js'
import { reasoningTagsIn } from '../../../../src/cli/flags/lmms-values.js'
import { seedIn } from '../../../../src/config/seed.js'
import { unusedFlags, unusedNote } from '../../../../src/cli/flags/unused-flags.js'

test('one note names all flags that do nothing, and no value', () => {
  const note = unusedNote({ device: 'cuda', wandbArgs: 'key=secret', limit: 8 })
  expect(note).toBe(
    'no effect here: --device (a server has its own, and a local model computes on the processor), --wandb-args (results are kept in the store, and written with --output-path)',
  )
  expect(unusedNote({ limit: 8 })).toBeUndefined()
})

test('a configuration file has a key for each of them, and the same note', () => {
  const keys = unusedFlags.map(({ flags }) => (/--([a-z-]+)/.exec(flags)?.[1] ?? '').replaceAll('-', '_'))
  expect(keys.filter(key => !(key in configSchema.shape))).toEqual([])
  const config = configSchema.parse({ batch_size: 1, log_samples_suffix: 'x', verbosity: '', write_out: false })
  expect(unusedNote(unusedKeysIn(config))).toMatch(/^no effect here: --batch-size .*, --log-samples-suffix /)
  expect(unusedNote(unusedKeysIn(config))).not.toMatch(/verbosity|write-out/)
})

test.each([
  ['7', 7],
  ['0,1234,1234,42', 42],
  ['0,None,1234,None', undefined],
  ['0,1234,1234', undefined],
])('of the seeds %s that of examples counts', (text, seed) => {
  expect(seedIn(text)).toBe(seed)
})

test.each(['1,2', 'x', ''])('"%s" is no seed', text => {
  expect(() => seedIn(text)).toThrow('--seed: expected one whole number, or three or four')
})

test('tags of reasoning that are not the usual ones belong into the task', () => {
  expect(reasoningTagsIn('[["<think>","</think>"],["<analysis>","</analysis>"]]')).toBeDefined()
  expect(() => reasoningTagsIn('none')).toThrow('reasoning_tags: none in its file')
})
