import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { configSchema } from '../../../../src/config/file/config-schema.js'
import { unusedKeysIn } from '../../../../src/config/file/unused-keys.js'
import { seedIn } from '../../../../src/config/values/seed.js'
import { unusedFlags, unusedNote } from '../../../../src/cli/flags/unused-flags.js'

test('one note names all flags without effect, and no value', () => {
  const note = unusedNote({ device: 'cuda', timezone: 'a,token=secret', limit: 8 })
  expect(note).toBe(
    'no effect here: --device (remote models choose their own device; local models run on the CPU), --timezone (times are written in UTC)',
  )
  expect(unusedNote({ limit: 8 })).toBeUndefined()
})

test('a configuration file accepts a key for each of them, with the same note', () => {
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
])('of the seeds %s, uses that of few-shot examples', (text, seed) => {
  expect(seedIn(text)).toBe(seed)
})

test.each(['1,2', 'x', ''])('rejects "%s" as a seed', text => {
  expect(() => seedIn(text)).toThrow('--seed: expected one whole number, or three or four')
})

test('the page of the command names each flag', async () => {
  const page = await readFile('docs/cli/eval.md', 'utf8')
  const named = unusedFlags.filter(({ flags }) => page.includes(`\`${/--[a-z-]+/.exec(flags)?.[0] ?? flags}\``))
  expect(named).toEqual(unusedFlags)
})
