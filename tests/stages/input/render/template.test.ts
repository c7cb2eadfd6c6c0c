import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileTemplate } from '../../../../stages/input/render/template.js'

const text = fc.string({ unit: 'grapheme' }).filter(part => !/[{}#%]|\n$/.test(part))

test('a template of columns and texts renders the same as the interpreter', () => {
  const column = fc.constantFrom('a', 'b', 'c')
  const value = fc.oneof(
    text,
    fc.integer(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(text, column)), fc.tuple(value, value, value), (parts, [a, b, c]) => {
      const source = parts.map(([before, name]) => `${before}{{ ${name} }}`).join('')
      expect(compileTemplate(source).render({ a, b, c })).toBe(compileTemplate(`${source}{# #}`).render({ a, b, c }))
    }),
  )
})

test.each([
  ['one newline at the end is dropped', '{{a}}\n\n', 'x\n'],
  ['blocks keep the white space around them', '{% if a %}\n  {{a}}\n{% endif %}', '\n  x\n'],
  ['a minus takes the white space away', '{% if a -%}\n  {{a}}\n{%- endif %}', 'x'],
  [
    'loops, filters and methods work',
    '{% for o in list %}{{loop.index}}.{{o.strip() | upper}} {% endfor %}',
    '1.P 2.Q ',
  ],
  ['a name may be asked for', '{% if z is defined %}{{z}}{% else %}none{% endif %}{{ z | default("d") }}', 'noned'],
  ['inner fields are reached by name', '{{ inner.k }}{{ inner["k"] }}', '11'],
  ['ranges count', '{% for i in range(2) %}{{i}}{% endfor %}', '01'],
])('%s', (_, source, expected) => {
  expect(compileTemplate(source).render({ a: 'x', list: ['p ', 'q'], inner: { k: 1 } })).toBe(expected)
})

test('an error for an unknown name suggests the nearest column', () => {
  const render = (source: string) => () => compileTemplate(source).render({ question: 'q', inner: {} })
  expect(render('{{qestion}}')).toThrow(
    '"qestion" is not there (the doc has question, inner). Did you mean "question"?',
  )
  expect(render('{% if nothing %}{% endif %}')).toThrow('"nothing" is not there')
  expect(render('{{ inner.deep }}')).toThrow('"inner.deep" is not there')
})

test('a name that is tested with "is defined" is optional', () => {
  const source =
    "{{ answer.split('#')[-1] if answer is defined else target }}{% if a is not defined %}{{ b }}{{ c }}{% endif %}{{ c }}"
  const template = compileTemplate(source)
  expect(template.variables).toEqual({ required: ['c'], optional: ['answer', 'a', 'target', 'b'] })
  expect(template.render({ answer: '1#2', a: 0, c: '!' })).toBe('2!')
  expect(template.render({ target: '3', a: 0, c: '!' })).toBe('3!')
  expect(() => template.render({ answer: '1', c: '!' })).toThrow('"b" is not there')
  expect(compileTemplate('{{ x if y else z }}').variables.required).toEqual(['y', 'x', 'z'])
})

test('lists the names that a template reads before it is rendered', () => {
  const source =
    '{% set s = a %}{% for x in xs if x.ok %}{{ x }}{{ loop.index }}{{ s }}{% endfor %}{{ b | join(sep) }}{{ c is defined }}'
  expect(compileTemplate(source).variables).toEqual({ required: ['a', 'xs', 'b', 'sep'], optional: ['c'] })
})

test.each([
  ['{{ a | uper }}', 'no filter "uper". Did you mean "upper"?'],
  ['{% filter shout %}{{ a }}{% endfilter %}', 'no filter "shout".'],
  ['{% if a is strin %}{% endif %}', 'no test "strin". Did you mean "string"?'],
  ['{% endif %}', '{% endif %} ends nothing here'],
  ['{% if a %}{% endfor %}', '{% endfor %} ends nothing here: expected {% elif %} or {% else %} or {% endif %}'],
  ['x\n{{ a b }}', 'line 2: expected }}, not b'],
  ['{{ a.uper( }}', 'line 1: unexpected "}"'],
  ['{% for x in a %}{{ x }}', 'the template ends within {% … %}: an {% if %} or {% for %} has no end'],
])('rejects %s before it reads a doc', (source, message) => {
  expect(() => compileTemplate(source)).toThrow(message)
})

test.each([
  ['{{ n / 0 }}', 'division by zero'],
  ['{{ n // 0 }}', 'division by zero'],
  ['{{ n % 0 }}', 'division by zero'],
  ['{{ a + n }}', 'a text and another value are joined by ~'],
])('throws for %s, as Python does', (source, message) => {
  expect(() => compileTemplate(source).render({ a: 'x', n: 1 })).toThrow(message)
})

test.each([
  ['{{ a|random }}', 'the filter "random" is not supported: a prompt must be the same each time'],
  ['{{ a|wordwrap(60) }}', 'the filter "wordwrap" is not supported: prompts are not wrapped into lines'],
  ['{{ a|urlize }}', 'the filter "urlize" is not supported: prompts are plain text, not HTML pages'],
  [
    '{{ a|filesizeformat }}',
    /"filesizeformat" is not supported: .* Supported filters: abs, attr, .*, upper, wordcount$/,
  ],
  ['{% include "x" %}', "{% include %} needs another template: a task's template is one text"],
  [`{{ ${'('.repeat(30_000)}a${')'.repeat(30_000)} }}`, 'the template is nested too deeply'],
  ['{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', 'a macro calls itself without an end'],
])('rejects %.50s and says what to do', (source, message) => {
  expect(() => compileTemplate(source).render({ a: 'x' })).toThrow(message)
})
