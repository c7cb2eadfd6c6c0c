import { Command } from 'commander'
import { expect, test } from 'vitest'
import { defineInfer } from '../../../../src/cli/commands/infer.js'
import type { Tools } from '../../../../src/cli/command.js'

test('the help of infer lists its own flags and refers to eval for the others', () => {
  const command = new Command('infer')
  let help = ''
  command.configureOutput({ writeOut: text => (help += text) })
  defineInfer(command, {} as Tools, () => undefined)
  command.outputHelp()
  expect(help).toMatch(/--model <name>[^]*--input-only[^]*--output <file>/)
  expect(help).toContain('pipeline eval --help')
  expect(help).not.toMatch(/--concurrency|--batch-size|--num-fewshot/)
  expect(command.options.map(({ long }) => long)).toContain('--concurrency')
})
