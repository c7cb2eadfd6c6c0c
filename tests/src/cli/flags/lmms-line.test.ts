import { expect, test } from 'vitest'
import { lmmsLine } from '../../../../src/cli/flags/lmms-line.js'

const env = { PIPELINE_PYTHON: '/nowhere/python' }

test.each([
  [
    ['--', 'python', '-m', 'lmms_eval', '--tasks', 'mme'],
    ['eval', '--tasks', 'mme'],
  ],
  [
    ['--', 'lmms-eval', 'eval', '--tasks', 'mme'],
    ['eval', '--tasks', 'mme'],
  ],
  [
    ['--', '--tasks', 'power'],
    ['eval', '--tasks', 'power'],
  ],
])('reads %j as an evaluation', (line, words) => {
  expect(lmmsLine(line, env)).toEqual(words)
})

test.each([
  ['tasks', 'pipeline tasks list'],
  ['models', 'pipeline models list'],
  ['serve', 'pipeline serve'],
  ['mcp', 'pipeline mcp'],
  ['ui', 'pipeline ui'],
  ['tui', 'pipeline runs watch'],
  ['version', 'pipeline version'],
])('answers the subcommand %s with the corresponding command', (word, line) => {
  expect(() => lmmsLine(['--', 'python', '-m', 'lmms_eval', word, '--aliases'], env)).toThrow(line)
})

test.each([
  [
    ['--', 'lmms-eval', 'power', '--effect-size', '0.05', '--tasks', 'mme'],
    ['power', '--parity', 'lmms-eval', '--effect-size', '0.05', '--tasks', 'mme'],
  ],
  [
    ['--', '-m', 'lmms_eval', '--power_analysis', '--model', 'x', '--std_a=0.4', '--tasks', 'mme'],
    ['power', '--parity', 'lmms-eval', '--std_a=0.4', '--tasks', 'mme'],
  ],
])('reads %j as a power analysis', (line, words) => {
  expect(lmmsLine(line, env)).toEqual(words)
})
