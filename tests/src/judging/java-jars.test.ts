import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors.js'
import { withJars } from '../../../src/judging/java-jars.js'

const others = { output_type: 'generate_until', breakdown: [] }
const list = (...entries: readonly { readonly [key: string]: string | boolean }[]) => ({
  ...others,
  metric_list: entries,
})
const note = 'left out: METEOR_JAR does not say where METEOR is'
const jar = { METEOR_JAR: '/lib/meteor-1.5.jar' }

test('METEOR is computed by the jar of the environment, unless the task names its own', () => {
  const named = { metric: 'meteor', jar: 'own.jar' }
  const given = list({ metric: 'cider' }, { metric: 'meteor', name: 'm', optional: true }, named)
  expect(withJars(given, jar)).toEqual(
    list({ metric: 'cider' }, { metric: 'meteor', name: 'm', jar: '/lib/meteor-1.5.jar' }, named),
  )
})

test('without a jar an optional METEOR has no number, and any other is refused by the metric', () => {
  const given = list({ metric: 'meteor', optional: true }, { metric: 'meteor', name: 'm' })
  for (const env of [{}, { METEOR_JAR: '' }])
    expect(withJars(given, env)).toEqual(
      list({ metric: 'bypass', name: 'meteor', higher_is_better: true, note }, { metric: 'meteor', name: 'm' }),
    )
})

test('SPICE has a variable of its own', () => {
  const given = list({ metric: 'spice', optional: true }, { metric: 'meteor', jar: 'own.jar' })
  expect(withJars(given, { SPICE_JAR: '/lib/spice-1.0.jar' })).toEqual(
    list({ metric: 'spice', jar: '/lib/spice-1.0.jar' }, { metric: 'meteor', jar: 'own.jar' }),
  )
  const left = { metric: 'bypass', name: 'spice', higher_is_better: true }
  expect(withJars(given, jar)).toEqual(
    list({ ...left, note: 'left out: SPICE_JAR does not say where SPICE is' }, { metric: 'meteor', jar: 'own.jar' }),
  )
})

test('a task without a list of metrics is left as it is', () => {
  expect(withJars(others, jar)).toEqual(others)
})

test('a jar that is a device or a folder is refused by its type', () => {
  const named = (own?: string) => list({ metric: 'spice', ...(own === undefined ? {} : { jar: own }) })
  const place = (jarOf: string) => () => withJars(named(), { SPICE_JAR: jarOf })
  expect(place('/dev/zero')).toThrow(PipelineError)
  expect(place('/dev/zero')).toThrow('SPICE_JAR /dev/zero: it is a device, not a file. Give the path of the jar')
  expect(() => withJars(named('/dev'), {})).toThrow('metric spice, jar /dev: it is a folder, not a file')
})
