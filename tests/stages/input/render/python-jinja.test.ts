import { describe, expect, test } from 'vitest'
import type { FloatFields } from '../../../../stages/input/datasets/columns/floats.js'
import { compileTemplate } from '../../../../stages/input/render/template.js'
import type { Doc } from '../../../../stages/input/tasks/doc.js'
import { goldenRows } from '../../../support/golden.js'

interface Row {
  readonly template: string
  /** Absent if Python raises an error. */
  readonly expected?: string
}

interface Head {
  readonly doc?: Doc
  readonly floats?: FloatFields
}

describe.each(['jinja', 'jinja-drawn', 'jinja-wide', 'jinja-blocks'])('%s', name => {
  const [{ doc = {}, floats = {} } = {}, ...rows] = goldenRows<Head & Partial<Row>>(`python/${name}.jsonl`)
  const all = rows as readonly Row[]
  const render = (template: string): string => compileTemplate(template, floats).render(doc)

  test.each(all.filter(({ expected }) => expected !== undefined))(
    'renders as Python does: $template',
    ({ template, expected }) => {
      expect(render(template)).toBe(expected)
    },
  )

  const refused = all.filter(({ expected }) => expected === undefined)
  if (refused.length > 0)
    test('a template that Python rejects throws an error', () => {
      for (const { template } of refused) expect(() => render(template), template).toThrow()
    })
})
