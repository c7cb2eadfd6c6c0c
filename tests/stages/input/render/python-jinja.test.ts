import { describe, expect, test } from 'vitest'
import { compileTemplate } from '../../../../stages/input/render/template.js'
import type { Doc } from '../../../../stages/input/tasks/doc.js'
import { goldenRows } from '../../../support/golden.js'

interface Row {
  readonly doc?: Doc
  readonly template: string
  readonly expected: string
}

describe.each(['jinja', 'jinja-drawn'])('%s', name => {
  const [{ doc = {} } = {}, ...rows] = goldenRows<Partial<Row>>(`python/${name}.jsonl`)

  test.each(rows as readonly Row[])('Python renders the same: $template', ({ template, expected }) => {
    expect(compileTemplate(template).render(doc)).toBe(expected)
  })
})
