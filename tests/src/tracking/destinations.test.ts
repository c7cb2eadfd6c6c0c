import { expect, test } from 'vitest'
import { configSchema } from '../../../src/config/file/config-schema.js'
import { readTracker } from '../../../src/config/options/track-options.js'
import { readDestinations } from '../../../src/tracking/destinations.js'

const read = (...lines: readonly string[]) => readDestinations(lines.map(readTracker), {})

test.each([
  ['tensorboard=runs', { dir: 'runs' }],
  ['tensorboard=runs,step=300', { dir: 'runs', step: 300 }],
  ['tensorboard=dir=runs,name=a', { dir: 'runs', name: 'a' }],
  ['tensorboard={"dir":"a=b"}', { dir: 'a=b' }],
])('reads %s', (line, settings) => {
  expect(read(line).map(one => one.settings)).toEqual([settings])
})

test.each([
  ['tensorbord=x', 'Did you mean "tensorboard"?'],
  ['tensorboard=x,steps=1', 'there is no setting "steps". Did you mean "step"? Settings: dir, name, step'],
  ['tensorboard=x,step=soon', 'step: expected a whole number, 0 or more'],
  ['tensorboard', 'dir'],
])('rejects %s', (line, message) => {
  expect(() => read(line)).toThrow(message)
})

test('rejects the same destination twice', () => {
  expect(() => read('tensorboard=x', 'tensorboard=./x')).toThrow('is named twice')
})

test.each([
  [{ track: 'mlflow' }, ['mlflow']],
  [{ track: ['mlflow=http://h', 'wandb=p'] }, ['mlflow=http://h', 'wandb=p']],
  [
    { track: { mlflow: { experiment: 'e' }, wandb: true, swanlab: false } },
    [
      { name: 'mlflow', given: { experiment: 'e' } },
      { name: 'wandb', given: '' },
    ],
  ],
])('a configuration file accepts %j', (config, named) => {
  expect(configSchema.parse(config).track).toEqual(named)
})
