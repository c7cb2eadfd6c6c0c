import { Command } from 'commander'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  addFlags,
  fileKeys,
  option,
  programKeys,
  programSettings,
  makeGroupSettings,
  makeStoredSettings,
  type KeysOf,
  type OptionGroup,
  type ProgramOptionsOf,
} from '../../../src/config/option.js'
import { allOptions } from '../../../src/config/options.js'
import { lineOptions, lmmsOptions } from '../../../src/config/options/line-options.js'
import { lmmsTrackOptions, trackOptions } from '../../../src/config/options/track-options.js'
import { whole } from '../../../src/config/values/option-values.js'
import { flagRow, wordsOf } from '../../support/cli-docs.js'

/** One entry, as somebody adds it to a group. */
const added = {
  promptPadding: option({
    flag: '--prompt-padding <n>',
    help: 'spaces before each prompt',
    docs: 'spaces before each prompt; see [padding](padding.md)',
    ...whole(0),
    isIdentity: true,
    stored: 'given',
  }),
}

test('one entry defines a flag, a key, a library option, a setting, a stored value and a documentation row', () => {
  const command = addFlags(new Command('x').exitOverride(), added, 'Padding:')
  command.parse(['--prompt-padding', '3'], { from: 'user' })
  expect(command.opts()).toEqual({ promptPadding: 3 })
  expect(() => command.parse(['--prompt-padding', 'x'], { from: 'user' })).toThrow(
    '--prompt-padding: expected a whole number, 0 or more, given "x"',
  )
  expect(command.helpInformation()).toMatch(/Padding:\s+--prompt-padding <n> +spaces before each prompt/)

  const file = z.strictObject(fileKeys(added))
  expectTypeOf<KeysOf<typeof added>['prompt_padding']>().toEqualTypeOf<number | undefined>()
  expect(file.parse({ prompt_padding: 2 })).toEqual({ prompt_padding: 2 })
  expect(file.safeParse({ prompt_padding: -1 }).success).toBe(false)
  expect(makeGroupSettings(added, { promptPadding: 3 }, { prompt_padding: 2 })).toEqual({ promptPadding: 3 })
  expect(makeGroupSettings(added, {}, { prompt_padding: 2 })).toEqual({ promptPadding: 2 })

  expectTypeOf<ProgramOptionsOf<typeof added>['promptPadding']>().toEqualTypeOf<number | undefined>()
  expect(z.strictObject(programKeys(added)).safeParse({ promptPadding: 'x' }).success).toBe(false)
  expect(programSettings(added, { promptPadding: 4 })).toEqual({ promptPadding: 4 })

  expect(makeStoredSettings(added, { promptPadding: 4 }, '/')).toEqual({ prompt_padding: 4 })
  expect(makeStoredSettings(added, {}, '/')).toEqual({})
  expect(command.options.map(declared => flagRow(declared, wordsOf([added])))).toEqual([
    '| `--prompt-padding <n>` | spaces before each prompt; see [padding](padding.md) |',
  ])
})

test('stores every option that changes the run, so that resume continues the same run', () => {
  const lost = Object.entries(allOptions).filter(([, { isIdentity, stored }]) => isIdentity && stored === 'no')
  // The run that it makes has its own number.
  expect(lost.map(([name]) => name)).toEqual(['newRun'])
})

test('an option, its key and its flag have the same name', () => {
  const specs: OptionGroup = { ...allOptions, ...lineOptions, ...lmmsOptions, ...trackOptions, ...lmmsTrackOptions }
  for (const [name, { flag, off }] of Object.entries(specs)) {
    const long = `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
    expect(flag.replace(/^-\w, /, '').split(' ')[0]).toBe(long)
    if (off !== undefined) expect(off.flag).toBe(long.replace('--', '--no-'))
  }
})
