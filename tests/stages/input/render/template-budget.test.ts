import { expect, test } from 'vitest'
import { compileTemplate } from '../../../../stages/input/render/template.js'

test.each([
  ['loops within loops', '{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}'],
  ['long texts that are made again and again', "{% for a in range(99999) %}{{ 'a' * 9999999 }}{% endfor %}"],
  ['long lists that are made again and again', '{% for a in range(99999) %}{{ range(999999) | sum }}{% endfor %}'],
  [
    'long lists that are searched again and again',
    '{% set l = range(999999) | list %}{% for a in range(99999) %}{{ -1 in l }}{% endfor %}',
  ],
  ['a loop that does nothing', '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}'],
])('a template has a maximum number of steps: %s', (_name, source) => {
  expect(() => compileTemplate(source).render({ x: 1 })).toThrow(/more than 10 million steps/)
})

test('each doc has the full number of steps, and long texts do not count', () => {
  const template = compileTemplate('{% for a in range(200000) %}{{ x }}{% endfor %}{{ long | length }}')
  const long = 'a'.repeat(10_000_000)
  for (let doc = 0; doc < 12; doc++) expect(template.render({ x: 1, long }).slice(-9)).toBe('110000000')
})
