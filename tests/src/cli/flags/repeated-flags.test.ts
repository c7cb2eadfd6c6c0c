import type { EventEmitter } from 'node:events'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandTable } from '../../../../src/cli/command-table.js'
import { replacedNote, watchReplaced } from '../../../../src/cli/flags/repeated-flags.js'
import { limitFlag } from '../../../../src/config/values/selection.js'
import { appendText } from '../../../../src/config/values/option-values.js'

function replacedIn(line: string): readonly string[] {
  const command = new Command('eval').exitOverride().enablePositionalOptions()
  command
    .option('-s, --seed <n>', '', Number)
    .option('--model <name>')
    .option('--limit <n>', '', limitFlag)
    .option('--model-args <args>', '', appendText)
    .option('--tag <tag...>')
    .option('--tasks <names>', '', (text: string) => text.split(','))
    .option('--color')
    .option('--no-color')
    .option('--order <n>', '', Number, 7)
  command
    .command('inner')
    .option('--model <name>')
    .action(() => undefined)
  command.action(() => undefined)
  const replaced = watchReplaced(command)
  command.parse(line.split(' ').filter(Boolean), { from: 'user' })
  return replaced()
}

test.each([
  ['', []],
  ['--seed 1', []],
  ['--seed 1 --seed 1', []],
  ['--seed 1 --seed 2', ['--seed']],
  ['-s 1 --seed=2', ['--seed']],
  ['--seed 1 --seed 2 --seed 1 --model a --model b', ['--seed', '--model']],
  ['--color --no-color', ['--no-color']],
  ['--color --color', []],
  // A default does not count as a given value.
  ['--order 8', []],
  ['--order 7 --order 8', ['--order']],
  ['--model-args a=1 --model-args b=2', []],
  ['--tag a --tag b', []],
  ['--tasks a,b --tasks a,b', []],
  ['--tasks a,b --tasks c', ['--tasks']],
  ['--limit 5 --limit 6', ['--limit']],
  ['--limit a=5 --limit b=6', []],
  ['--limit 5 --limit b=6', []],
  ['--limit a=5 --limit a=6', ['--limit']],
  ['inner --model a --model b', ['--model']],
  ['--model a inner --model b', []],
])('%j: overrides earlier values of %j', (line, flags) => {
  expect(replacedIn(line)).toEqual(flags)
})

test('the note names the flags with overridden values', () => {
  expect(replacedNote(['--seed', '--model'])).toBe(
    'note: given more than once with different values: --seed, --model. The last value counts.',
  )
})

/** Flags whose values are collected by name, with values and what they become. */
const tables: Readonly<Record<string, readonly [readonly string[], unknown]>> = {
  '--override': [['a.x=1', 'b.y=2'], { a: { x: 1 }, b: { y: 2 } }],
  '--judge-override': [['a=1', 'b=2'], { a: '1', b: '2' }],
}
const texts = ['a=1', 'b=2']

test('every flag that says it can be repeated keeps all of its values', async () => {
  const found: string[] = []
  for (const entry of commandTable) {
    const command = new Command(entry.name)
    const define = await entry.load()
    define(command, {} as never, () => undefined)
    for (const each of [command, ...command.commands])
      for (const option of each.options) {
        if (!/may be repeated|repeatable/.test(option.description)) continue
        found.push(option.long ?? option.flags)
        const name = option.attributeName()
        const replaced = watchReplaced(each)
        // A command is an emitter, which its types leave out.
        const emitter = each as unknown as EventEmitter
        const [values, kept] = tables[option.long ?? ''] ?? [texts, texts]
        for (const value of values) emitter.emit(`option:${option.name()}`, value)
        expect([each.name(), option.long, each.getOptionValue(name), replaced()]).toEqual([
          each.name(),
          option.long,
          kept,
          [],
        ])
      }
  }
  expect(found).toContain('--model-args')
})
