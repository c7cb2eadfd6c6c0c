import { expect, test } from 'vitest'
import { normalizeArgs } from '../../../../src/cli/flags/command-line.js'

test.each([
  ['--model_args a_b=c_d --log_samples', 'eval --model-args a_b=c_d --log-samples'],
  ['eval --gen_kwargs=max_new_tokens=4', 'eval --gen-kwargs=max_new_tokens=4'],
  ['report last_run --output_path x_y', 'report last_run --output-path x_y'],
  ['--version', 'version'],
  ['--help', '--help'],
  ['runs rm -- --a_b', 'runs rm -- --a_b'],
  ['', ''],
])('normalizes %j to %j', (given, expected) => {
  expect(normalizeArgs(given.split(' ').filter(Boolean)).join(' ')).toBe(expected)
})
