import { expect, it } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { command, option } from '../../../base/errors/option-words.js'
import { clientProblems } from '../../../src/service/client-wording.js'

it('names options as the JSON of a request does', () => {
  const error = new PipelineError('usage', [
    `Add ${option('modelArgs', { nframes: 8 })}, or remove ${option('numFewshot')}.`,
    `See ${command('report', ['last'])}.`,
  ])
  expect(clientProblems(error)).toEqual([
    'Add model_args: {"nframes":8}, or remove num_fewshot.',
    'See pipeline report last.',
  ])
})
